"""The Language Server Protocol: what an editor's own servers do not know of SQL in code, tables and callers."""
