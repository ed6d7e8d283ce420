"""Expressions of code to the strings that they may evaluate to."""
