"""How models are written in each language: their tables' options and their fields, in one form for all."""
