"""Doctrine for PHP: entities, and migrations that change the schema by objects."""
