"""Live databases, introspected instead of read from files."""
