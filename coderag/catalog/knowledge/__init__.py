"""Documents, glossaries and query logs to business definitions and example queries."""
