"""Units of a text, such as tokens or sentences, to chunks of as many as fit, with overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from coderag.chunkers.records import TextChunk
from coderag.errors import QueryError
from coderag.limits import CHUNK_SIZE, check_number

__all__ = ["Cut", "check_sizes", "chunk_of", "chunks_of", "lengths_of", "packed"]

Cut = tuple[int, int]  # where a chunk begins and ends


def check_sizes(size: int, overlap: int) -> None:
    """Raise QueryError for a size below 1, and an overlap that is negative or more than half of the size."""
    check_number(CHUNK_SIZE, size)
    if isinstance(overlap, bool) or not isinstance(overlap, int):
        raise TypeError(f"overlap is of type {type(overlap).__name__}; give a whole number")
    # Beyond a half, the chunks of a text have many times its length.
    if not 0 <= overlap <= size // 2:
        raise QueryError(f"overlap is {overlap}; give 0 to {size // 2}, half of the size")


def lengths_of(starts: Sequence[int], end: int) -> list[int]:
    """Return the characters of each unit, the white space behind it included."""
    return [after - before for before, after in pairwise([*starts, end])]


def packed(weights: Sequence[int], *, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield the first unit of each chunk and the one behind its last.

    A chunk takes units as long as they weigh `size` together, at least one. It begins with as many of the last units
    of the chunk before it as weigh `overlap` at most and leave room for a new one.
    """
    first, count = 0, len(weights)
    while first < count:
        behind, weight = first, 0
        while behind < count and (behind == first or weight + weights[behind] <= size):
            weight += weights[behind]
            behind += 1
        yield first, behind
        if behind == count:
            return
        room = min(overlap, size - weights[behind])
        begin, shared = behind, 0
        while begin - 1 > first and shared + weights[begin - 1] <= room:
            begin -= 1
            shared += weights[begin]
        first = begin


def chunk_of(text: str, cut: Cut, *, title: str = "") -> TextChunk | None:
    """Return the chunk between two places without white space at its ends, None if there is nothing else."""
    start, end = cut
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    bare = inner.strip()
    return TextChunk(bare, start, start + len(bare), title) if bare else None


def chunks_of(text: str, cuts: Iterator[Cut] | Sequence[Cut], *, title: str = "") -> list[TextChunk]:
    """Return the chunks of some cuts; what adds nothing but white space to the chunk beside it is left out."""
    chunks: list[TextChunk] = []
    for cut in cuts:
        chunk = chunk_of(text, cut, title=title)
        if chunk is None or (chunks and chunk.end <= chunks[-1].end):
            continue
        if chunks and chunk.start == chunks[-1].start:  # what the one before had more was white space
            chunks.pop()
        chunks.append(chunk)
    return chunks
