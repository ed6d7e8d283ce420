"""What only the text of a definition tells, read as a file would be: what a view reads, the comments of SQLite."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.sql.records import Column, CreateRoutine, CreateTable, Facts, ObjectKind, Routine, Table
from coderag.sql.statements.dialect import Dialect

__all__ = ["completed", "table_in", "trigger_in"]

VIEWS = {ObjectKind.VIEW: "VIEW", ObjectKind.MATERIALIZED_VIEW: "MATERIALIZED VIEW"}


def table_in(text: str, kind: ObjectKind, dialect: Dialect) -> Table | None:
    """Return the table of a definition, or of what is only the query of a view; None if it cannot be read."""
    if kind in VIEWS and text.lstrip()[:6].upper() != "CREATE":
        text = f"CREATE {VIEWS[kind]} v AS\n{text}"
    return next(
        (operation.table for operation in _facts(text, dialect).operations if isinstance(operation, CreateTable)), None
    )


def trigger_in(text: str, dialect: Dialect) -> Routine | None:
    """Return the trigger of a definition; None if it cannot be read."""
    return next(
        (operation.routine for operation in _facts(text, dialect).operations if isinstance(operation, CreateRoutine)),
        None,
    )


def completed(table: Table, declared: Table) -> Table:
    """Return a table with what only its definition tells."""
    columns = {column.name.casefold(): column for column in declared.columns}
    return replace(
        table,
        columns=tuple(_completed(one, columns.get(one.name.casefold())) for one in table.columns) or declared.columns,
        checks=table.checks or declared.checks,
        comment=table.comment or declared.comment,
        query=declared.query,
        usage=declared.usage,
        lineage=declared.lineage,
    )


def _completed(column: Column, declared: Column | None) -> Column:
    if declared is None:
        return column
    return replace(
        column,
        default="" if declared.generated else column.default,
        comment=column.comment or declared.comment,
        values=column.values or declared.values,
        generated=column.generated or declared.generated,
        identity=column.identity or declared.identity,
    )


def _facts(text: str, dialect: Dialect) -> Facts:
    from coderag.sql.ddl.parse_file import parse_file

    return parse_file(text.encode("utf-8", "replace"), path="", dialect=dialect.name)
