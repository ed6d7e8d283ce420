"""Snapshots that a process keeps for copies of itself to answer from, and what such a copy leaves to others.

A copy answers from what was kept only if every file of the index is the very one that was opened. Whether the files of
the root changed since is asked afterwards, as of any other index.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from coderag.api.roots import Root
from coderag.errors import StoredIndexError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MANIFEST
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.snapshot import Snapshot
    from coderag.index.reader.opened_root import OpenedRoot

__all__ = [
    "LeftToAsker",
    "become_copy",
    "drop",
    "forget_writer",
    "is_copy",
    "is_own_writer",
    "keep",
    "kept_for",
    "leave_to_asker",
    "note_opened",
    "note_writer",
    "opened_roots",
]

Files = tuple[tuple[str, int, int, int], ...]  # the path, inode, size and modification time of each


class LeftToAsker(BaseException):
    """A copy of the process that keeps indexes may not answer this; who asked does, nothing having been printed."""


@record
class _PreloadedSnapshot:
    snapshot: Snapshot
    segments: Files
    others: Files


_kept: dict[tuple[Root, ...], _PreloadedSnapshot] = {}
_opened: dict[tuple[Root, ...], None] = {}
_copies: list[int] = []  # this process, where it is a copy
_writers: set[int] = set()  # processes of the one that keeps snapshots, which bring indexes up to date


def keep(snapshot: Snapshot) -> None:
    """Keep a snapshot in place of an older one of the same roots."""
    segments, others = _files(snapshot)
    if not snapshot.was_replaced():
        _kept[snapshot.roots] = _PreloadedSnapshot(snapshot, segments, others)


def drop(roots: tuple[Root, ...]) -> None:
    """Keep the snapshot of some roots no longer."""
    _kept.pop(roots, None)


def kept_for(roots: tuple[Root, ...]) -> tuple[Snapshot | None, bool]:
    """Return the snapshot that is kept of roots, or None, and whether it is what an opened one would be.

    One that is older has at least all of its segments as they were.
    """
    kept = _kept.get(roots)
    if kept is None:
        return None, False
    segments, others = _files(kept.snapshot)
    if segments != kept.segments:
        return None, False
    try:
        return kept.snapshot, others == kept.others and not kept.snapshot.was_replaced()
    except StoredIndexError:
        return None, False


def note_opened(roots: tuple[Root, ...]) -> None:
    """Note that this process opened the index of some roots."""
    _opened[roots] = None


def opened_roots() -> list[tuple[Root, ...]]:
    """Return the roots whose index this process opened, each time in the order given."""
    return list(_opened)


def become_copy() -> None:
    """Note that this process is a copy which answers for another one."""
    _copies[:] = [os.getpid()]
    _opened.clear()


def is_copy() -> bool:
    """Tell whether this process is such a copy."""
    return _copies == [os.getpid()]


def note_writer(pid: int) -> None:
    """Note a process that brings indexes up to date for this one and its copies."""
    _writers.add(pid)


def forget_writer(pid: int) -> None:
    """Note that such a process has ended."""
    _writers.discard(pid)


def is_own_writer(pid: int) -> bool:
    """Tell whether a process is one of those."""
    return pid in _writers


def leave_to_asker() -> None:
    """Raise LeftToAsker where this process answers for another one: what follows needs that one's terminal or keys."""
    if is_copy():
        raise LeftToAsker


def _files(snapshot: Snapshot) -> tuple[Files, Files]:
    """Return the files of the segments of a snapshot, and its other files; those that are gone are left out."""
    segments = [_of_folder(segment.folder) for root in snapshot.opened for segment in root.segments]
    others = [_of_file(path) for root in snapshot.opened for path in _single_files(root)]
    return tuple(file for found in segments for file in found), tuple(file for found in others for file in found)


def _single_files(root: OpenedRoot) -> Iterator[IndexPath]:
    manifest = root.manifest
    for name in (MANIFEST, manifest.listing, manifest.catalog, manifest.graph):
        if name:
            yield root.folder / name


def _of_folder(folder: IndexPath) -> Files:
    try:
        with os.scandir(folder.path) as entries:
            return tuple(sorted(_stamp(entry.path, entry.stat(follow_symlinks=False)) for entry in entries))
    except OSError:
        return ()


def _of_file(path: IndexPath) -> Files:
    try:
        return (_stamp(str(path), os.lstat(path.path)),)
    except OSError:
        return ()


def _stamp(path: str, status: os.stat_result) -> tuple[str, int, int, int]:
    return path, status.st_ino, status.st_size, status.st_mtime_ns
