"""What an index knows of the names in a question, looked up when a rule asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.ask.routing import Known
from coderag.limits import NAME, fault_of_text
from coderag.text.tokens import split_identifier, stem

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["known_in"]


def known_in(index: Index) -> Known:
    """Return what the index knows of names: targets of the graph, and words of tables and columns."""
    tables = {stem(piece) for table in index.catalog.tables for piece in split_identifier(table.name.name)}
    columns = {
        stem(piece)
        for table in index.catalog.tables
        for column in table.columns
        for piece in split_identifier(column.name)
    }
    return Known(
        is_target=lambda name: _is_target(name, index), tables=frozenset(tables), columns=frozenset(columns - tables)
    )


def _is_target(name: str, index: Index) -> bool:
    return not fault_of_text(NAME, name) and bool(index.refs(name, shown=0))
