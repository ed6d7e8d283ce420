"""`coderag clean`: what coderag keeps beside the sources, made smaller or removed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coderag.api.clone import Clone, clones_folder
from coderag.api.clones import MOST_BYTES as MOST_CLONE_BYTES
from coderag.api.clones import ClonePlace, clones, clones_size, remove_clone, trim_clones
from coderag.ask.caching.answer_files import MOST_BYTES as MOST_ANSWERS_BYTES
from coderag.ask.caching.answer_files import answers_folder, answers_size, trim_answers
from coderag.ask.caching.replies import MOST_BYTES as MOST_REPLIES_BYTES
from coderag.ask.caching.replies import replies_folder, replies_size, trim_replies
from coderag.ask.summaries.store import MOST_BYTES as MOST_SUMMARIES_BYTES
from coderag.ask.summaries.store import summaries_folder, summaries_size, trim_summaries
from coderag.cli.exit_codes import FOUND
from coderag.cli.groups import for_owners
from coderag.cli.opening import note
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Style, bytes_text, screen, table, visible
from coderag.cli.roots import given_roots
from coderag.encoders.vector_cache import MOST_BYTES, cache_path, trim_vectors, vectors_bytes
from coderag.files.git_address import is_git_address, parse_git_address
from coderag.index.build import segment_cache
from coderag.index.remote.cache import MOST_BYTES as MOST_PULLED_BYTES
from coderag.index.remote.cache import pulled_size, trim_pulled
from coderag.index.remote.pull import pulled_folders
from coderag.index.remote.range_cache import MOST_BYTES as MOST_RANGES_BYTES
from coderag.index.remote.range_cache import ranges_folder, ranges_size, trim_ranges

__all__ = ["run"]

DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A part of what coderag keeps, and what was removed of it, or would be."""

    part: str  # vectors, segments, pulled, ranges, answers, replies, summaries, clones, clone or index
    path: str
    bytes: int  # before
    removed: int
    limit: int | None  # bytes that may stay; None for an index or a clone, which goes as a whole
    address: str = ""  # of a clone
    unused_days: float | None = None  # since a clone was used last


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
    addresses = [root for root in options.roots if is_git_address(root)]
    options.roots = [root for root in options.roots if root not in addresses]
    cleaned = [*_indexes(options), *_clones(addresses, options)]
    if options.all or options.max_size is not None or not (cleaned or addresses or options.unused is not None):
        cleaned += [_cleaned(part, options) for part in _parts()]
        cleaned += [_listed(clone, removed=0) for clone in clones()]
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


def _clones(addresses: list[str], options: argparse.Namespace) -> Iterator[Cleaned]:
    """Remove the clones of some addresses, and those that were not used for too long."""
    if not addresses and options.unused is None:
        return
    folders = {ClonePlace.of(parse_git_address(address)).folder.path: address for address in addresses}
    known = clones()
    for folder in folders.keys() - {clone.folder for clone in known}:
        note(f"there is no clone of {parse_git_address(folders[folder])}")
    for clone in known:
        if clone.folder in folders or (options.unused is not None and _unused_days(clone) >= options.unused):
            is_removed = options.dry_run or remove_clone(clone.place)
            if not is_removed:
                note(f"the clone of {clone.address} stays, as another process is fetching it")
            yield _listed(clone, removed=clone.bytes if is_removed else 0)


def _listed(clone: Clone, *, removed: int) -> Cleaned:
    days = round(_unused_days(clone), 3)
    return Cleaned("clone", str(clone.folder), clone.bytes, removed, None, clone.address, days)


def _unused_days(clone: Clone) -> float:
    return max(time.time() - clone.used, 0.0) / DAY_SECONDS


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
        Part("pulled", pulled_folders(), MOST_PULLED_BYTES, pulled_size, trim_pulled),
        Part("ranges", ranges_folder(), MOST_RANGES_BYTES, ranges_size, trim_ranges),
        Part("answers", answers_folder(), MOST_ANSWERS_BYTES, answers_size, trim_answers),
        Part("replies", replies_folder(), MOST_REPLIES_BYTES, replies_size, trim_replies),
        Part("summaries", summaries_folder(), MOST_SUMMARIES_BYTES, summaries_size, trim_summaries),
        Part("clones", clones_folder(), MOST_CLONE_BYTES, clones_size, trim_clones),
    ]


def _cleaned(part: Part, options: argparse.Namespace) -> Cleaned:
    limit = 0 if options.all else part.limit if options.max_size is None else options.max_size
    before = part.size()
    removed = max(before - limit, 0) if options.dry_run else part.trim(limit)
    return Cleaned(part.name, str(part.path), before, removed, limit)


def _where(cleaned: Cleaned) -> str:
    """Return the path of a part, and what a clone is of and since when nobody used it."""
    if cleaned.unused_days is None:
        return cleaned.path
    days = int(cleaned.unused_days)
    used = f"unused for {days:,} day{'' if days == 1 else 's'}" if days else "used today"
    return f"{cleaned.address}, {used}, {cleaned.path}"


def _lines(cleaned: list[Cleaned], options: argparse.Namespace) -> list[str]:
    shown = screen(options.color)
    word = "would go" if options.dry_run else "removed"
    rows = [
        (
            one.part,
            bytes_text(one.bytes - one.removed),
            f"{bytes_text(one.removed)} {word}" if one.removed else "",
            visible(_where(one)),
        )
        for one in cleaned
    ]
    head, *rest = table([("Part", "Left", "", "Where"), *rows], right=(1, 2))
    return [shown.paint(head, Style.DIM), *rest]
