"""A repository of an index to what gives the definitions or the chunks of each of its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.types import Chunk, Symbol

__all__ = ["file_chunks", "outlines"]


def outlines(corpus: Corpus, repository: str) -> Callable[[str], Sequence[Symbol]]:
    """Return what gives the definitions of a file by its path, [] for one that is gone."""
    places = _places(corpus, repository)

    def outline(path: str) -> Sequence[Symbol]:
        if path not in places:
            return []
        member, file = places[path]
        return corpus.members[member].segment.outline(file, repository=repository)

    return outline


def file_chunks(corpus: Corpus, repository: str) -> Callable[[str], Sequence[Chunk]]:
    """Return what gives the chunks of a file by its path, in order, [] for one that is gone; each file is read once."""
    places = _places(corpus, repository)
    known: dict[str, Sequence[Chunk]] = {}

    def chunks(path: str) -> Sequence[Chunk]:
        if path not in known:
            known[path] = read(path) if path in places else []
        return known[path]

    def read(path: str) -> Sequence[Chunk]:
        number, file = places[path]
        segment = corpus.members[number].segment
        numbers = np.flatnonzero(segment.chunk_file == file).tolist()
        return [segment.chunk(one, repository=repository) for one in numbers]

    return chunks


def _places(corpus: Corpus, repository: str) -> dict[str, tuple[int, int]]:
    """Return the files of a repository by path: which member of the corpus has each, and as what number."""
    return {
        path: (number, file)
        for number, member in enumerate(corpus.members)
        if member.repository == repository
        for file, path in enumerate(member.segment.paths.all())
        if file not in member.dead
    }
