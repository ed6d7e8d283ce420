"""CREATE TABLE and ALTER TABLE, in any dialect, to columns, keys and checks."""
