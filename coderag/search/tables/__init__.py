"""A question about data to the tables, columns, joins and examples that answer it."""
