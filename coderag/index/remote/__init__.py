"""Indexes on a store that several machines reach."""
