"""SQL inside code: which tables and columns a function reads and writes by it."""
