"""Django's migrations to operations on tables."""
