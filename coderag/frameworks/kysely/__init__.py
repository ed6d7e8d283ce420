"""Kysely's migrations."""
