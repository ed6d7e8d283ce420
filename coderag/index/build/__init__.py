"""Making an index, and bringing one up to date: scan, write, merge."""
