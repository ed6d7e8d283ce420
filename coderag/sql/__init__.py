"""Schemas: what files and databases declare, folded into the tables, views, routines and queries as they are now."""
