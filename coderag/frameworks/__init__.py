"""Frameworks that declare tables in code, and how code uses what they declare."""
