"""The index of a root to nothing: only what coderag wrote is removed, and no link is followed."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.errors import IndexMissingError, IndexWriteError
from coderag.index.storage.folder.entries import bytes_of, check_entries, split_entries
from coderag.index.storage.folder.folder import has_manifest
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked
from coderag.index.storage.manifest import MANIFEST, SEGMENTS

__all__ = ["Removed", "remove_index"]

LOCK_SECONDS = 2.0  # a removal does not wait for a build


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
    ours, others = split_entries(folder)
    removed = Removed(folder, bytes_of(folder, ours), tuple(others))
    if dry_run:
        return removed
    try:
        with locked(folder, LOCK_SECONDS):
            # The manifest first: what is left of an index without one is no index, also when this is stopped halfway.
            for name in sorted(ours, key=lambda name: (name != MANIFEST, name == "lock", name)):
                _remove(folder / name)
        for name in split_entries(folder)[0]:
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
    check_entries(folder, to_remove=True)


def _is_index(folder: IndexPath) -> bool:
    if (folder / MANIFEST).exists():
        return has_manifest(folder)
    return (folder / "lock").exists() and (folder / SEGMENTS).is_folder() and not split_entries(folder)[1]


def _remove(path: IndexPath) -> None:
    if path.is_folder():
        path.remove_tree()
    else:
        path.remove()
