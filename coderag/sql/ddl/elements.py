"""The elements of CREATE SCHEMA s CREATE TABLE t ...: what they declare is in that schema."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.sql.records import AddConstraint, CreateTable, CreateType, Name, SchemaOperation
from coderag.sql.statements.cursor import Cursor

__all__ = ["created_schema", "in_schema"]


def created_schema(cursor: Cursor) -> str:
    """Return the schema that a statement creates, "" if it creates none."""
    if not cursor.accept("CREATE", "SCHEMA"):
        return ""
    cursor.accept("IF", "NOT", "EXISTS")
    cursor.accept("AUTHORIZATION")
    name = cursor.name()
    return name.name if name is not None else ""


def in_schema(operation: SchemaOperation, schema: str) -> SchemaOperation:
    """Return what an element declares, in the schema."""
    if isinstance(operation, CreateTable):
        table = operation.table
        keys = tuple(replace(key, table=_qualified(key.table, schema)) for key in table.foreign_keys)
        return replace(operation, table=replace(table, name=_qualified(table.name, schema), foreign_keys=keys))
    if isinstance(operation, CreateType):
        return replace(operation, type=replace(operation.type, name=_qualified(operation.type.name, schema)))
    if isinstance(operation, AddConstraint):
        return replace(operation, table=_qualified(operation.table, schema))
    return operation


def _qualified(name: Name, schema: str) -> Name:
    return name if name.schema else Name(name.name, schema, name.database)
