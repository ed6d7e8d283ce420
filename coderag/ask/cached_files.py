"""Files of a cache that only the user may read: what is not fit to be read is not there, and the oldest go first."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from coderag.ask.private_files import UnfitFileError, make_folder, open_folder, read_file, write_file

__all__ = ["read_cached", "sizes_of", "trim_cached", "write_cached"]


def read_cached(path: Path, *, most_bytes: int) -> bytes | None:
    """Return what a file holds, None if there is none, or one that others may read or write."""
    try:
        folder = open_folder(path.parent)
    except (OSError, UnfitFileError):
        return None
    try:
        return read_file(folder, path.name, most_bytes=most_bytes)
    except (OSError, UnfitFileError):
        return None
    finally:
        os.close(folder)


def write_cached(path: Path, data: bytes) -> None:
    """Keep a file, whole or not at all, and make its folder; raises OSError and UnfitFileError."""
    make_folder(path.parent)
    folder = open_folder(path.parent)
    try:
        write_file(folder, path.name, data)
    finally:
        os.close(folder)


def sizes_of(folder: Path, names: re.Pattern[str]) -> list[tuple[int, int, Path]]:
    """Return the time, the size and the path of each file of a folder whose name matches."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if names.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # another process removed it
                    stat = entry.stat(follow_symlinks=False)
                    found.append((stat.st_mtime_ns, stat.st_size, Path(entry.path)))
    return found


def trim_cached(folder: Path, names: re.Pattern[str], most_bytes: int) -> int:
    """Remove the oldest files until no more than so many bytes are left; return the bytes removed."""
    files = sorted(sizes_of(folder, names))
    left = before = sum(size for _, size, _ in files)
    for _, size, path in files:
        if left <= most_bytes:
            break
        path.unlink(missing_ok=True)
        left -= size
    return before - left
