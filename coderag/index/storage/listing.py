"""What the file system said of a root when an index was written: one file for each manifest.

It is what changes most often and says nothing of content, so segments, which never change, do without it.

listing-N.bin  arrays (see storage.arrays): folders and rule files with their times, what was left out and why, and of
               each file of each segment its size, time and inode
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coderag.errors import IndexDamagedError
from coderag.files.skipped import SkipReason
from coderag.index.storage.arrays.arrays import Array, open_arrays, write_arrays
from coderag.index.storage.arrays.specs import check_arrays, within
from coderag.index.storage.arrays.stored import LISTING
from coderag.index.storage.arrays.strings import Strings, pack_strings
from coderag.index.storage.folder.index_path import IndexPath
from coderag.record import record

if TYPE_CHECKING:
    from coderag.files.walk import SourceFile

__all__ = [
    "UNKNOWN",
    "Left",
    "Listed",
    "Stamp",
    "clock_ns",
    "lstat_stamp",
    "read_listing",
    "signed",
    "sooner",
    "stamp_of",
    "stamps_of",
    "write_listing",
]

WHOLE_SECOND = 1_000_000_000
ABOVE = re.compile(r"\A(?:\.\./)+")
OUTSIDE = re.compile(r"(?:\A|\0|/)\.\.(?:/|\0|\Z)|(?:\A|\0)/")  # in paths with a NUL between them
COARSE_NS = 2 * WHOLE_SECOND  # FAT and some network file systems keep times of two seconds


class Stamp(NamedTuple):
    """What tells without reading that a file has not changed."""

    size: int  # -1 if it may have changed since it was looked at, and nobody could tell
    mtime_ns: int
    inode: int

    @property
    def is_sure(self) -> bool:
        """Whether a file with the same stamp holds the same."""
        return self.size >= 0


UNKNOWN = Stamp(-1, 0, 0)


class Left(NamedTuple):
    """A file or folder that was left out; the stamp is that of a file that would be read if it were another."""

    path: str
    reason: str
    detail: str = ""
    stamp: Stamp = UNKNOWN


@record
class Listed:
    """What a walk saw."""

    folders: Mapping[str, int] = field(default_factory=dict)  # path -> mtime in ns; 0: to be listed again
    rules: Mapping[str, int] = field(default_factory=dict)  # files that decide about others -> mtime in ns
    skipped: tuple[Left, ...] = ()
    stamps: tuple[Array, ...] = ()  # of the files of each segment, i64[files, 3]


def clock_ns() -> int:
    """Return the time that the file system would give to a file written now."""
    if hasattr(time, "CLOCK_REALTIME_COARSE"):
        return time.clock_gettime_ns(time.CLOCK_REALTIME_COARSE)
    return time.time_ns()


def stamp_of(file: SourceFile, now: int) -> Stamp:
    """Return the stamp of a file that was listed after `now`, a reading of `clock_ns`."""
    sure = sooner(file.mtime_ns, now) > 0
    return Stamp(file.size if sure else -1, file.mtime_ns, signed(file.inode))


def sooner(mtime_ns: int, now: int) -> int:
    """Return a time that was before `now`; 0 for another.

    Racily clean (git's term): a file as new as the scan may change within the same tick of the clock, unnoticed.
    """
    coarse = COARSE_NS if mtime_ns % WHOLE_SECOND == 0 else 0
    return mtime_ns if mtime_ns + coarse < now else 0


def stamps_of(stamps: Sequence[Stamp]) -> Array:
    """Return stamps as they are stored, i64[files, 3]."""
    return np.array(stamps, dtype=np.int64).reshape(-1, 3)


def signed(inode: int) -> int:
    """Return a number of 64 bits as it is stored."""
    return inode - (1 << 64) if inode >> 63 else inode


def lstat_stamp(path: str, now: int) -> Stamp:
    """Return the stamp of a file on disk at `now`, UNKNOWN where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return UNKNOWN
    sure = sooner(found.st_mtime_ns, now) > 0
    return Stamp(found.st_size if sure else -1, found.st_mtime_ns, signed(found.st_ino))


def write_listing(path: IndexPath, listed: Listed) -> None:
    """Write a listing; the caller syncs it."""
    skipped = listed.skipped
    whys = dict.fromkeys((left.reason, left.detail) for left in skipped)
    codes = {why: code for code, why in enumerate(whys)}
    encoded = json.dumps(list(codes)).encode()
    counts = [len(stamps) for stamps in listed.stamps]
    write_arrays(
        path,
        _times("folders", listed.folders)
        | _times("rules", listed.rules)
        | _packed("skipped_path", [left.path for left in skipped])
        | {
            "skipped_why": np.frombuffer(encoded, dtype=np.uint8),
            "skipped_code": np.array([codes[left.reason, left.detail] for left in skipped], dtype=np.uint32),
            "skipped_stamps": stamps_of([left.stamp for left in skipped]),
            "counts": np.array(counts, dtype=np.int64),
            "stamps": np.concatenate([stamps_of([]), *listed.stamps]),
        },
    )


def read_listing(path: IndexPath, held: Array | None = None) -> Listed:
    """Return a listing (of `held_file`, where it was called before); raises IndexDamagedError."""
    arrays = open_arrays(path, held)
    check_arrays(path, arrays, LISTING)
    try:
        ends = np.cumsum(arrays["counts"]).tolist()
        return Listed(
            folders=_read_times(arrays, "folders"),
            rules=_read_times(arrays, "rules"),
            skipped=_read_skipped(arrays),
            stamps=tuple(np.split(arrays["stamps"], ends[:-1])) if ends else (),
        )
    except (ValueError, RecursionError) as error:
        raise IndexDamagedError(f'{path} is damaged ({error}); run "coderag index"') from error


def _read_skipped(arrays: Mapping[str, Array]) -> tuple[Left, ...]:
    known = frozenset(map(str, SkipReason))

    def is_reason(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) == 2
            and all(isinstance(one, str) for one in value)
            and value[0] in known
        )

    whys = json.loads(bytes(arrays["skipped_why"]))
    if not isinstance(whys, list) or not all(map(is_reason, whys)):
        raise ValueError("it says no reasons")
    table = arrays["skipped_stamps"]
    stamped = np.flatnonzero((table != UNKNOWN).any(axis=1)).tolist()  # a few: most are left out by their names
    stamps = dict(zip(stamped, map(Stamp._make, table[stamped].tolist()), strict=True))
    codes = within(arrays["skipped_code"], len(whys), what="skipped_code").tolist()
    return tuple(
        Left(path, whys[code][0], whys[code][1], stamps.get(at, UNKNOWN))
        for at, (path, code) in enumerate(zip(_unpacked(arrays, "skipped_path"), codes, strict=True))
    )


def _times(name: str, times: Mapping[str, int]) -> dict[str, Array]:
    return _packed(f"{name}_path", list(times)) | {f"{name}_mtime": np.array(list(times.values()), dtype=np.int64)}


def _read_times(arrays: Mapping[str, Array], name: str) -> dict[str, int]:
    return dict(zip(_unpacked(arrays, f"{name}_path"), arrays[f"{name}_mtime"].tolist(), strict=True))


def _packed(name: str, strings: Sequence[str]) -> dict[str, Array]:
    blob, offsets = pack_strings(strings)
    return {f"{name}_blob": blob, f"{name}_offsets": offsets}


def _unpacked(arrays: Mapping[str, Array], name: str) -> list[str]:
    """Return paths relative to the root; raises ValueError for one that leads elsewhere."""
    paths = Strings(arrays[f"{name}_blob"], arrays[f"{name}_offsets"]).all()
    # Rules above the root count, too.
    below = [ABOVE.sub("", path) for path in paths] if name == "rules_path" else paths
    joined = "\0".join(["", *below])
    suspicious = ".." in joined or "\0/" in joined  # looked for first: the expression takes 7 ms for Django
    if (suspicious and OUTSIDE.search(joined)) or joined.count("\0") > len(below):  # no name of a file has a NUL
        raise ValueError(f"{name} leads out of the root")
    return paths
