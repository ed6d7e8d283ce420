"""ORM models, live databases and queries merged into the databases that they belong to."""
