"""Files to databases: which of them declare the same tables, and what a database is called."""
