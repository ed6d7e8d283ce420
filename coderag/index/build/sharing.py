"""Segments of one index to another's: what work trees and clones of a repository have in common is made once.

The cache (coderag.index.build.segment_cache) holds segments by hard links, so one that an index has costs no space
twice. They are found by content alone: a segment serves another root when most of its files lie there at the same
paths with
the same bytes, and when it was made by the same version of everything that decides about content. The rest of its files
is dead there.

ENTRY/entry.json   files, chunks, and the sums of the other files; signed by the user that made the segment
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from coderag.errors import IndexDamagedError, IndexKeyError, StoredIndexError
from coderag.files.walk import SourceFile
from coderag.index.build.known_content import Contents
from coderag.index.build.segment_cache import MOST_BYTES, cache_folder, trim_cache
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.build.writing import new_segment
from coderag.index.storage.arrays.arrays import MAPPED_BYTES
from coderag.index.storage.arrays.keys import treatment_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import read_sealed, write_sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.listing import Stamp
from coderag.index.storage.manifest import SEGMENTS, SegmentEntry, Sum, decode_entry, sums_of, sync_folder
from coderag.index.storage.misread import DATA_ERRORS
from coderag.index.storage.segment import Segment
from coderag.index.storage.vectors import is_wanted

__all__ = ["adopt", "offer"]

ENTRY = "entry.json"
WORTH_CHUNKS = 256  # fewer are made in a second
NO_NAME = "0-0"  # a segment gets its name in the index that adopts it
PURPOSE = "segment"  # of the signature
ENTRY_BYTES = 1 << 16
ENTRY_NAME = re.compile(r"[0-9a-f]{16}-[0-9a-f]{24}")
USEFUL = 0.75  # the least share of its files that a segment must have in common with a root


def offer(folder: IndexPath, parts: Iterable[SegmentRef], key: str) -> None:
    """Let other indexes have the segments of one; `key` (coderag.index.storage.identity) says what made them.

    What the system does not allow is left out: the cache saves time and nothing depends on it.
    """
    cache = IndexPath(cache_folder())
    with suppress(OSError, IndexKeyError):
        cache.base.mkdir(parents=True, exist_ok=True, mode=0o700)
        for part in parts:
            # What somebody else made says what it likes of files that another root has too.
            if part.entry.chunks >= WORTH_CHUNKS and not part.entry.foreign:
                _offer(folder / SEGMENTS / part.entry.name, part.entry, cache / f"{key}-{_digest(part.entry.sums)}")
        trim_cache(MOST_BYTES)


def adopt(
    folder: IndexPath,
    files: Iterable[SourceFile],
    *,
    key: str,
    vectors: str,
    contents: Contents,
    stamps: Mapping[str, Stamp],
) -> list[SegmentRef]:
    """Return segments of the cache that hold some files as they are, linked into an index folder.

    `vectors` is the key of the vectors that the index should have; segments may lack them. Raises OSError.
    """
    wanted = {file.path: file for file in files}
    adopted: list[SegmentRef] = []
    entries = sorted(_entries(key), key=_last_use, reverse=True) if wanted else []
    for entry in entries:
        part = _adopt(entry, folder, wanted, vectors=vectors, contents=contents, stamps=stamps)
        if part is None:
            continue
        adopted.append(part)
        paths = part.segment.paths.all()
        for number in np.flatnonzero(part.live_files).tolist():
            del wanted[paths[number]]
    return adopted


def _entries(key: str) -> list[IndexPath]:
    cache = IndexPath(cache_folder())
    return [cache / name for name in cache.entries() if ENTRY_NAME.fullmatch(name) and name.startswith(f"{key}-")]


def _offer(source: IndexPath, entry: SegmentEntry, target: IndexPath) -> None:
    known = _read_entry(target)
    if known is not None:
        os.utime(target.path)
        if known.sums.keys() >= entry.sums.keys():
            return
        entry = replace(entry, sums=known.sums | entry.sums)
    making = target.parent / f"{target.name}.{os.getpid()}.tmp"
    making.remove_tree()
    making.make_folder()
    for name in entry.sums:
        _link(source / name if (source / name).exists() else target / name, making / name)
    told = {"files": entry.files, "chunks": entry.chunks, "sums": entry.sums}
    write_sealed(making / ENTRY, PURPOSE, json.dumps(told).encode(), signer=Signer.USER)
    target.remove_tree()
    try:
        making.replace(target)
    except OSError:  # another process offered the same meanwhile
        making.remove_tree()


def _adopt(
    entry: IndexPath,
    folder: IndexPath,
    wanted: Mapping[str, SourceFile],
    *,
    vectors: str,
    contents: Contents,
    stamps: Mapping[str, Stamp],
) -> SegmentRef | None:
    """Return a segment of the cache as one of an index; None where it is of little use, or damaged."""
    segment_entry = _read_entry(entry)
    if segment_entry is None:
        return None
    try:
        live = _in_common(Segment(entry), wanted, contents)
    except (OSError, IndexDamagedError, *DATA_ERRORS):
        entry.remove_tree()
        return None
    if len(live) < USEFUL * segment_entry.files:
        return None
    sums = {name: known for name, known in segment_entry.sums.items() if is_wanted(name, vectors)}
    made = new_segment(folder / SEGMENTS)
    made.make_folder()
    try:
        for name in sums:
            _link(entry / name, made / name)
        found = sums_of(made)
    except OSError:
        found = {}  # another process removed it meanwhile
    if found != sums:
        made.remove_tree()
        entry.remove_tree()
        return None
    sync_folder(made)
    with suppress(OSError):
        os.utime(entry.path)
    segment = replace(segment_entry, name=made.name, sums=sums)
    try:
        return SegmentRef.open(folder, segment, vectors=vectors, stamps=stamps).with_dead(
            set(range(segment_entry.files)) - live
        )
    except (IndexDamagedError, *DATA_ERRORS):
        made.remove_tree()
        entry.remove_tree()
        return None


def _read_entry(entry: IndexPath) -> SegmentEntry | None:
    """Return what an entry of the cache holds; None where there is none.

    One that is damaged, or that this user did not make, is removed.
    """
    try:
        sealed = read_sealed(entry / ENTRY, PURPOSE, most_bytes=ENTRY_BYTES)
        told = json.loads(sealed.body) if sealed.signer is Signer.USER else None
        return decode_entry(entry, {"name": NO_NAME, "dead": [], "foreign": False, **told}) if told else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, RecursionError, StoredIndexError):
        with suppress(OSError):
            entry.remove_tree()
        return None


def _in_common(segment: Segment, wanted: Mapping[str, SourceFile], contents: Contents) -> set[int]:
    """Return the files of a segment that some files are equal to."""
    sizes, treatments = segment.arrays["file_size"].tolist(), segment.arrays["file_treatment"].tolist()
    alike = [
        (number, file)
        for number, path in enumerate(segment.paths.all())
        if (file := wanted.get(path)) is not None
        and file.size == sizes[number]
        and treatment_of(file) == treatments[number]
    ]
    if len(alike) < USEFUL * len(sizes):
        return set()
    blobs = segment.arrays["file_blob"]
    return {number for number, file in alike if bytes(blobs[number]) == contents.blob(file)}


def _digest(sums: Mapping[str, Sum]) -> str:
    told = json.dumps([sums[name] for name in sorted(sums) if not name.startswith("vectors-")])
    return blake2b(told.encode(), digest_size=12).hexdigest()


def _last_use(entry: IndexPath) -> int:
    with suppress(OSError):
        found = entry.stat()
        return found.st_mtime_ns if found is not None else 0
    return 0


def _link(source: IndexPath, target: IndexPath) -> None:
    """Give a file another name; where that cannot be, as on another file system, copy it."""
    try:
        source.link(target)
    except OSError:
        with source.open(MAPPED_BYTES) as old, target.create() as new:
            shutil.copyfileobj(old, new)
