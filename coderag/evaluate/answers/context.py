"""The sources of an answer against the reference spans of its question: context precision and recall.

They are the variants of RAGAS that ask no model (NonLLMContextPrecisionWithReference, NonLLMContextRecall), where a
passage agrees with a reference if it shows a line of it: https://docs.ragas.io/en/stable/concepts/metrics/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.api.index import Index
from coderag.ask.refining.eliding import ELIDED
from coderag.ask.source import Source
from coderag.errors import QueryError
from coderag.evaluate.judge import Region, Target
from coderag.sql.records import Table
from coderag.types import Span

__all__ = ["References", "precision", "recall"]


class References:
    """Tells which reference span a source shows."""

    def __init__(self, index: Index) -> None:
        """Read lines and tables from `index`."""
        self._index = index
        self._tables: dict[tuple[str, str, str], Table] = {}

    def marks(self, sources: Sequence[Source], targets: Sequence[Target]) -> list[frozenset[int]]:
        """Return the targets, by number, of which each source shows a line."""
        wanted = [self._located(target) for target in targets]
        shown = [(source.path, self._parts(source)) for source in sources]
        return [
            frozenset(number for number, target in enumerate(wanted) if target.holds(path, parts))
            for path, parts in shown
        ]

    def _located(self, target: Target) -> Target:
        """Return a target with the places where its tables are declared for the tables."""
        return Target(frozenset(place for region in target.regions for place in self._places(region)))

    def _places(self, region: Region) -> Iterator[Region]:
        if not any(region.table):
            yield region
            return
        if not self._tables:
            self._tables = {table.name.key: table for table in self._index.catalog.tables}
        table = self._tables.get(region.table)
        for source in table.sources if table else ():
            yield Region(source.path, (Span(source.start_line, max(source.start_line, source.end_line)),))

    def _parts(self, source: Source) -> tuple[Span, ...]:
        """Return the lines whose text a source shows: of a class its frame, and not its methods."""
        span = Span(source.start_line, max(source.start_line, source.end_line))
        try:
            chunks = self._index.chunks(source.path, repository=source.repository)
        except QueryError:  # it is not in the index
            return (span,)
        same = [chunk for chunk in chunks if chunk.span == span and chunk.qualified_name == source.name]
        shown = [line for line in source.text.split("\n") if line != ELIDED]
        return next((one.parts for one in same if set(shown) <= set(one.text.split("\n"))), (span,))


def precision(marks: Sequence[frozenset[int]]) -> float:
    """Return the mean precision at the ranks of relevant sources, 0 if none is relevant."""
    relevant = [bool(found) for found in marks]
    if not any(relevant):
        return 0.0
    at_ranks = (sum(relevant[:rank]) / rank for rank, good in enumerate(relevant, start=1) if good)
    return sum(at_ranks) / sum(relevant)


def recall(marks: Sequence[frozenset[int]], targets: int) -> float:
    """Return the share of the targets of which a source shows a line."""
    return len(frozenset().union(*marks)) / targets if targets else 0.0
