"""The indexes of some roots made, brought up to date, repaired and merged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from coderag.api.roots import Root
from coderag.encoders.spec import parse_encoder
from coderag.errors import IndexDamagedError, StoredIndexError
from coderag.index.build.build import Builder
from coderag.index.build.job import BuildOptions, Progress, Report, Watch
from coderag.index.build.merging import merge_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import LOCK_SECONDS, Holder
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.misread import DATA_ERRORS
from coderag.types import Content

__all__ = ["Asked", "IndexUpdater"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an index is asked to be; what is None stays as it was made, or is as usual."""

    contents: Iterable[Content | str] | None = None
    max_bytes: int | None = None
    encoder: str | None = None
    mask: bool | None = None
    workers: int | None = None
    cache: bool = True
    graph: bool = True  # made after a build, and after an update that looks at everything
    lock_seconds: float = LOCK_SECONDS
    waiting: Callable[[Holder | None], None] | None = None


class _Told:
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
    """What keeps the indexes of some roots; the processes that read files stay until it is closed."""

    def __init__(self, roots: Sequence[Root]) -> None:
        self._builders = {root: Builder(root.root, root.folder, repository=root.repository) for root in roots}

    def build(self, asked: Asked, *, watch: Watch | None = None) -> tuple[Report, ...]:
        """Make every index from nothing."""
        reports = []
        for root, builder in self._builders.items():
            told = _Told(watch)
            reports.append(builder.build(_options(root.folder, asked), watch=told))
            self._graph(root, asked, told)
        return tuple(reports)

    def update(
        self,
        asked: Asked,
        *,
        paths: Iterable[str | os.PathLike[str]] | None = None,
        thorough: bool = False,
        watch: Watch | None = None,
    ) -> tuple[Report, ...]:
        """Bring every index up to date, or make it; with `paths` by looking at these only."""
        given = None if paths is None else [os.fspath(path) for path in paths]
        reports = []
        for builder in self._builders:
            told = _Told(watch)
            options = _options(builder.folder, asked)
            reports.append(self.update_one(builder, options, paths=given, thorough=thorough, watch=told))
            if thorough:
                try:
                    self._graph(builder, asked, told)
                except (
                    IndexDamagedError,
                    *DATA_ERRORS,
                ):  # what was kept of the index is wrong; what is read anew is not
                    rebuilt = self._builders[builder].build(options, watch=told)
                    reports[-1] = replace(rebuilt, rebuilt=f"no graph could be made of the index at {builder.folder}")
                    self._graph(builder, asked, told)
        return tuple(reports)

    def update_one(
        self,
        one: Root,
        options: BuildOptions,
        *,
        paths: Iterable[str] | None = None,
        thorough: bool = False,
        watch: Watch | None = None,
    ) -> Report:
        """Bring the index of one root up to date."""
        below = None if paths is None else _below(one.root, paths)
        return self._builders[one].update(options, paths=below, thorough=thorough, watch=watch)

    def _graph(self, one: Root, asked: Asked, told: _Told) -> None:
        """Bring the graph of a root up to date."""
        if asked.graph:
            from coderag.graph.store import write_graph

            write_graph(one.folder, one.root, making=told.linking)

    def merge(self) -> bool:
        """Merge the segments that should be merged, and tell whether there were any."""
        return sum(merge_index(builder.folder) for builder in self._builders) > 0

    def close(self) -> None:
        """End the processes that read files."""
        for builder in self._builders.values():
            builder.close()


def _options(folder: IndexPath, asked: Asked) -> BuildOptions:
    """Return how to build or update an index; what is not asked for is as the one that is there was made."""
    options = BuildOptions()
    with suppress(StoredIndexError):
        options = BuildOptions.of(read_manifest(folder))
    walk = replace(
        options.walk,
        max_bytes=asked.max_bytes or options.walk.max_bytes,
        contents=options.walk.contents if asked.contents is None else frozenset(map(Content, asked.contents)),
    )
    return replace(
        options,
        walk=walk,
        encoder=parse_encoder(asked.encoder) if asked.encoder else None,
        mask=options.mask if asked.mask is None else asked.mask,
        workers=asked.workers,
        share=asked.cache,
        lock_seconds=asked.lock_seconds,
        waiting=asked.waiting,
    )


def _below(root: Path, paths: Iterable[str]) -> list[str]:
    """Return those of some paths, absolute or from a root, that lie below it, from it; the root itself is ""."""
    found = (os.path.relpath(os.path.join(root, path), root).replace(os.sep, "/") for path in paths)
    return ["" if path == "." else path for path in found if path != ".." and not path.startswith("../")]
