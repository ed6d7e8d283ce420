"""MikroORM: entities."""
