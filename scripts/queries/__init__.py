"""Judging `check-sql`: sets of queries, their mutations, and what is said of both."""
