"""Texts of settings to the same texts with one entry more or less; all else stays as it is, byte for byte."""
