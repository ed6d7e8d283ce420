"""The types of Django's columns to those that its backend for the application's dialect makes.

https://github.com/django/django/tree/main/django/db/backends: DatabaseWrapper.data_types
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from coderag.sql.records import AddColumn, AlterColumn, Column, CreateTable, SchemaFile, SchemaOperation

__all__ = ["in_dialect"]

GIVEN = "(*)"  # the length or the digits of the field
IDENTITY = "identity"

Words = Mapping[str, str]


def in_dialect(file: SchemaFile) -> SchemaFile:
    """Return a file of Django's models or migrations with the types of its dialect; PostgreSQL's where it has none."""
    words = _dialects().get(file.facts.dialect)
    if words is None:
        return file
    operations = tuple(_operation(operation, words) for operation in file.facts.operations)
    return replace(file, facts=replace(file.facts, operations=operations))


def _operation(operation: SchemaOperation, words: Words) -> SchemaOperation:
    """Return an operation with other types; a table that SQL states has the types that it says."""
    match operation:
        case CreateTable(table=table) if "." in table.alias:
            columns = tuple(_column(one, words) for one in table.columns)
            return replace(operation, table=replace(table, columns=columns))
        case AddColumn(column=column):
            return replace(operation, column=_column(column, words))
        case AlterColumn(type=str() as type_):
            return replace(operation, type=_type(type_, words))
        case _:
            return operation


def _column(column: Column, words: Words) -> Column:
    counted = words.get(IDENTITY) if column.identity else None
    return replace(column, type=counted or _type(column.type, words))


def _type(text: str, words: Words) -> str:
    name, bracket, given = text.partition("(")
    return words.get(name, text).replace(GIVEN, bracket + given)


@cache
def _dialects() -> Mapping[str, Words]:
    return tomllib.loads(Path(__file__).with_name("dialects.toml").read_text(encoding="utf-8"))
