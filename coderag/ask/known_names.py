"""What an index knows of the names in a question, looked up when a rule asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from coderag.ask.routing import KnownNames
from coderag.ask.searching import DEPTH
from coderag.limits import NAME, fault_of_text
from coderag.search.query.query import make_query
from coderag.search.query.vocabulary import ASKING, AUXILIARIES, STOP_WORDS
from coderag.text.tokens import split_identifier, stem

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.types import Hit

# "is_staff", "run_at": what asks in a question names no column.
ASKING_STEMS = frozenset(map(stem, STOP_WORDS | ASKING | AUXILIARIES))

__all__ = ["best_confidence", "is_target", "known_in"]


def known_in(index: Index) -> KnownNames:
    """Return what the index knows of names: targets of the graph, and words of tables and columns."""
    tables = {stem(piece) for table in index.catalog.tables for piece in split_identifier(table.name.name)}
    columns = {
        stem(piece)
        for table in index.catalog.tables
        for column in table.columns
        for piece in split_identifier(column.name)
    }
    return KnownNames(
        is_target=lambda name: is_target(name, index),
        tables=frozenset(tables),
        columns=frozenset(columns - tables - ASKING_STEMS),
        confidence=lambda text: best_confidence(index.search(make_query(text, k=DEPTH))),
    )


def best_confidence(hits: Iterable[Hit]) -> float:
    """Return the confidence of the surest of some hits, 0 of none."""
    return max((hit.confidence for hit in hits), default=0.0)


def is_target(name: str, index: Index) -> bool:
    """Tell whether the graph has something of a name."""
    return not fault_of_text(NAME, name) and bool(index.refs(name, shown=0))
