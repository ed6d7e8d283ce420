"""Queries to the tables and columns that they touch, and views to the base columns behind their own."""
