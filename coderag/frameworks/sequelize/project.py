"""Models of Sequelize to descriptions of the tables that its migrations create, where there are such."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from coderag.sql.records import CreateTable, Describe, Facts, Name, Origin, Rename, SchemaFile, SchemaOperation
from coderag.text.inflection import plural

__all__ = ["with_table_names"]

TOOL = "sequelize"
ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".tsx")


def with_table_names(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files whose models describe the tables that migrations create, by their names: `user` and not `users`.

    `freezeTableName`, and whether all models have times, is set once, in a file that may compute it: what migrations
    create tells the name, and a model alone is no account of all columns.
    """
    made = {name for file in files if _is_migration(file) for name in _created(file.facts)}
    if not made:
        return list(files)
    return [_named(file, made) for file in files]


def _is_migration(file: SchemaFile) -> bool:
    return file.facts.series is not None and file.facts.series.tool == TOOL


def _created(facts: Facts) -> set[str]:
    created = {operation.table.name.name for operation in facts.operations if isinstance(operation, CreateTable)}
    return created | {operation.to.name for operation in facts.operations if isinstance(operation, Rename)}


def _named(file: SchemaFile, made: set[str]) -> SchemaFile:
    if _is_migration(file) or not file.path.endswith(ENDINGS):
        return file
    operations = tuple(_operation(operation, made) for operation in file.facts.operations)
    if operations == file.facts.operations:
        return file
    return replace(file, facts=replace(file.facts, operations=operations))


def _operation(operation: SchemaOperation, made: set[str]) -> SchemaOperation:
    if not isinstance(operation, CreateTable) or Origin.ORM not in operation.table.origins:
        return operation
    table = operation.table
    if table.alias in made and table.name.name not in made and table.name.name == plural(table.alias):
        table = replace(table, name=Name(table.alias, schema=table.name.schema))
    return Describe(table) if table.name.name in made else operation
