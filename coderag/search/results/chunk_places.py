"""A place in a file to the chunk that stands there."""

from __future__ import annotations

import numpy as np

from coderag.index.reader.corpus import Corpus, Member

__all__ = ["ChunkPlaces"]


class ChunkPlaces:
    """The live files of a corpus by repository and path, and the chunks in them."""

    def __init__(self, corpus: Corpus) -> None:
        self._files: dict[tuple[str, str], tuple[Member, int]] = {
            (member.repository, path): (member, file)
            for member in corpus.members
            for file, path in enumerate(member.segment.paths.all())
            if file not in member.dead
        }

    def blob(self, repository: str, path: str) -> bytes | None:
        """Return the hash of a file's content, None for one that is not there."""
        place = self._files.get((repository, path))
        return place[0].blob(place[1]) if place else None

    def starting(self, repository: str, path: str, line: int) -> int | None:
        """Return the chunk of the definition that starts at a line, 1-based; None where none does."""
        if (repository, path) not in self._files:
            return None
        member, file = self._files[repository, path]
        segment = member.segment
        chunks = np.flatnonzero(segment.chunk_file == file)
        same = chunks[member.are_definitions(chunks) & (segment.first_row[chunks] == line - 1)]
        return member.first_chunk + int(same[0]) if len(same) else None

    def around(self, repository: str, path: str, line: int) -> int | None:
        """Return the smallest chunk whose lines include one, 1-based; None where none does."""
        if (repository, path) not in self._files:
            return None
        member, file = self._files[repository, path]
        segment = member.segment
        chunks = np.flatnonzero(segment.chunk_file == file)
        first, last = segment.first_row[chunks].astype(np.int64), segment.last_row[chunks].astype(np.int64)
        inside = np.flatnonzero((first <= line - 1) & (line - 1 <= last))
        if not len(inside):
            return None
        return member.first_chunk + int(chunks[inside[np.argmin((last - first)[inside])]])
