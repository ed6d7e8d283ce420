"""An operation under a condition of a migration, which mostly asks whether what is made or dropped is there."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.sql.records import AddColumn, CreateTable, Drop, DropColumn, DropConstraint, Name, SchemaOperation

__all__ = ["guarded"]


def guarded(operation: SchemaOperation, *, needs: Name | None = None) -> SchemaOperation:
    """Return an operation that does nothing where there is nothing to do, or where a table that it needs is not."""
    if isinstance(operation, CreateTable):
        return replace(operation, if_missing=True, needs=needs)
    if isinstance(operation, AddColumn):
        return replace(operation, if_missing=True)
    if isinstance(operation, Drop | DropColumn | DropConstraint):
        return replace(operation, if_exists=True)
    return operation
