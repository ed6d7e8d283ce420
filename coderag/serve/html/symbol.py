"""A name to its definitions and all that refers to them; and in brief, for a card beside the pointer."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.api.index import Index
from coderag.errors import CoderagError, QueryError
from coderag.graph.queries.refs import Group, References
from coderag.serve.html.searching import Row, rows_of
from coderag.types import Chunk, Symbol

__all__ = ["Card", "SymbolPage", "card", "symbol_page"]

SHOWN = 60  # references of each group
SHOWN_ON_CARD = 3
MOST_MEANINGS = 12
CODE_LINES = 120
CARD_LINES = 6


@dataclass(frozen=True, slots=True)
class SymbolPage:
    """What the page of a name shows."""

    of: str
    meanings: tuple[References, ...]
    rows: tuple[Row, ...]  # of the first definition
    chunk: Chunk | None
    like: tuple[str, ...]  # names spelled like it, where nothing has it


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown of a definition beside the pointer."""

    kind: str
    name: str
    path: str
    repository: str
    line: int
    doc: str
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]


def symbol_page(index: Index, of: str, *, repository: str = "") -> SymbolPage:
    """Return what refers to the definitions of a name; raises QueryError for an empty one."""
    meanings = index.refs(of, shown=SHOWN, repository=repository)[:MOST_MEANINGS]
    if not meanings:
        return SymbolPage(of, (), (), None, index.names_like(of))
    target = meanings[0].target
    chunk = _chunk_at(index, target.path, target.line, meanings[0].repository) if target.path else None
    rows = rows_of(chunk, most=CODE_LINES) if chunk else ()
    return SymbolPage(of, tuple(meanings), rows, chunk, ())


def card(index: Index, of: str, *, repository: str = "") -> Card:
    """Return what is at FILE:LINE in brief; raises QueryError where nothing is."""
    path, _, line = of.rpartition(":")
    if not path or not line.isdecimal():
        raise QueryError("give FILE:LINE")
    symbols = [one for one in index.outline(path, repository=repository) if int(line) in one.span]
    inner: Symbol | None = min(symbols, key=lambda symbol: len(symbol.span), default=None)
    chunk = _chunk_at(index, path, int(line), repository)
    try:
        meanings = index.refs(of, shown=SHOWN_ON_CARD, repository=repository)
    except CoderagError:
        meanings = []
    groups = meanings[0].groups if meanings else ()
    return Card(
        kind=str(inner.kind if inner else chunk.kind if chunk else "file"),
        name=inner.qualified_name if inner else chunk.qualified_name if chunk else path,
        path=path,
        repository=repository,
        line=int(line),
        doc=(inner.doc if inner else "") or (chunk.doc if chunk else ""),
        rows=_head(chunk, int(line), inner.span.end_line if inner else 0),
        groups=groups,
    )


def _head(chunk: Chunk | None, line: int, end: int) -> tuple[Row, ...]:
    """Return the first lines of a definition that ends on a line, 0 if that is not known."""
    if chunk is None:
        return ()
    rows = [row for row in rows_of(chunk) if row.number <= end or not end]
    start = next((at for at, row in enumerate(rows) if row.number >= line), 0)
    return tuple(rows[start : start + CARD_LINES])


def _chunk_at(index: Index, path: str, line: int, repository: str) -> Chunk | None:
    """Return the innermost chunk around a line, None if there is none."""
    try:
        chunks = index.chunks(path, repository=repository)
    except CoderagError:
        return None
    around = [chunk for chunk in chunks if line in chunk.span]
    return min(around, key=lambda chunk: len(chunk.span), default=None)
