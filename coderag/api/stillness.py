"""Opened indexes to whether their files can have changed since they were looked at last, without a look at each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from posixpath import dirname, normpath

from coderag.index.build.watch.inotify import FolderWatch
from coderag.index.reader.opened_root import OpenedRoot

__all__ = ["Stillness"]

LOOK_SECONDS = 60.0  # after which all files are looked at though nothing was told: mapped memory is written silently

Mark = tuple[int, tuple[tuple[int, ...], ...]]
Look = Callable[[], list[str] | None]


class Stillness:
    """The folders that some indexes read, watched from the first look on; several threads may ask."""

    def __init__(self, opened: Sequence[OpenedRoot], watch: FolderWatch | None = None) -> None:
        """Watch nothing yet, or go on with what watches the same folders."""
        bases = {root: os.path.join(root.manifest.root, "") for root in opened}
        self._roots = [root.manifest.root for root in opened]
        self._folders = {(base + folder).rstrip("/") for root, base in bases.items() for folder in root.listed.folders}
        rules = {normpath(base + rule) for root, base in bases.items() for rule in root.listed.rules}
        self._elsewhere = sorted(rule for rule in rules if dirname(rule) not in self._folders)
        self._watch = watch
        self._cannot_watch = False
        self._still_at: Mark | None = None
        self._until = 0.0

    def carried(self, opened: Sequence[OpenedRoot]) -> Stillness:
        """Return the same of a newer state of the indexes; where the folders are the same, they stay watched."""
        newer = Stillness(opened)
        if newer._folders == self._folders:
            newer._watch, newer._cannot_watch = self._watch, self._cannot_watch
        return newer

    @property
    def is_still(self) -> bool:
        """Whether nothing happened since a look that found all files as they were indexed."""
        still_at = self._still_at
        return still_at is not None and time.monotonic() < self._until and still_at == self._mark()

    def stale_paths(self, look: Look) -> list[str] | None:
        """Return what a look finds to have changed, [] without one while all is still."""
        if self.is_still:
            return []
        self._begin()
        mark = self._mark()  # what happens during the look makes another
        paths = look()
        self._still_at = mark if paths == [] else None
        self._until = time.monotonic() + LOOK_SECONDS
        return paths

    def _begin(self) -> None:
        """Watch the folders, unless that goes on or the system cannot."""
        if (self._watch is None or self._watch.is_lost) and not self._cannot_watch:
            self._watch = FolderWatch.open(sorted(self._folders))
            self._cannot_watch = self._watch is None

    def _mark(self) -> Mark | None:
        """Return what is another one as soon as something happened, None if nobody can tell."""
        watch = self._watch
        return None if watch is None or watch.is_lost else (watch.count(), tuple(self._stamps()))

    def _stamps(self) -> Iterator[tuple[int, ...]]:
        """Yield which folders the roots are, and how the rule files are that lie outside of them."""
        for root in self._roots:
            yield _stamp(Path(root))[:2]
        for rule in self._elsewhere:
            yield _stamp(Path(rule))


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
