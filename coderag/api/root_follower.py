"""The index of one root, kept up to date by what follows the changes of its files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from coderag.api.background import spawn_maintenance
from coderag.api.roots import Root
from coderag.api.snapshot import Snapshot, open_snapshot
from coderag.api.updater import IndexUpdater
from coderag.index.build.job import Report
from coderag.index.build.watch.watch_loop import Followed, gentle_options

__all__ = ["RootFollower"]


class RootFollower:
    """The last snapshot of a root, and what brings its index up to date; its processes stay until it is closed."""

    def __init__(self, root: Root, snapshot: Snapshot, *, workers: int | None) -> None:
        self.snapshot = open_snapshot([root], snapshot)
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
            stale=lambda: self.snapshot.stale_paths(),
            tidy=partial(spawn_maintenance, root.folder, root.root),
        )

    def close(self) -> None:
        """End the processes that read files."""
        self._updater.close()

    def _update(self, paths: Sequence[str] | None, most_files: int) -> Report:
        [opened] = self.snapshot.opened
        options = gentle_options(opened.folder, opened.manifest, workers=self._workers, most_files=most_files)
        report = self._updater.update_one(self._root, options, paths=paths)
        self.snapshot = open_snapshot([self._root], self.snapshot)
        return report
