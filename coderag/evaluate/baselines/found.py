"""What a search finds, whichever search: places, a label for people, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from coderag.api.index import Index
from coderag.types import Chunk, Hit, Query, Span

__all__ = ["Found", "Place", "Search", "chunks_within", "found_chunk", "found_hit"]

Place = tuple[str, tuple[Span, ...]]  # a path, and lines of the file


@dataclass(frozen=True, slots=True)
class Found:
    """One hit of a search."""

    places: tuple[Place, ...]  # its own, and those of the copies that it stands for
    label: str
    confidence: float | None = None  # 0..1; None if the search has none


Search = Callable[[Query], list[Found]]  # best first, at most `k`


def found_hit(hit: Hit) -> Found:
    """Return a hit of coderag."""
    return Found(((hit.chunk.path, hit.chunk.parts), *map(_copy, hit.also)), _label(hit.chunk), hit.confidence)


def found_chunk(chunk: Chunk) -> Found:
    """Return a chunk that another search found."""
    return Found(((chunk.path, chunk.parts),), _label(chunk))


def chunks_within(index: Index, conditions: Query) -> Iterator[Chunk]:
    """Yield the chunks of an index that meet the conditions of a query, by repository, path and line."""
    for repository, path in sorted(index.files(conditions)):
        for chunk in index.chunks(path, repository=repository):
            if not conditions.kinds or chunk.kind in conditions.kinds:
                yield chunk


def _copy(place: str) -> Place:
    path, _, line = place.rpartition(":")
    return path, (Span(int(line), int(line)),)


def _label(chunk: Chunk) -> str:
    return f"{chunk.path}:{chunk.span.start_line} {chunk.qualified_name}"
