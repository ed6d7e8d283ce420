"""Alembic's migrations to operations on tables."""
