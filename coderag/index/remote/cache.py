"""The indexes that were pulled, in the user's cache: how much they take, and the removal of those not used for long."""

from __future__ import annotations

import os

from coderag.errors import CoderagError
from coderag.index.remote.pull import pulled_folders
from coderag.index.storage.folder.entries import bytes_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import LOCK, the_only_one

__all__ = ["MOST_BYTES", "pulled_size", "trim_pulled"]

MOST_BYTES = 10 << 30


def pulled_size() -> int:
    """Return how many bytes all pulled indexes take; what other indexes hold by hard links counts, too."""
    return sum(map(_size, _folders()))


def trim_pulled(max_bytes: int) -> int:
    """Remove the least recently used indexes until no more than `max_bytes` are left; return the bytes removed.

    One that is being pulled stays.
    """
    sizes = {folder: _size(folder) for folder in sorted(_folders(), key=_used_ns)}
    left = sum(sizes.values())
    removed = 0
    for folder, size in sizes.items():
        if left - removed <= max_bytes:
            break
        removed += size if _removed(folder) else 0
    return removed


def _folders() -> list[IndexPath]:
    base = IndexPath(pulled_folders())
    return [folder for name in base.entries() if (folder := base / name).is_folder()]


def _removed(folder: IndexPath) -> bool:
    try:
        with the_only_one(folder / LOCK) as alone:
            if alone:
                folder.remove_tree()
            return alone
    except (OSError, CoderagError):  # another process removes it as well, or somebody put a link there
        return False


def _size(folder: IndexPath) -> int:
    return bytes_of(folder.parent, [folder.name])


def _used_ns(folder: IndexPath) -> int:
    try:
        return os.stat(folder.path).st_mtime_ns
    except OSError:
        return 0
