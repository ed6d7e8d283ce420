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
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from coderag.errors import IndexDamagedError, IndexKeyError, StoredIndexError
from coderag.files.walk import SourceFile
from coderag.index.build.adopting import adopt_segment, in_common, link_or_copy
from coderag.index.build.known_content import Contents
from coderag.index.build.segment_cache import MOST_BYTES, cache_folder, trim_cache
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.sealed import read_sealed, write_sealed
from coderag.index.storage.folder.signing import Signer
from coderag.index.storage.listing import Stamp
from coderag.index.storage.manifest import SEGMENTS, SegmentEntry, Sum, decode_entry
from coderag.index.storage.misread import DATA_ERRORS
from coderag.index.storage.segment import Segment

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
        grew = False
        for part in parts:
            # What somebody else made says what it likes of files that another root has too.
            if part.entry.chunks >= WORTH_CHUNKS and not part.entry.foreign:
                target = cache / f"{key}-{_digest(part.entry.sums)}"
                grew |= _offer(folder / SEGMENTS / part.entry.name, part.entry, target)
        if grew:  # to measure all entries takes longer than to write a small index
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
    files_by_path = {file.path: file for file in files}
    adopted: list[SegmentRef] = []
    entries = sorted(_entries(key), key=_last_use, reverse=True) if files_by_path else []
    for entry in entries:
        part = _adopt(entry, folder, files_by_path, vectors=vectors, contents=contents, stamps=stamps)
        if part is None:
            continue
        adopted.append(part)
        paths = part.segment.paths.all()
        for number in np.flatnonzero(part.live_files).tolist():
            del files_by_path[paths[number]]
    return adopted


def _entries(key: str) -> list[IndexPath]:
    cache = IndexPath(cache_folder())
    return [cache / name for name in cache.entries() if ENTRY_NAME.fullmatch(name) and name.startswith(f"{key}-")]


def _offer(source: IndexPath, entry: SegmentEntry, target: IndexPath) -> bool:
    """Link a segment into the cache; return whether the cache has more than before."""
    known = _read_entry(target)
    if known is not None:
        os.utime(target.path)
        if known.sums.keys() >= entry.sums.keys():
            return False
        entry = replace(entry, sums=known.sums | entry.sums)
    making = target.parent / f"{target.name}.{os.getpid()}.tmp"
    making.remove_tree()
    making.make_folder()
    for name in entry.sums:
        link_or_copy(source / name if (source / name).exists() else target / name, making / name)
    record = {"files": entry.files, "chunks": entry.chunks, "sums": entry.sums}
    write_sealed(making / ENTRY, PURPOSE, json.dumps(record).encode(), signer=Signer.USER)
    target.remove_tree()
    try:
        making.replace(target)
    except OSError:  # another process offered the same meanwhile
        making.remove_tree()
        return False
    return True


def _adopt(
    entry: IndexPath,
    folder: IndexPath,
    files_by_path: Mapping[str, SourceFile],
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
        live = in_common(Segment(entry), files_by_path, contents, least=USEFUL)
    except (OSError, IndexDamagedError, *DATA_ERRORS):
        entry.remove_tree()
        return None
    if len(live) < USEFUL * segment_entry.files:
        return None
    try:
        adopted = adopt_segment(entry, segment_entry, folder, live=live, vectors=vectors, stamps=stamps)
    except (OSError, IndexDamagedError, *DATA_ERRORS):  # another process may have removed it meanwhile
        entry.remove_tree()
        return None
    with suppress(OSError):
        os.utime(entry.path)
    return adopted


def _read_entry(entry: IndexPath) -> SegmentEntry | None:
    """Return what an entry of the cache holds; None where there is none.

    One that is damaged, or that this user did not make, is removed.
    """
    try:
        sealed = read_sealed(entry / ENTRY, PURPOSE, most_bytes=ENTRY_BYTES)
        record = json.loads(sealed.body) if sealed.signer is Signer.USER else None
        return decode_entry(entry, {"name": NO_NAME, "dead": [], "foreign": False, **record}) if record else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, RecursionError, StoredIndexError):
        with suppress(OSError):
            entry.remove_tree()
        return None


def _digest(sums: Mapping[str, Sum]) -> str:
    text = json.dumps([sums[name] for name in sorted(sums) if not name.startswith("vectors-")])
    return blake2b(text.encode(), digest_size=12).hexdigest()


def _last_use(entry: IndexPath) -> int:
    with suppress(OSError):
        status = entry.stat()
        return status.st_mtime_ns if status is not None else 0
    return 0
