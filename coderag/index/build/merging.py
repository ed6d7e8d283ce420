"""Many small segments to few: which, when, and without a lock, so that nobody waits for it.

Segments are merged with others of about their size, so a chunk is rewritten a few times only, however often files
change (the tiers of Lucene's TieredMergePolicy). Segments never change, and so a merge needs no lock while it works: it
takes the lock for the moment in which its result takes the place of what went in. Files that died meanwhile are dead in
the result as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from filelock import Timeout

from coderag.errors import IndexDamagedError
from coderag.index.build.embed import Embedding, has_vectors
from coderag.index.build.job import BuildOptions
from coderag.index.build.merge import columns_of
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.build.writing import finish_segment, new_segment
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.folder.entries import check_entries
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import file_lock, locked
from coderag.index.storage.listing import Listed
from coderag.index.storage.manifest import MERGING, MERGING_LOCK, SEGMENTS, Manifest, listing_of, read_manifest
from coderag.index.storage.manifest_writer import write_manifest
from coderag.index.storage.misread import DATA_ERRORS, misread
from coderag.index.storage.postings import SHORT_DOCS
from coderag.index.storage.segment import Segment, SegmentWriter
from coderag.index.storage.symptoms import writing

__all__ = [
    "due_for_merging",
    "merge_index",
    "merge_parts",
    "quick_to_merge",
    "remove_unfinished_merge",
]

TIER_CHUNKS = 512  # the largest segments of the lowest tier
TIER_FACTOR = 8  # how much larger those of the next tier are
TIER_SEGMENTS = 4  # more of a tier are merged: each one costs every question a little
LARGE_CHUNKS = SHORT_DOCS // 2  # a segment with more belongs to no tier
WASTE = 4  # a segment of whose chunks a fourth is dead is rewritten
QUICK_CHUNKS = 2000  # so many are merged within an update: it takes a few hundredths of a second


def due_for_merging(parts: Sequence[SegmentRef]) -> list[SegmentRef]:
    """Return the segments that should become one, or few; none when all is well."""
    live = {part.entry.name: part.live_chunks for part in parts}
    tiers: dict[int, list[SegmentRef]] = {}
    for part in parts:
        if live[part.entry.name] <= LARGE_CHUNKS:
            tiers.setdefault(_tier(live[part.entry.name]), []).append(part)
    crowded = {part.entry.name for tier in tiers.values() if len(tier) > TIER_SEGMENTS for part in tier}
    return [
        part
        for part in parts
        if part.entry.name in crowded or WASTE * (part.entry.chunks - live[part.entry.name]) > part.entry.chunks
    ]


def quick_to_merge(due: Sequence[SegmentRef]) -> list[SegmentRef]:
    """Return those of the segments due that are so small that an update may merge them itself: all, or many, or none.

    Small ones must not pile up where a large one is due as well, and nobody merges that.
    """
    chosen: set[str] = set()
    chunks = 0
    for part in sorted(due, key=lambda part: part.entry.chunks):
        chunks += part.entry.chunks
        if chunks > QUICK_CHUNKS:
            break
        chosen.add(part.entry.name)
    worth = len(chosen) == len(due) or len(chosen) > TIER_SEGMENTS
    return [part for part in due if part.entry.name in chosen] if worth else []


def merge_parts(
    parts: Sequence[SegmentRef], *, folder: IndexPath, into: IndexPath, embedding: Embedding
) -> list[SegmentRef]:
    """Return segments rewritten without their dead files, below the folder `into`; raises IndexWriteError."""
    merged: list[SegmentRef] = []
    with_vectors = all(has_vectors(folder, part.entry, embedding) for part in parts)
    vectors = embedding.key if with_vectors else ""
    writer: SegmentWriter | None = None
    stamps: list[Array] = []
    foreign = False

    def finish() -> None:
        nonlocal writer, stamps, foreign
        if writer is not None:
            entry = replace(finish_segment(folder, writer), foreign=foreign)
            merged.append(SegmentRef(entry, Segment(writer.folder, vectors=vectors), np.concatenate(stamps)))
        writer, stamps, foreign = None, [], False

    with writing(folder):
        into.make_folder(exist_ok=True)
        for part in parts:
            part.segment.verify()  # damage must not be copied under sums that fit it
            columns = columns_of(part.segment, part.entry.dead)
            if writer is not None and writer.chunks + len(columns.chunks) > SHORT_DOCS:
                finish()
            writer = writer or SegmentWriter(new_segment(into), vectors=vectors)
            writer.add(columns)
            stamps.append(part.stamps[part.live_files])
            foreign = foreign or part.entry.foreign
        finish()
    return merged


def merge_index(folder: IndexPath) -> bool:
    """Merge what should be merged of an index, and tell whether anything was.

    Another merge, or a writer that changes the same segments meanwhile, is left in peace: then nothing is. Raises
    IndexMissingError, IndexFormatError, IndexDamagedError, IndexLockedError, IndexWriteError.
    """
    read_manifest(folder)
    check_entries(folder)
    try:
        with writing(folder), file_lock(folder / MERGING_LOCK).acquire(timeout=0):
            into = folder / MERGING
            into.remove_tree()  # of a merge that was killed
            before = read_manifest(folder)
            try:
                return _merge(folder, into)
            except (IndexDamagedError, *DATA_ERRORS) as error:
                if read_manifest(folder) != before:
                    return False  # a writer replaced what was to be read
                if isinstance(error, IndexDamagedError):
                    raise
                raise misread(folder, error) from error
            finally:
                with suppress(OSError):
                    into.remove_tree()
    except Timeout:
        return False


def remove_unfinished_merge(folder: IndexPath) -> None:
    """Remove what a merge left that was killed; one that is at work is left in peace."""
    if (folder / MERGING).exists():
        with suppress(Timeout), writing(folder), file_lock(folder / MERGING_LOCK).acquire(timeout=0):
            (folder / MERGING).remove_tree()


def _merge(folder: IndexPath, into: IndexPath) -> bool:
    manifest = read_manifest(folder)
    chosen = due_for_merging(_parts(folder, manifest, listing_of(folder, manifest)))
    if not chosen:
        return False
    merged = merge_parts(chosen, folder=folder, into=into, embedding=Embedding.made(manifest))
    with locked(folder, BuildOptions().lock_seconds):
        now = read_manifest(folder)
        parts = _parts(folder, now, listing_of(folder, now))
        replaced = _replaced(parts, chosen, merged) if now.vectors == manifest.vectors else None
        if replaced is None:
            return False
        with writing(folder):
            for part in merged:
                part.segment.folder.replace(folder / SEGMENTS / part.entry.name)
            (folder / SEGMENTS).sync()
            listed = replace(listing_of(folder, now), stamps=tuple(part.stamps for part in replaced))
            write_manifest(folder, replace(now, segments=tuple(part.entry for part in replaced)), listed)
    return True


def _parts(folder: IndexPath, manifest: Manifest, listed: Listed) -> list[SegmentRef]:
    return [
        SegmentRef(entry, Segment.of(folder, entry, vectors=manifest.vectors), stamps)
        for entry, stamps in zip(manifest.segments, listed.stamps, strict=True)
    ]


def _replaced(
    parts: Sequence[SegmentRef], chosen: Sequence[SegmentRef], merged: Sequence[SegmentRef]
) -> list[SegmentRef] | None:
    """Return the segments as they are now with the merged ones in place of the chosen; None where that is too late."""
    now = {part.entry.name: part for part in parts}
    dead: list[bool] = []
    stamps: list[Array] = []
    for old in chosen:
        new = now.get(old.entry.name)
        if new is None:  # all of its files died, or an update merged it: then they count elsewhere
            dead += [True] * int(old.live_files.sum())
            stamps.append(old.stamps[old.live_files])
            continue
        if not set(old.entry.dead) <= set(new.entry.dead):
            return None  # another writer found a use for a file that is not in the result
        dead += (~new.live_files[old.live_files]).tolist()
        stamps.append(new.stamps[old.live_files])
    if all(dead):
        return None
    names = {part.entry.name for part in chosen}
    replaced = [part for part in parts if part.entry.name not in names]
    all_stamps, begin = np.concatenate(stamps), 0
    for part in merged:
        end = begin + part.entry.files
        gone = [number for number, died in enumerate(dead[begin:end]) if died]
        replaced.append(replace(part, stamps=all_stamps[begin:end]).with_dead(gone))
        begin = end
    return [part for part in replaced if not part.is_empty]


def _tier(chunks: int) -> int:
    tier, limit = 0, TIER_CHUNKS
    while chunks > limit:
        tier, limit = tier + 1, limit * TIER_FACTOR
    return tier
