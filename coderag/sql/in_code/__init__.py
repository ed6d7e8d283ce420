"""SQL inside code, and calls of query builders and mappers: which tables and columns a function reads and writes."""
