"""SeaORM: what its migrations, written with SeaQuery, do to tables."""
