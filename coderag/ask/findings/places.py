"""A place in an indexed file to the source that cites it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from coderag.ask.checking.mentions import last_part
from coderag.ask.source import Source
from coderag.ask.turn import SourceFilter
from coderag.errors import QueryError
from coderag.search.query.query import make_query
from coderag.types import TestPolicy

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.types import Chunk

__all__ = ["Places"]

MOST_BELOW = 20  # lines of an import or a query
TEST = "test"  # the label of a chunk
EVERYTHING = SourceFilter()


class Places:
    """The indexed lines of files that a question is limited to, each file read once."""

    def __init__(self, index: Index, limits: SourceFilter = EVERYTHING) -> None:
        self._index = index
        self._limits = limits
        self._chunks: dict[tuple[str, str], list[Chunk]] = {}
        self._lines: dict[tuple[str, str], dict[int, str]] = {}

    @cached_property
    def of_data(self) -> Places:
        """The same with definitions of every kind: a class may declare a table."""
        return Places(self._index, replace(self._limits, kinds=())) if self._limits.kinds else self

    def chunks(self, repository: str, path: str) -> list[Chunk]:
        """Return the allowed chunks of a file in order, [] for one that is not indexed or not among the sources."""
        key = repository, path
        if key not in self._chunks:
            try:
                chunks = self._index.chunks(path, repository=repository) if path else []
            except QueryError:
                chunks = []
            self._chunks[key] = [chunk for chunk in chunks if self._is_allowed(chunk)]
        return self._chunks[key]

    def _is_allowed(self, chunk: Chunk) -> bool:
        limits = self._limits
        if limits.tests is TestPolicy.EXCLUDE and TEST in chunk.labels:
            return False
        if limits.kinds and chunk.kind not in limits.kinds:
            return False
        return self._files is None or (chunk.repository, chunk.path) in self._files

    @cached_property
    def _files(self) -> Collection[tuple[str, str]] | None:
        """The files that may be sources, as repository and path; None if all may."""
        limits = self._limits
        if not (limits.paths or limits.languages or limits.databases):
            return None
        query = make_query("-", paths=limits.paths, languages=limits.languages, databases=limits.databases)
        return self._index.files(query)

    def source(self, repository: str, path: str, start: int, *, end: int = 0, name: str = "") -> Source | None:
        """Return some lines as a source, one line without an end; None if no text of them is indexed."""
        lines = self._numbered(repository, path)
        shown_lines = [number for number in range(start, max(start, end) + 1) if number in lines]
        if not shown_lines:
            return None
        return Source(
            number=0,
            repository=repository,
            path=path,
            start_line=shown_lines[0],
            end_line=shown_lines[-1],
            text="\n".join(lines[number] for number in shown_lines),
            name=name,
        )

    def showing(self, target: str, repository: str, path: str, *, line: int, name: str = "") -> Source | None:
        """Return a line with those below it up to the first that has the name of a target, as a source.

        An import or a query may name it some lines below. Where none of them does, the line is given alone.
        """
        word = re.compile(rf"(?<!\w){re.escape(last_part(target))}(?!\w)", re.IGNORECASE)
        lines = self._numbered(repository, path)
        below = range(line, line + MOST_BELOW + 1)
        end = next((number for number in below if word.search(lines.get(number, ""))), line)
        return self.source(repository, path, line, end=end, name=name)

    def _numbered(self, repository: str, path: str) -> dict[int, str]:
        key = repository, path
        if key not in self._lines:
            numbered = (pair for chunk in self.chunks(repository, path) for pair in chunk.numbered_lines())
            self._lines[key] = dict(numbered)
        return self._lines[key]
