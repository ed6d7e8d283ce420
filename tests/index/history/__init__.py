"""The history of a repository in an index."""
