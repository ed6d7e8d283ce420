"""Statements to what they declare: tables, views, routines, types, comments and example queries."""
