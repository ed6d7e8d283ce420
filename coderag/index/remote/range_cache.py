"""Ranges of immutable objects in the user's cache: a sparse file for each, with what was read of it in its place.

Nothing here is believed: whoever reads a range compares it with its digest. So a hole, a file that somebody damaged and
one that another process is writing are the same: the range is read from the store again.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from coderag.resources import user_folder

__all__ = ["MOST_BYTES", "RangeCache", "ranges_folder", "ranges_size", "trim_ranges"]

MOST_BYTES = 2 << 30
SECTOR = 512  # bytes in what stat counts as a block
LOOK_BYTES = 64 << 20  # that a process writes between two looks at the size of all
FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


def ranges_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all ranges: under $XDG_CACHE_HOME, or ~/.cache."""
    return user_folder("XDG_CACHE_HOME", ".cache", environment) / "ranges"


def ranges_size() -> int:
    """Return how many bytes all ranges take; holes take none."""
    return sum(size for _, size, _ in _files(ranges_folder()))


def trim_ranges(max_bytes: int) -> int:
    """Remove the least recently used objects until no more than `max_bytes` are left; return the bytes removed."""
    return _trimmed(ranges_folder(), max_bytes)


class RangeCache:
    """What was read of objects, up to a size; a disk that is full or read-only costs only what it would have saved."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._used: set[str] = set()
        self._not_looked = LOOK_BYTES  # bytes written since the last look

    def read(self, name: str, begin: int, size: int) -> bytes:
        """Return what is there of a range, which may be anything."""
        try:
            handle = self._opened(name, FLAGS)
        except OSError:
            return b""
        try:
            if name not in self._used:
                self._used.add(name)
                os.utime(handle)
            return os.pread(handle, size, begin)
        except OSError:
            return b""
        finally:
            os.close(handle)

    def write(self, name: str, begin: int, data: bytes) -> None:
        """Keep a range."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = self._opened(name, FLAGS | os.O_CREAT)
            try:
                os.pwrite(handle, data, begin)
            finally:
                os.close(handle)
        self._not_looked += len(data)
        if self._not_looked > LOOK_BYTES:
            self._not_looked = 0
            _trimmed(self._folder, self._most_bytes)

    def remove(self, name: str) -> None:
        """Forget an object."""
        with suppress(OSError):
            self._path(name).unlink()

    def _opened(self, name: str, flags: int) -> int:
        """Open a file that is this user's alone; raises OSError for one that somebody else made, or that is another."""
        handle = os.open(self._path(name), flags, 0o600)
        about = os.fstat(handle)
        if about.st_uid != os.geteuid() or about.st_nlink > 1 or not stat.S_ISREG(about.st_mode):
            os.close(handle)
            raise PermissionError(errno.EPERM, "it belongs to somebody else", name)
        return handle

    def _path(self, name: str) -> Path:
        return self._folder / blake2b(name.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _files(folder: Path) -> list[tuple[int, int, Path]]:
    """Return when each file was used, the bytes that it takes, and where it is."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # another process removed it
                about = path.lstat()
                found.append((about.st_mtime_ns, SECTOR * about.st_blocks, path))
    return found


def _trimmed(folder: Path, most_bytes: int) -> int:
    found = sorted(_files(folder))
    over, removed = sum(size for _, size, _ in found) - most_bytes, 0
    for _, size, path in found:
        if removed >= over:
            break
        with suppress(OSError):
            path.unlink()
            removed += size
    return removed
