"""Results to text, tables, colours and JSON."""
