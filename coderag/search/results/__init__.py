"""Ranked chunks to hits: why they matched, what surrounds them, what they relate to."""
