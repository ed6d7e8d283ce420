"""Generations of an index in a database that teams run already, and searches over them."""
