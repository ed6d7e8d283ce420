"""A place in an indexed file to the source that cites it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.ask.source import Source
from coderag.errors import QueryError

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.types import Chunk

__all__ = ["Places"]


class Places:
    """The indexed lines of files, each file read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._chunks: dict[tuple[str, str], list[Chunk]] = {}
        self._lines: dict[tuple[str, str], dict[int, str]] = {}

    def chunks(self, repository: str, path: str) -> list[Chunk]:
        """Return the chunks of a file in order, [] for one that is not indexed."""
        key = repository, path
        if key not in self._chunks:
            try:
                self._chunks[key] = self._index.chunks(path, repository=repository) if path else []
            except QueryError:
                self._chunks[key] = []
        return self._chunks[key]

    def source(self, repository: str, path: str, start: int, *, end: int = 0, name: str = "") -> Source | None:
        """Return some lines as a source, one line without an end; None where no text of them is indexed."""
        key = repository, path
        if key not in self._lines:
            numbered = (pair for chunk in self.chunks(repository, path) for pair in chunk.numbered_lines())
            self._lines[key] = dict(numbered)
        lines = self._lines[key]
        held = [number for number in range(start, max(start, end) + 1) if number in lines]
        if not held:
            return None
        return Source(
            number=0,
            repository=repository,
            path=path,
            start_line=held[0],
            end_line=held[-1],
            text="\n".join(lines[number] for number in held),
            name=name,
        )
