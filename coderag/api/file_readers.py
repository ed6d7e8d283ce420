"""A repository of an index to what gives the definitions or the chunks of each of its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from coderag.index.reader.corpus import Corpus, Member
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
    """Return what gives the chunks of a file by its path, in order, [] for one that is gone.

    Each chunk is read when it is first asked for, and once.
    """
    places = _places(corpus, repository)
    known: dict[str, Sequence[Chunk]] = {}

    def chunks(path: str) -> Sequence[Chunk]:
        if path not in places:
            return []
        if path not in known:
            number, file = places[path]
            known[path] = _FileChunks(corpus.members[number], file)
        return known[path]

    return chunks


class _FileChunks(Sequence[Chunk]):
    """The chunks of a file, each read when it is first asked for."""

    def __init__(self, member: Member, file: int) -> None:
        self._member = member
        self._numbers = member.file_chunks(file)
        self._known: dict[int, Chunk] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> Chunk: ...

    @overload
    def __getitem__(self, at: slice) -> list[Chunk]: ...

    def __getitem__(self, at: int | slice) -> Chunk | list[Chunk]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        number = self._numbers[at]
        if number not in self._known:
            self._known[number] = self._member.segment.chunk(number, repository=self._member.repository)
        return self._known[number]


def _places(corpus: Corpus, repository: str) -> dict[str, tuple[int, int]]:
    """Return the files of a repository by path: which member of the corpus has each, and as what number."""
    return {
        path: (number, file)
        for number, member in enumerate(corpus.members)
        if member.repository == repository
        for file, path in enumerate(member.segment.paths.all())
        if file not in member.dead
    }
