"""Syntax trees of one language or family: what is irregular about its calls and literals."""
