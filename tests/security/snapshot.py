"""A folder to all that can be known of what it holds, so that a change of anything shows."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

__all__ = ["State", "changes", "state_of"]

LARGEST_READ = 64 << 20  # a larger file is a sparse one: its size and time have to do

State = dict[str, tuple[object, ...]]  # by path from the folder


def state_of(folder: Path) -> State:
    """Return mode, time and content of every file below a folder, and the targets of links; nothing is followed."""
    found: State = {}
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                found[os.path.relpath(entry.path, folder)] = _known_of(entry)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return found


def _known_of(entry: os.DirEntry[str]) -> tuple[object, ...]:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        return "folder", status.st_mode
    if stat.S_ISLNK(status.st_mode):
        return "link", str(Path(entry.path).readlink())
    if not stat.S_ISREG(status.st_mode):
        return "special", status.st_mode
    content = "" if status.st_size > LARGEST_READ else hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
    return "file", status.st_mode, status.st_size, status.st_mtime_ns, content


def changes(before: State, after: State, *, allowed: Iterable[str] = ()) -> list[str]:
    """Return the paths that came, went or changed, but for those at or below the allowed ones."""
    own = tuple(allowed)
    return sorted(
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path) and not any(path == one or path.startswith(f"{one}/") for one in own)
    )
