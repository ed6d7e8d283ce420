"""Models of Eloquent without those that are bases of others and have no table of their own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from coderag.sql.records import CreateTable, Describe, Rename, SchemaFile

__all__ = ["without_bases"]

ENDING = ".php"


def without_bases(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which a class that other models extend describes a table only if something creates that table."""
    bases = {name for file in files if file.facts.shared is not None for name in file.facts.shared.extended}
    if not bases:
        return list(files)
    created = _created(files)
    return [_without(file, bases, created) if file.path.endswith(ENDING) else file for file in files]


def _created(files: Sequence[SchemaFile]) -> frozenset[str]:
    """Return the names of all tables that are created or renamed to, folded, without schema."""
    operations = (operation for file in files for operation in file.facts.operations)
    names = (
        operation.table.name.name if isinstance(operation, CreateTable) else operation.to.name
        for operation in operations
        if isinstance(operation, CreateTable | Rename)
    )
    return frozenset(name.casefold() for name in names)


def _without(file: SchemaFile, bases: set[str], created: frozenset[str]) -> SchemaFile:
    operations = tuple(
        operation
        for operation in file.facts.operations
        if not isinstance(operation, Describe)
        or operation.table.alias not in bases
        or operation.table.name.name.casefold() in created
    )
    if len(operations) == len(file.facts.operations):
        return file
    return replace(file, facts=replace(file.facts, operations=operations))
