"""Imports, by the rules of each language, to the files that they mean."""
