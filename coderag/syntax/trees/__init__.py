"""Syntax trees in any language: calls, literals, assignments, names and their scopes."""
