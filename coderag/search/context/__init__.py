"""Ranked tables to a schema context for a language model, as text, and to diagrams."""
