"""Which tables the migrations of a tool create, so that its models describe these and create none beside them."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.sql.records import CreateTable, Rename, SchemaFile

__all__ = ["is_migration", "migrated_tables"]


def is_migration(file: SchemaFile, tool: str) -> bool:
    """Tell whether a file is a migration or snapshot of a tool."""
    return file.facts.series is not None and file.facts.series.tool == tool


def migrated_tables(files: Sequence[SchemaFile], tool: str) -> frozenset[str]:
    """Return the names that the migrations of a tool give tables, those of a while included."""
    operations = [operation for file in files if is_migration(file, tool) for operation in file.facts.operations]
    created = (operation.table.name.name for operation in operations if isinstance(operation, CreateTable))
    return frozenset([*created, *(operation.to.name for operation in operations if isinstance(operation, Rename))])
