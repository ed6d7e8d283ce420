"""The indexes of some roots made, brought up to date, repaired and merged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from coderag.api.roots import Root
from coderag.errors import GitError, IndexDamagedError
from coderag.index.build.build import Builder
from coderag.index.build.job import BuildOptions, Progress, Report, Watch
from coderag.index.build.merging import merge_index
from coderag.index.storage.misread import DATA_ERRORS

__all__ = ["IndexUpdater", "read_history"]


class _Progress:
    """A watch that knows what it was told last."""

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self._last = Progress(0, 0, 0, 0, 0)

    def __call__(self, progress: Progress) -> None:
        """Hand on how far it is."""
        self._last = progress
        if self._watch is not None:
            self._watch(progress)

    def linking(self) -> None:
        """Tell that all is read, and the graph is being made."""
        self(replace(self._last, linking=True))


class IndexUpdater:
    """What writes the indexes of some roots; the processes that read files stay until it is closed."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._builders = {root: Builder(root.root, root.folder, repository=root.repository) for root in roots}

    def build(self, options: BuildOptions, *, watch: Watch | None = None) -> tuple[Report, ...]:
        """Build every index from nothing."""
        return tuple(self._build_one(root, options, _Progress(watch)) for root in self._builders)

    def update(
        self,
        options: BuildOptions,
        *,
        paths: Iterable[str | os.PathLike[str]] | None = None,
        thorough: bool = False,
        watch: Watch | None = None,
    ) -> tuple[Report, ...]:
        """Bring every index up to date, or build it; with `paths` by looking at these only."""
        looked_at = None if paths is None else [os.fspath(path) for path in paths]
        reports = []
        for root in self._builders:
            progress = _Progress(watch)
            report = self.update_one(root, options, paths=looked_at, thorough=thorough, watch=progress)
            if thorough:
                try:
                    self._end_readers(root, options, report)
                    _write_graph(root, options, progress)
                except (IndexDamagedError, *DATA_ERRORS):
                    # What was kept of the index is wrong; what is read again is not.
                    reason = f"no graph could be made of the index at {root.folder}"
                    report = replace(self._build_one(root, options, progress), rebuilt=reason)
            reports.append(report)
        return tuple(reports)

    def update_one(
        self,
        root: Root,
        options: BuildOptions,
        *,
        paths: Iterable[str] | None = None,
        thorough: bool = False,
        watch: Watch | None = None,
    ) -> Report:
        """Bring the index of one root up to date."""
        below = None if paths is None else _below(root.root, paths)
        return self._builders[root].update(options, paths=below, thorough=thorough, watch=watch)

    def _build_one(self, root: Root, options: BuildOptions, progress: _Progress) -> Report:
        report = self._builders[root].build(options, watch=progress)
        self._end_readers(root, options, report)
        _write_graph(root, options, progress)
        return report

    def _end_readers(self, root: Root, options: BuildOptions, report: Report) -> None:
        """End the processes that read most of a root before its graph is made, which takes more memory than all else.

        Those of a later update start again; what they load takes a fraction of a second.
        """
        if options.graph and report.read > report.unchanged:
            self._builders[root].close()

    def merge(self) -> bool:
        """Merge the segments that should be merged, and tell whether there were any."""
        return sum(merge_index(builder.folder) for builder in self._builders) > 0

    def close(self) -> None:
        """End the processes that read files."""
        for builder in self._builders.values():
            builder.close()


def _write_graph(root: Root, options: BuildOptions, progress: _Progress) -> None:
    """Bring the graph of a root up to date, and the history that is asked for."""
    if options.graph:
        from coderag.graph.store import write_graph

        write_graph(root.folder, root.root, making=progress.linking)
    if options.history:
        read_history(root)


def read_history(root: Root) -> None:
    """Bring the history of a root up to date; what git cannot read leaves it as it is."""
    from coderag.index.history.store import write_history

    with suppress(GitError):
        write_history(root.folder, root.root)


def _below(root: Path, paths: Iterable[str]) -> list[str]:
    """Return those of some paths, absolute or from a root, that lie below it, from it; the root itself is ""."""
    relative = (os.path.relpath(os.path.join(root, path), root).replace(os.sep, "/") for path in paths)
    return ["" if path == "." else path for path in relative if path != ".." and not path.startswith("../")]
