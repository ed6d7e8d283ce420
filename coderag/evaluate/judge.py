"""What answers a question, looked up in an index, and which of some hits hold it.

A hit answers what it holds a line of, and so do the copies that it stands for. What several wanted things have in one
chunk is one target, as no search could return them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderag.api.index import Index
from coderag.errors import QueryError
from coderag.evaluate.baselines.found import Place
from coderag.evaluate.question import JudgedQuestion, Wanted
from coderag.sql.records import Name
from coderag.types import Chunk, Span

__all__ = ["Judged", "Region", "Target", "judge", "marks", "table_marks"]

MAX_DEFINITIONS = 100  # of one name; more are no question
MISS = -1


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """Lines of a file, or a table."""

    path: str = ""
    parts: tuple[Span, ...] = ()
    table: tuple[str, str, str] = ("", "", "")  # its key


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be found: any of some regions."""

    regions: frozenset[Region]

    def holds(self, path: str, parts: Iterable[Span]) -> bool:
        """Tell whether some lines of a file share one with a region."""
        here = [span for region in self.regions if region.path == path for span in region.parts]
        return any(
            part.start_line <= span.end_line and span.start_line <= part.end_line for part in parts for span in here
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its targets in an index."""

    question: JudgedQuestion
    targets: tuple[Target, ...]
    missing: tuple[str, ...]  # what it wants and the index has not
    language: str  # of the first target, where the question says none


def judge(questions: Sequence[JudgedQuestion], index: Index) -> list[Judged]:
    """Return the questions with their targets, in their order."""
    lookup = _Lookup(index)
    return [_judged(question, lookup) for question in questions]


def marks(hits: Sequence[Sequence[Place]], targets: Sequence[Target]) -> list[int]:
    """Return of each hit, given by its places, the number of the target that it is the first to hold, -1 for none."""
    left = dict(enumerate(targets))
    found: list[int] = []
    for places in hits:
        target = next((number for number, one in left.items() if any(one.holds(*place) for place in places)), MISS)
        left.pop(target, None)
        found.append(target)
    return found


def table_marks(names: Sequence[Name], targets: Sequence[Target]) -> list[int]:
    """Return the same of ranked tables."""
    left = dict(enumerate(targets))
    found: list[int] = []
    for name in names:
        region = Region(table=name.key)
        target = next((number for number, one in left.items() if region in one.regions), MISS)
        left.pop(target, None)
        found.append(target)
    return found


def _judged(question: JudgedQuestion, lookup: _Lookup) -> Judged:
    regions: dict[frozenset[Region], None] = {}
    missing: list[str] = []
    languages: list[str] = []
    for places in question.wanted:
        found = [
            (region, language) for place in places for region, language in lookup.regions(place, question.database)
        ]
        if not found:
            missing.append(" or ".join(map(str, places)))
            continue
        regions[frozenset(region for region, _ in found)] = None
        languages.append(found[0][1])
    language = question.language or (languages[0] if languages else "")
    return Judged(question, tuple(map(Target, regions)), tuple(missing), language)


class _Lookup:
    """Finds what is wanted in an index, each file once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._chunks: dict[str, list[Chunk]] = {}

    def regions(self, wanted: Wanted, database: str) -> list[tuple[Region, str]]:
        """Return the regions of something, each with its language; none when the index has it not."""
        if wanted.table:
            return [(Region(table=name.key), "sql") for name in self._tables(wanted.table, database)]
        chunks = self._wanted(wanted)
        return [(Region(chunk.path, chunk.parts), chunk.language) for chunk in chunks]

    def _tables(self, name: str, database: str) -> list[Name]:
        catalog = self._index.catalog
        names = [catalog.tables[number].name for number in catalog.find(name)]
        return [one for one in names if not database or one.database.casefold() == database.casefold()]

    def _wanted(self, wanted: Wanted) -> list[Chunk]:
        if wanted.span is not None:
            return [one for one in self._of(wanted.path) if _overlap(one.parts, wanted.span)]
        if not wanted.symbol:
            return self._of(wanted.path)
        if wanted.path:
            return self._defining(wanted.path, wanted.symbol)
        symbols = self._index.symbols(wanted.symbol, k=MAX_DEFINITIONS, alike=False)
        places = dict.fromkeys((symbol.path, symbol.qualified_name) for symbol in symbols)
        return [chunk for path, name in places for chunk in self._defining(path, name)]

    def _defining(self, path: str, name: str) -> list[Chunk]:
        """Return the chunks of a definition: its own, else what holds it, else what mentions the name."""
        chunks = self._of(path)
        if not chunks:
            return []
        ends = re.compile(rf"(^|\W){re.escape(name)}$")  # Poller.Run means main.Poller.Run
        if found := [chunk for chunk in chunks if ends.search(chunk.qualified_name)]:
            return found
        lines = [symbol.span.start_line for symbol in self._index.outline(path) if ends.search(symbol.qualified_name)]
        if found := [chunk for chunk in chunks if any(line in part for part in chunk.parts for line in lines)]:
            return found
        return [chunk for chunk in chunks if re.search(rf"\b{re.escape(name)}\b", chunk.text)]

    def _of(self, path: str) -> list[Chunk]:
        if path not in self._chunks:
            try:
                self._chunks[path] = self._index.chunks(path)
            except QueryError:  # not in the index
                self._chunks[path] = []
        return self._chunks[path]


def _overlap(parts: Iterable[Span], span: Span) -> bool:
    return any(part.start_line <= span.end_line and span.start_line <= part.end_line for part in parts)
