"""Rerankers: models that score a query against passages."""
