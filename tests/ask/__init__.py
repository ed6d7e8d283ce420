"""Answers from the index, by rules alone."""
