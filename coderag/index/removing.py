"""The index of a root to nothing: only what coderag wrote is removed, and no link is followed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from coderag.errors import IndexMissingError, IndexWriteError
from coderag.index.index_path import IndexPath
from coderag.index.lock import locked
from coderag.index.manifest import MANIFEST

__all__ = ["Removed", "remove_index"]

OURS = re.compile(
    r"manifest\.(?:json|tmp)|(?:listing|catalog|graph)-[0-9a-f.-]*bin|databases|segments|merging|(?:merging\.)?lock|"
    r"lock\.json|\.gitignore"
)
BEGINNING = re.compile(rb'[0-9a-f]{8}(?: [0-9a-f]{64})?\n\{"format":\d')  # of every manifest since the first format
LOCK_SECONDS = 2.0  # a removal does not wait for a build
ANY_SIZE = 1 << 63  # of a manifest of which only the beginning is read


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed, or would be."""

    folder: IndexPath
    bytes: int
    kept: tuple[str, ...]  # names in it that are not coderag's: they stay, and so does the folder


def remove_index(folder: IndexPath, *, dry_run: bool = False) -> Removed:
    """Remove an index.

    Raises IndexMissingError where there is nothing, or no index, IndexLockedError while it is written,
    IndexUnsafeError for a link, and IndexWriteError for what may not be removed.
    """
    _check(folder)
    ours, others = _entries(folder)
    removed = Removed(folder, sum(_size(folder, name) for name in ours), tuple(others))
    if dry_run:
        return removed
    try:
        with locked(folder, LOCK_SECONDS):
            # The manifest first: what is left of an index without one is no index, also when this is stopped halfway.
            for name in sorted(ours, key=lambda name: (name != MANIFEST, name == "lock", name)):
                _remove(folder / name)
        for name in _entries(folder)[0]:
            _remove(folder / name)  # what the lock wrote meanwhile
        if not others:
            folder.path.rmdir()  # of a link it removes nothing
    except OSError as error:
        raise IndexWriteError(f"the index at {folder} cannot be removed: {error.strerror or error}") from error
    return removed


def _check(folder: IndexPath) -> None:
    """Raise an error unless a folder is an index, or what a first build left of one."""
    if folder.path.is_symlink():
        raise IndexWriteError(f"{folder} is a link, which is not followed; remove the index where it lies")
    if not folder.exists():
        raise IndexMissingError(f"there is no index at {folder}")
    if not _is_index(folder):
        raise IndexMissingError(f"{folder} is no index of coderag, so nothing was removed")


def _is_index(folder: IndexPath) -> bool:
    if (folder / MANIFEST).exists():
        with (folder / MANIFEST).open(ANY_SIZE) as file:
            return BEGINNING.match(file.read(128)) is not None
    return (folder / "lock").exists() and (folder / "segments").is_folder() and not _entries(folder)[1]


def _entries(folder: IndexPath) -> tuple[list[str], list[str]]:
    """Return the names of what coderag wrote into a folder, and of what it did not."""
    found = folder.entries()
    ours = [name for name in found if OURS.fullmatch(name)]
    return ours, [name for name in found if name not in ours]


def _size(folder: IndexPath, name: str) -> int:
    path = folder.path / name
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(os.lstat(os.path.join(base, file)).st_size for base, _, files in os.walk(path) for file in files)


def _remove(path: IndexPath) -> None:
    if path.is_folder():
        path.remove_tree()
    else:
        path.remove()
