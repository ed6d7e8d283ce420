"""The index of one root, kept up to date by what follows the changes of its files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from coderag.api.background import spawn_maintenance
from coderag.api.roots import Root
from coderag.api.snapshot import reopen_root, stale_paths
from coderag.api.updater import IndexUpdater
from coderag.index.build.job import Report
from coderag.index.build.watch.watch_loop import Followed, gentle_options
from coderag.index.reader.opened_root import OpenedRoot

__all__ = ["RootFollower"]


class RootFollower:
    """The index of a root as it was opened last, and what updates it; its processes stay until it is closed."""

    def __init__(self, root: Root, opened: OpenedRoot, *, workers: int | None) -> None:
        self._opened = opened
        self._root = root
        self._workers = workers
        self._updater = IndexUpdater([root])

    @property
    def followed(self) -> Followed:
        """The root as something to follow."""
        root = self._root
        return Followed(
            root.root,
            root.folder,
            root.repository,
            update=self._update,
            stale=lambda: stale_paths([self._opened]),
            tidy=partial(spawn_maintenance, root.folder, root.root),
        )

    def close(self) -> None:
        """End the processes that read files."""
        self._updater.close()

    def _update(self, paths: Sequence[str] | None, most_files: int) -> Report:
        known = self._opened.manifest
        options = gentle_options(self._root.folder, known, workers=self._workers, most_files=most_files)
        report = self._updater.update_one(self._root, options, paths=paths)
        self._opened = reopen_root(self._root, self._opened)
        return report
