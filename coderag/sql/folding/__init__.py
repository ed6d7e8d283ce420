"""How the facts of files become one schema: files to databases, operations to tables, names to what they mean."""
