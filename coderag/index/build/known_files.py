"""What an index knows of the files of a root, and which of them the file system shows to have changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from coderag.files.absent import ABSENT
from coderag.index.build.segment_ref import FileLocation
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.listing import UNKNOWN, Listed, Stamp, signed
from coderag.record import record

__all__ = ["EVERYWHERE", "KnownFiles", "differences"]

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

    def stamps(self) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield every indexed file with what the file system said of it."""
        rows = [stamps.tolist() for stamps in self.listed.stamps]
        for path, (segment, number) in self.places.items():
            yield path, rows[segment][number]


def differences(known: KnownFiles, *, below: Set[str] = EVERYWHERE) -> Iterator[tuple[str, bool]]:
    """Yield what is not as it was below some folders: a path, and whether it decides about others."""
    base = os.path.join(known.root, "")
    starts = tuple(f"{folder}/" if folder else "" for folder in below)
    for times, decides in ((known.listed.rules, True), (known.listed.folders, False)):
        for path, mtime_ns in times.items():
            if path.startswith(starts) and _mtime(base + path) != mtime_ns:
                yield path, decides
    left = ((one.path, one.stamp) for one in known.listed.skipped if one.stamp != UNKNOWN)
    for path, (size, mtime_ns, inode) in chain(known.stamps(), left):
        if not path.startswith(starts):
            continue
        try:
            found = os.lstat(base + path)
        except (OSError, ValueError):  # ValueError: a NUL, so nothing is called so
            yield path, False
            continue
        if found.st_mtime_ns != mtime_ns or found.st_size != size or signed(found.st_ino) != inode:
            yield path, False


def _mtime(path: str) -> int | None:
    """Return when a file or folder changed, ABSENT where there is none, None where nobody may know."""
    try:
        return os.stat(path).st_mtime_ns
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError:
        return None
