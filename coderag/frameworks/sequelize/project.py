"""Models of Sequelize to descriptions of the tables that its migrations create, where there are such."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from coderag.frameworks.common.migrated import is_migration, migrated_tables
from coderag.sql.records import CreateTable, Describe, Name, Origin, SchemaFile, SchemaOperation
from coderag.text.inflection import plural

__all__ = ["with_table_names"]

TOOL = "sequelize"
ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".tsx")


def with_table_names(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files whose models describe the tables that migrations create, by their names: `user` and not `users`.

    `freezeTableName`, and whether all models have times, is set once, in a file that may compute it: what migrations
    create tells the name, and a model alone is no account of all columns.
    """
    made = migrated_tables(files, TOOL)
    if not made:
        return list(files)
    return [_named(file, made) for file in files]


def _named(file: SchemaFile, made: frozenset[str]) -> SchemaFile:
    if is_migration(file, TOOL) or not file.path.endswith(ENDINGS):
        return file
    operations = tuple(_operation(operation, made) for operation in file.facts.operations)
    if operations == file.facts.operations:
        return file
    return replace(file, facts=replace(file.facts, operations=operations))


def _operation(operation: SchemaOperation, made: frozenset[str]) -> SchemaOperation:
    if not isinstance(operation, CreateTable) or Origin.ORM not in operation.table.origins:
        return operation
    table = operation.table
    if table.alias in made and table.name.name not in made and table.name.name == plural(table.alias):
        table = replace(table, name=Name(table.alias, schema=table.name.schema))
    return Describe(table) if table.name.name in made else operation
