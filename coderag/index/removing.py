"""The index of a root to nothing: only what coderag wrote is removed, and no link is followed."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from coderag.errors import IndexMissingError, IndexWriteError
from coderag.index.folder import has_manifest, index_entries
from coderag.index.lock import locked
from coderag.index.manifest import MANIFEST, SEGMENTS

__all__ = ["Removed", "remove_index"]

LOCK_SECONDS = 2.0  # a removal does not wait for a build


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed, or would be."""

    folder: Path
    bytes: int
    kept: tuple[str, ...]  # names in it that are not coderag's: they stay, and so does the folder


def remove_index(folder: Path, *, dry_run: bool = False) -> Removed:
    """Remove an index.

    Raises IndexMissingError where there is nothing, or no index, IndexLockedError while it is written, and
    IndexWriteError for a link and for what may not be removed.
    """
    _check(folder)
    ours, others = index_entries(folder)
    removed = Removed(folder, sum(map(_size, ours)), tuple(one.name for one in others))
    if dry_run:
        return removed
    try:
        with locked(folder, LOCK_SECONDS):
            # The manifest first: what is left of an index without one is no index, also when this is stopped halfway.
            for one in sorted(ours, key=lambda one: (one.name != MANIFEST, one.name == "lock", one.name)):
                _remove(one)
        for one in index_entries(folder)[0]:
            _remove(one)  # what the lock wrote meanwhile
        if not others:
            folder.rmdir()
    except OSError as error:
        raise IndexWriteError(f"the index at {folder} cannot be removed: {error.strerror or error}") from error
    return removed


def _check(folder: Path) -> None:
    """Raise an error unless a folder is an index, or what a first build left of one."""
    try:
        found = os.lstat(folder)
    except OSError as error:
        raise IndexMissingError(f"there is no index at {folder}") from error
    if stat.S_ISLNK(found.st_mode):
        raise IndexWriteError(f"{folder} is a link, which is not followed; remove the index where it lies")
    if not _is_index(folder):
        raise IndexMissingError(f"{folder} is no index of coderag, so nothing was removed")


def _is_index(folder: Path) -> bool:
    if (folder / MANIFEST).is_file():
        return has_manifest(folder)
    return (folder / "lock").is_file() and (folder / SEGMENTS).is_dir() and not index_entries(folder)[1]


def _size(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(one.lstat().st_size for one in path.rglob("*") if one.is_symlink() or one.is_file())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)  # does not follow links
    else:
        path.unlink(missing_ok=True)
