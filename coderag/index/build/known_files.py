"""What an index knows of the files of a root, and which of them the file system shows to have changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from coderag.files.absent import ABSENT
from coderag.index.build.segment_ref import FileLocation
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.listing import UNKNOWN, Listed, Stamp
from coderag.record import record

__all__ = ["EVERYWHERE", "FileStamp", "KnownFiles", "changed_files", "changed_times", "differences"]

FileStamp = tuple[str, int, int, int]  # a path from the root, the size, the time in ns, the inode
INODES = 1 << 64  # they are stored with a sign
EVERYWHERE = frozenset({""})


@record
class KnownFiles:
    """What an index knows of a root."""

    root: str
    listed: Listed
    places: Mapping[str, FileLocation]  # where each file that is indexed lies
    treatments: Sequence[
        Array
    ]  # of the files of each segment (coderag.index.storage.arrays.keys.treatment_of), u64[files]

    def stamp(self, path: str) -> Stamp:
        """Return what the file system said of an indexed file."""
        segment, number = self.places[path]
        return Stamp(*self.listed.stamps[segment][number].tolist())

    def stamps(self) -> Iterator[FileStamp]:
        """Yield what the file system said of every indexed file, and of those left out for what they held."""
        rows = [stamps.tolist() for stamps in self.listed.stamps]
        indexed = ((path, rows[segment][number]) for path, (segment, number) in self.places.items())
        left = ((one.path, one.stamp) for one in self.listed.skipped if one.stamp != UNKNOWN)
        for path, (size, mtime_ns, inode) in chain(indexed, left):
            yield path, size, mtime_ns, inode % INODES


def differences(known: KnownFiles, *, below: Set[str] = EVERYWHERE) -> Iterator[tuple[str, bool]]:
    """Yield what is not as it was below some folders: a path, and whether it decides about others."""
    starts = tuple(f"{folder}/" if folder else "" for folder in below)
    yield from changed_times(known.root, known.listed, starts=starts)
    for path in changed_files(known.root, (stamp for stamp in known.stamps() if stamp[0].startswith(starts))):
        yield path, False


def changed_times(root: str, listed: Listed, *, starts: tuple[str, ...] = ("",)) -> Iterator[tuple[str, bool]]:
    """Yield the folders and the rule files that are not as they were, each with whether it decides about others."""
    base = os.path.join(root, "")
    for times, decides in ((listed.rules, True), (listed.folders, False)):
        for path, mtime_ns in times.items():
            if path.startswith(starts) and _mtime(base + path) != mtime_ns:
                yield path, decides


def changed_files(root: str, stamps: Iterable[FileStamp]) -> Iterator[str]:
    """Yield the files that are not as they were."""
    base, lstat = os.path.join(root, ""), os.lstat
    for path, size, mtime_ns, inode in stamps:
        try:
            status = lstat(base + path)
        except (OSError, ValueError):  # ValueError: a NUL, so nothing is called so
            yield path
            continue
        if status.st_mtime_ns != mtime_ns or status.st_size != size or status.st_ino != inode:
            yield path


def _mtime(path: str) -> int | None:
    """Return when a file or folder changed, ABSENT where there is none, None where nobody may know."""
    try:
        return os.stat(path).st_mtime_ns
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError:
        return None
