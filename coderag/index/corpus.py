"""Several opened segments, of one index or more, as one numbered row of chunks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from coderag.index.arrays import Array
from coderag.index.columns import CONTINUES, DEFINES, KINDS, LABELS
from coderag.index.manifest import Manifest
from coderag.index.segment import Segment
from coderag.index.vectors import cosines
from coderag.types import Chunk, Content, Kind

__all__ = ["PIECE", "REMAINDER", "Corpus", "Member", "open_members"]

PIECE = 1  # a piece of a definition without its name
REMAINDER = 2  # what is left of a file beside its definitions
LAST_NAME = re.compile(r"[^\W\d]\w*$")


@dataclass(frozen=True, slots=True)
class Member:
    """A segment in a corpus."""

    segment: Segment
    repository: str
    root: str
    dead: tuple[int, ...]  # numbers of files that changed or went since the segment was written
    first_chunk: int = 0  # in the corpus
    first_file: int = 0


def open_members(folder: Path, manifest: Manifest) -> list[Member]:
    """Return the segments of an index; raises IndexDamagedError."""
    return [
        Member(
            Segment(folder / "segments" / entry.name, vectors=manifest.vectors),
            manifest.repository,
            manifest.root,
            entry.dead,
        )
        for entry in manifest.segments
    ]


class Corpus:
    """Chunks and files numbered over all segments; numbers last as long as the corpus."""

    def __init__(self, members: Sequence[Member]) -> None:
        placed: list[Member] = []
        chunks = files = 0
        for one in members:
            placed.append(Member(one.segment, one.repository, one.root, one.dead, chunks, files))
            chunks += len(one.segment)
            files += len(one.segment.paths)
        self.members = tuple(placed)
        self._first_chunks = [one.first_chunk for one in placed]
        self._first_files = [one.first_file for one in placed]
        self.size = chunks
        self.files = files

    def __len__(self) -> int:
        """Return how many chunks there are, dead ones included."""
        return self.size

    @cached_property
    def chunk_file(self) -> Array:
        """The file of each chunk, i32[chunks]."""
        return self._joined([one.segment.chunk_file + one.first_file for one in self.members], np.int32)

    @cached_property
    def chunk_kind(self) -> Array:
        """The kind of each chunk as its position in KINDS, u8[chunks]."""
        return self._joined([one.segment.chunk_kind for one in self.members], np.uint8)

    @cached_property
    def chunk_flags(self) -> Array:
        """The flags of each chunk, u8[chunks]."""
        return self._joined([one.segment.chunk_flags for one in self.members], np.uint8)

    @cached_property
    def standing(self) -> Array:
        """What each chunk is instead of a whole definition, u8[chunks]: PIECE, REMAINDER, or their sum."""
        piece = (self.chunk_flags & CONTINUES) > 0
        remainder = self.of_kinds((Kind.MODULE, Kind.BLOCK)) & ((self.chunk_flags & DEFINES) == 0)
        standing: Array = (PIECE * piece + REMAINDER * remainder).astype(np.uint8)
        return standing

    @cached_property
    def queries(self) -> Array:
        """Which chunks are example queries, bool[chunks]."""
        return self.of_kinds((Kind.QUERY,))

    @cached_property
    def file_labels(self) -> Array:
        """The labels of each file as bits, u8[files]."""
        return self._joined([one.segment.arrays["file_labels"] for one in self.members], np.uint8)

    @cached_property
    def file_language(self) -> Array:
        """The language of each file as its position in `languages`, u8[files]."""
        code = {name: number for number, name in enumerate(self.languages)}
        found = []
        for one in self.members:
            table = np.array([code[name] for name in one.segment.languages] or [0], dtype=np.uint8)
            found.append(table[one.segment.arrays["file_language"]])
        return self._joined(found, np.uint8)

    @cached_property
    def languages(self) -> list[str]:
        """The languages of all files, in alphabetical order."""
        return sorted({name for one in self.members for name in one.segment.languages})

    @cached_property
    def documents(self) -> Array:
        """Which files are documents rather than code, bool[files]."""
        contents = {name: content for one in self.members for name, content in one.segment.languages.items()}
        docs = [contents[name] == Content.DOCS for name in self.languages]
        return np.array(docs or [False])[self.file_language]

    @cached_property
    def live_file(self) -> Array:
        """Whether each file is still what was indexed, bool[files]."""
        live = np.ones(self.files, dtype=bool)
        for one in self.members:
            live[[one.first_file + number for number in one.dead]] = False
        return live

    @cached_property
    def live_chunks(self) -> int:
        """How many chunks are of files that are still what was indexed."""
        return self.size if self.live_file.all() else int(self.live_file[self.chunk_file].sum())

    @cached_property
    def paths(self) -> list[str]:
        """The path of each file."""
        return [path for one in self.members for path in one.segment.paths.all()]

    def with_label(self, label: str) -> Array:
        """Return which files carry a label, bool[files]."""
        return (self.file_labels >> np.uint8(LABELS.index(label)) & np.uint8(1)).astype(bool)

    def of_kinds(self, kinds: Sequence[str]) -> Array:
        """Return which chunks are of one of some kinds, bool[chunks]."""
        wanted = np.array([kind in kinds for kind in KINDS])
        return wanted[self.chunk_kind]

    def member_of(self, chunk: int) -> tuple[Member, int]:
        """Return the segment that holds a chunk, and the chunk's number in it."""
        member = self.members[bisect_right(self._first_chunks, chunk) - 1]
        return member, chunk - member.first_chunk

    def path(self, file: int) -> str:
        """Return a file's path, without reading those of the others."""
        member = self.members[bisect_right(self._first_files, file) - 1]
        return member.segment.paths[file - member.first_file]

    def cosines(self, query: Array) -> Array:
        """Return how near each chunk's vector is to f32[dimensions], f32[chunks]: 0 where there is none."""
        found = [
            np.zeros(len(one.segment), dtype=np.float32)
            if one.segment.vectors is None
            else cosines(one.segment.vectors, query)
            for one in self.members
        ]
        return self._joined(found, np.float32)

    def names(self, chunk: int) -> tuple[str, str]:
        """Return a chunk's own name, and the last name of what encloses it ("" at the top)."""
        member, local = self.member_of(chunk)
        qualified, size = member.segment.names[local], member.segment.name_bytes[local]
        if not qualified.isascii():
            name = member.segment.name(local)
            size = len(name)
        scope = LAST_NAME.search(qualified[: len(qualified) - size].rstrip(".:#/ >")) if size < len(qualified) else None
        return qualified[len(qualified) - size :], scope[0] if scope else ""

    def place(self, chunk: int) -> tuple[str, int]:
        """Return a chunk's path and first row."""
        member, local = self.member_of(chunk)
        return member.segment.paths[int(member.segment.chunk_file[local])], int(member.segment.first_row[local])

    def chunk(self, number: int) -> Chunk:
        """Return a chunk with its text."""
        member, local = self.member_of(number)
        return member.segment.chunk(local, repository=member.repository)

    def _joined(self, arrays: Sequence[Array], dtype: type[np.generic]) -> Array:
        if not arrays:
            return np.zeros(0, dtype=dtype)
        return (
            arrays[0].astype(dtype, copy=False)
            if len(arrays) == 1
            else np.concatenate(arrays).astype(dtype, copy=False)
        )
