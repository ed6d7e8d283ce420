"""Numpy arrays and strings as files that are memory-mapped."""
