"""Databases that are asked instead of read from files."""
