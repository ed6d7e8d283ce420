"""SQL: statements, what they declare, what they touch, where code holds them, and what is wrong with them."""
