"""Calls of query builders and mappers to the models and tables that they use, one module per framework."""
