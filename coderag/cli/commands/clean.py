"""`coderag clean`: what coderag keeps beside the sources, made smaller or removed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coderag.cli.caller import for_owners
from coderag.cli.exit_codes import FOUND
from coderag.cli.opening import note
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Style, bytes_text, screen, table, visible
from coderag.cli.roots import given_roots
from coderag.encoders.vector_cache import MOST_BYTES, cache_path, trim_vectors, vectors_bytes
from coderag.index.build import segment_cache

__all__ = ["run"]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A part of what coderag keeps, and what was removed of it, or would be."""

    part: str  # vectors, segments or index
    path: str
    bytes: int  # before
    removed: int
    limit: int | None  # bytes that may stay; None for an index, which goes as a whole


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the cache."""

    name: str
    path: Path
    limit: int
    size: Callable[[], int]
    trim: Callable[[int], int]


def run(options: argparse.Namespace) -> int:
    """Remove the indexes of the roots given, and of the cache what is too much."""
    for_owners("clean")
    cleaned = list(_indexes(options))
    if options.all or options.max_size is not None or not cleaned:
        cleaned += [_cleaned(part, options) for part in _parts()]
    if options.json:
        print_records(cleaned, options.format)
    else:
        print("\n".join(_lines(cleaned, options)))
    return FOUND


def _indexes(options: argparse.Namespace) -> Iterator[Cleaned]:
    if not options.roots and not options.index:
        return
    from coderag.index.storage.folder.removing import remove_index

    for root in given_roots(options, options.roots):
        removed = remove_index(root.folder, dry_run=options.dry_run)
        if removed.kept:
            note(f"{removed.folder} stays, as {', '.join(map(visible, removed.kept))} in it is not coderag's")
        yield Cleaned("index", str(removed.folder), removed.bytes, removed.bytes, None)


def _parts() -> list[Part]:
    vectors = cache_path()
    return [
        Part("vectors", vectors.parent, MOST_BYTES, lambda: vectors_bytes(vectors), lambda n: trim_vectors(vectors, n)),
        Part(
            "segments",
            segment_cache.cache_folder(),
            segment_cache.MOST_BYTES,
            segment_cache.cache_size,
            segment_cache.trim_cache,
        ),
    ]


def _cleaned(part: Part, options: argparse.Namespace) -> Cleaned:
    limit = 0 if options.all else part.limit if options.max_size is None else options.max_size
    before = part.size()
    removed = max(before - limit, 0) if options.dry_run else part.trim(limit)
    return Cleaned(part.name, str(part.path), before, removed, limit)


def _lines(cleaned: list[Cleaned], options: argparse.Namespace) -> list[str]:
    shown = screen(options.color)
    word = "would go" if options.dry_run else "removed"
    rows = [
        (
            one.part,
            bytes_text(one.bytes - one.removed),
            f"{bytes_text(one.removed)} {word}" if one.removed else "",
            visible(one.path),
        )
        for one in cleaned
    ]
    head, *rest = table([("Part", "Left", "", "Where"), *rows], right=(1, 2))
    return [shown.paint(head, Style.DIM), *rest]
