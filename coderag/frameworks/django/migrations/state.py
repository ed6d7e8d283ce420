"""Models of Django's migrations that have no table of their own: proxies, and models of tables that others make.

A migration says so by describing the table, which changes nothing in the database; that keys refer to the table of a
proxy, and that nothing happens where such a model is changed, the project's files say together.
"""

from __future__ import annotations

from coderag.sql.records import Describe, Name, ObjectKind, SchemaOperation, Source, Table

__all__ = ["is_without_table", "proxy_of", "unmanaged"]


def proxy_of(model: str, table: Name, *, source: Source) -> Describe:
    """Return that a model is a proxy of the one with a table."""
    return Describe(Table(table, alias=model, parent=table, sources=(source,)))


def unmanaged(model: str, table: Name, *, source: Source) -> Describe:
    """Return that a model has a table which no migration makes or changes."""
    return Describe(Table(table, kind=ObjectKind.EXTERNAL_TABLE, alias=model, sources=(source,)))


def is_without_table(operation: SchemaOperation) -> bool:
    """Tell whether an operation says one of both."""
    if not isinstance(operation, Describe):
        return False
    return operation.table.parent is not None or operation.table.kind is ObjectKind.EXTERNAL_TABLE
