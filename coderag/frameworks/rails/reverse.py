"""Operations of a migration to those that take them back: what `revert do ... end` does."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    CreateTable,
    CreateType,
    Drop,
    DropColumn,
    DropConstraint,
    Rename,
    RenameColumn,
    SchemaOperation,
)

__all__ = ["reverted"]


def reverted(operations: Sequence[SchemaOperation]) -> list[SchemaOperation] | None:
    """Return what takes operations back, the last first; None where one of them cannot be."""
    found = [_reverted(operation) for operation in reversed(operations)]
    return [one for one in found if one is not None] if all(one is not None for one in found) else None


def _reverted(operation: SchemaOperation) -> SchemaOperation | None:
    match operation:
        case CreateTable(table=table):
            return Drop(table.name, source=table.sources[0])
        case CreateType(type=made, extend=False):
            return Drop(made.name, kind=made.kind, source=made.source)
        case AddColumn(table=table, column=column):
            return DropColumn(table, column.name, source=operation.source)
        case RenameColumn(table=table, column=column, to=to):
            return RenameColumn(table, to, column, source=operation.source)
        case Rename(name=name, to=to):
            return Rename(to, name, kind=operation.kind, source=operation.source)
        case AddConstraint(table=table, name=name, foreign_key=key):
            columns = key.columns if key is not None else operation.unique
            return DropConstraint(table, name=name, columns=columns, if_exists=True, source=operation.source)
    return None
