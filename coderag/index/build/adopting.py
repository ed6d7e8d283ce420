"""A segment of another folder to one of an index: its files are linked, and what of it the root holds today counts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace

from coderag.errors import IndexDamagedError
from coderag.files.walk import SourceFile
from coderag.index.build.known_content import Contents
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.build.writing import new_segment
from coderag.index.storage.arrays.arrays import MAPPED_BYTES
from coderag.index.storage.arrays.keys import treatment_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.listing import Stamp
from coderag.index.storage.manifest import SEGMENTS, SegmentEntry
from coderag.index.storage.manifest_writer import sums_of, sync_folder
from coderag.index.storage.segment import Segment
from coderag.index.storage.vectors import is_wanted

__all__ = ["adopt_segment", "in_common", "link_or_copy"]


def in_common(
    segment: Segment, files_by_path: Mapping[str, SourceFile], contents: Contents, *, least: float
) -> set[int]:
    """Return the files of a segment that some files are equal to; none where they are a smaller share than `least`."""
    sizes, treatments = segment.arrays["file_size"].tolist(), segment.arrays["file_treatment"].tolist()
    alike = [
        (number, file)
        for number, path in enumerate(segment.paths.all())
        if (file := files_by_path.get(path)) is not None
        and file.size == sizes[number]
        and treatment_of(file) == treatments[number]
    ]
    if len(alike) < least * len(sizes):
        return set()
    blobs = segment.arrays["file_blob"]
    return {number for number, file in alike if bytes(blobs[number]) == contents.blob(file)}


def adopt_segment(
    source: IndexPath,
    entry: SegmentEntry,
    folder: IndexPath,
    *,
    live: set[int],
    vectors: str,
    stamps: Mapping[str, Stamp],
) -> SegmentRef:
    """Return a segment that lies in another folder as one of an index, in which the files `live` count.

    Of a foreign segment the files are copied: who made them may change them. Raises IndexDamagedError where they are
    not what its sums say, and OSError.
    """
    sums = {name: known for name, known in entry.sums.items() if is_wanted(name, vectors)}
    made = new_segment(folder / SEGMENTS)
    made.make_folder()
    try:
        for name in sums:
            (_copy if entry.foreign else link_or_copy)(source / name, made / name)
        if sums_of(made) != sums:
            raise IndexDamagedError(f"the index segment {source} is damaged: its checksums do not match")
        sync_folder(made)
        ref = SegmentRef.open(folder, replace(entry, name=made.name, sums=sums), vectors=vectors, stamps=stamps)
    except BaseException:
        made.remove_tree()
        raise
    return ref.with_dead(set(range(entry.files)) - live)


def link_or_copy(source: IndexPath, target: IndexPath) -> None:
    """Give a file another name; where that cannot be, as on another file system, copy it; raises OSError."""
    try:
        source.link(target)
    except OSError:
        _copy(source, target)


def _copy(source: IndexPath, target: IndexPath) -> None:
    with source.open(MAPPED_BYTES) as old, target.create() as new:
        shutil.copyfileobj(old, new)
