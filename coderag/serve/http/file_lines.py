"""An indexed file to its lines: those that the index holds, so that nothing is shown that it hides or covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from coderag.types import Chunk

__all__ = ["FileLines", "HasChunks", "file_lines"]


class HasChunks(Protocol):
    """What knows the chunks of files."""

    def chunks(self, path: str, *, repository: str = "") -> list[Chunk]:
        """Return the chunks of a file in order; raises QueryError for one that is not indexed."""


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some lines of a file as it was indexed; a line that is in no chunk is empty."""

    path: str
    repository: str
    language: str
    start_line: int  # 1-based
    end_line: int  # inclusive
    total_lines: int  # up to the last one that is in a chunk
    lines: tuple[str, ...]


def file_lines(
    index: HasChunks, path: str, *, repository: str = "", start: int = 1, end: int | None = None
) -> FileLines:
    """Return the lines of an indexed file from `start` to `end`; raises QueryError for one that is not indexed."""
    chunks = index.chunks(path, repository=repository)
    known: dict[int, str] = {}
    for chunk in chunks:
        for number, line in chunk.numbered_lines():
            known.setdefault(number, line)
    total = max(known, default=0)
    last = total if end is None else min(end, total)
    return FileLines(
        path=path,
        repository=chunks[0].repository if chunks else repository,
        language=chunks[0].language if chunks else "",
        start_line=start,
        end_line=last,
        total_lines=total,
        lines=tuple(known.get(number, "") for number in range(start, last + 1)),
    )
