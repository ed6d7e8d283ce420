"""The columns of a model with the names that the model calls them by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from coderag.sql.records import Column

__all__ = ["with_fields"]


def with_fields(columns: Mapping[str, Column]) -> tuple[Column, ...]:
    """Return columns, given by field, each with the field's name where that is another than its own."""
    return tuple(_columns(columns))


def _columns(columns: Mapping[str, Column]) -> Iterator[Column]:
    for field, column in columns.items():
        yield replace(column, field=field) if field != column.name else column
