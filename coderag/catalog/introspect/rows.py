"""The rows that a catalog.sql answers with, section by section; a NULL is the field's default."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from coderag.decoding import converted

__all__ = [
    "CheckRow",
    "ColumnRow",
    "CommentRow",
    "DatabaseRow",
    "DefaultRow",
    "DefinitionRow",
    "ForeignKeyRow",
    "KeyRow",
    "ParameterRow",
    "RoutineRow",
    "Row",
    "RowCountRow",
    "TableRow",
    "TriggerRow",
    "TypeCheckRow",
    "TypeColumnRow",
    "TypeRow",
    "TypeValueRow",
    "ViewRow",
    "typed_rows",
]


class Row(msgspec.Struct, frozen=True):
    """One row."""


RowT = TypeVar("RowT", bound=Row)


class DatabaseRow(Row, frozen=True):
    """`database`: one row."""

    version: str
    name: str = ""
    schema_name: str = ""  # the one that names without a schema mean
    comment: str = ""


class CommentRow(Row, frozen=True):
    """`schemas`, `schema_comments`: what there is besides the system's own."""

    name: str
    comment: str = ""


class TableRow(Row, frozen=True):
    """`tables`: tables and views."""

    schema_name: str
    name: str
    kind: str  # a value of ObjectKind
    id: str = ""  # for :objects
    comment: str = ""
    row_count: int = -1
    updated: str = ""
    partition: bool = False
    parent_schema: str = ""
    parent_name: str = ""
    readable: bool = True  # by the user who asks
    problem: str = ""  # why the database itself cannot open it


class RowCountRow(Row, frozen=True):
    """`row_counts`: where `tables` does not have them."""

    schema_name: str
    name: str
    row_count: int


class ColumnRow(Row, frozen=True):
    """`columns`, in their order."""

    schema_name: str
    table_name: str
    name: str
    type: str = ""
    nullable: bool = True
    identity: bool = False
    computed: bool = False  # the expression is that of a computed column
    expression: str = ""
    comment: str = ""
    type_id: str = ""  # of an enum in `types`
    readable: bool = True


class DefaultRow(Row, frozen=True):
    """`defaults`: where `columns` does not have them."""

    schema_name: str
    table_name: str
    name: str
    expression: str = ""
    computed: bool = False


class KeyRow(Row, frozen=True):
    """`keys`, `primary_keys`: a column of a primary key or a unique one, in their order."""

    schema_name: str
    table_name: str
    key_name: str
    name: str = ""
    main: bool = False  # of the primary key
    partial: bool = False  # the key is no constraint: an expression, or the beginning of a text


class ForeignKeyRow(Row, frozen=True):
    """`foreign_keys`: a pair of columns, in their order."""

    schema_name: str
    table_name: str
    key_name: str
    name: str
    other_schema: str
    other_table: str
    other_name: str = ""


class CheckRow(Row, frozen=True):
    """`checks`."""

    schema_name: str
    table_name: str
    expression: str = ""


class ViewRow(Row, frozen=True):
    """`views`: the query of each."""

    schema_name: str
    name: str
    text: str = ""


class DefinitionRow(Row, frozen=True):
    """`definitions`: the whole statement that made a table, view or trigger."""

    kind: str
    schema_name: str
    name: str
    text: str


class TypeRow(Row, frozen=True):
    """`types`."""

    id: str
    schema_name: str
    name: str
    kind: str  # enum, domain or type
    base: str = ""
    comment: str = ""


class TypeValueRow(Row, frozen=True):
    """`type_values`: of enums, in their order."""

    id: str
    value: str


class TypeColumnRow(Row, frozen=True):
    """`type_columns`: of composite types, in their order."""

    id: str
    name: str
    type: str


class TypeCheckRow(Row, frozen=True):
    """`type_checks`: of domains."""

    id: str
    expression: str


class RoutineRow(Row, frozen=True):
    """`routines`."""

    id: str
    schema_name: str
    name: str
    kind: str
    returns: str = ""
    language: str = ""
    body: str = ""
    comment: str = ""
    readable: bool = True


class ParameterRow(Row, frozen=True):
    """`parameters` of routines, in their order."""

    id: str
    name: str = ""
    type: str = ""
    expression: str = ""


class TriggerRow(Row, frozen=True):
    """`triggers`."""

    schema_name: str
    name: str
    table_schema: str
    table_name: str
    language: str = ""
    body: str = ""
    calls: str = ""  # the function that it runs
    comment: str = ""


def typed_rows(rows: list[dict[str, object]], kind: type[RowT]) -> list[RowT]:
    """Return the records of rows as a driver gives them."""
    known = [{key: value for key, value in row.items() if value is not None} for row in rows]
    return converted(known, list[kind], strict=False)  # type: ignore[valid-type]
