"""The indexes of several roots, all of one moment: an update puts another snapshot in the place of one."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from coderag._version import __version__
from coderag.api import preloaded
from coderag.api.roots import Root
from coderag.api.snapshot_view import GraphState, SnapshotView
from coderag.encoders.static import StaticEncoder, shipped_encoder
from coderag.errors import (
    EncoderError,
    GitError,
    IndexDamagedError,
    IndexLockedError,
    IndexMissingError,
    IndexWriteError,
)
from coderag.index.reader.corpus import Corpus
from coderag.index.reader.opened_root import OpenedRoot, open_root
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.index.storage.segment import Segment
from coderag.resources import rules_installed_ns

if TYPE_CHECKING:
    from coderag.api.stillness import Stillness
    from coderag.encoders.encoder import Encoder
    from coderag.graph.graph import Graph
    from coderag.graph.queries.relations import Relations
    from coderag.index.build.staleness import FileComparison
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.history.history import History
    from coderag.index.reader.status import Status
    from coderag.index.storage.manifest import Manifest
    from coderag.relational.database import RelationalDatabase
    from coderag.sql.records import Schema

__all__ = ["Snapshot", "open_snapshot"]

Told = Callable[[], object]
OF_STORED_GRAPHS = ("stored_graphs", "relations")  # what a snapshot keeps of graphs that are stored
WATCHING = "_stillness"  # and what watches its folders
MAX_VIEWS = 16  # sets of rules for which what is seen is kept


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Opened roots and what is known of all of them; what is costly is read when it is asked for, and kept."""

    roots: tuple[Root, ...]
    opened: tuple[OpenedRoot, ...]  # of each root
    corpus: Corpus
    _views: dict[Hashable, SnapshotView] = field(default_factory=dict, repr=False)  # by what hides the rest
    _graphs: dict[str, tuple[Graph, ...]] = field(default_factory=dict, repr=False)  # once they were asked for
    # The index as tables, once it was asked for; True: with the graphs as they are stored.
    databases_of_tables: dict[bool, RelationalDatabase] = field(default_factory=dict, repr=False)

    @cached_property
    def catalogs(self) -> Mapping[str, Catalog]:
        """The catalogs of the roots that have any, by repository."""
        return {root.manifest.repository: root.catalog for root in self.opened if root.catalog is not None}

    @cached_property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog."""
        from coderag.index.catalog.catalog import joined_catalog

        return joined_catalog(self.catalogs)

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder of all roots' vectors, None if they have none, or not the same; a warning says so then."""
        keys = {root.manifest.vectors for root in self.opened}
        if keys == {""}:
            return None
        try:
            if len(keys) > 1:
                raise EncoderError(
                    'the roots were indexed with different encoders; "coderag index --encoder" makes them one'
                )
            manifest = self.opened[0].manifest
            if (shipped := _shipped_encoder(manifest)) is not None:
                return shipped
            from coderag.index.build.embed import Embedding

            return Embedding.made(manifest).opened()
        except EncoderError as error:
            from coderag.degraded import warn_degraded

            warn_degraded(f"words alone answer: {error}", stacklevel=4)
            return None

    def graphs(self, *, making: Told | None = None, waiting: Told | None = None) -> tuple[Graph, ...]:
        """Return the graph of each root, built and stored where there is none that fits; raises IndexDamagedError."""
        if not self._graphs:
            from coderag.graph.store import current_graph

            current = tuple(
                current_graph(
                    root.folder,
                    root.manifest,
                    root.segments,
                    schema=partial(_schema, root),
                    making=making,
                    waiting=waiting,
                )
                for root in self.opened
            )
            self._graphs["current"] = current
            vars(self).pop("relations", None)
        return self._graphs["current"]

    @cached_property
    def graph_state(self) -> GraphState:
        """What is stored of the graphs of the roots."""
        from coderag.graph.store import is_current

        manifests = [root.manifest for root in self.opened]
        return GraphState(
            is_stored=all(manifest.graph for manifest in manifests),
            is_current=all(is_current(root.folder, root.manifest, root.segments) for root in self.opened),
            made=min((manifest.graph_ns for manifest in manifests), default=0) / 1e9,
            seconds=sum(manifest.graph_seconds for manifest in manifests),
        )

    @cached_property
    def stored_graphs(self) -> Mapping[str, Graph]:
        """The graphs as they were stored, by repository, of the roots that have any; they may be older."""
        if not self.has_stored_graphs:
            return {}
        from coderag.graph.graph import Graph

        return {
            root.manifest.repository: Graph.open(root.folder / root.manifest.graph, root.pinned.graph)
            for root in self.opened
            if root.pinned.graph is not None
        }

    @property
    def has_stored_graphs(self) -> bool:
        """Whether some root has a graph, which may be older than the index."""
        return any(root.pinned.graph is not None for root in self.opened)

    @cached_property
    def relations(self) -> Mapping[str, Relations]:
        """The neighbours of hits by the stored graphs, or those made since, by repository; {} if there are none."""
        made = self._graphs.get("current", ())
        graphs = {root.manifest.repository: graph for root, graph in zip(self.opened, made, strict=False)}
        if not (graphs := graphs or dict(self.stored_graphs)):
            return {}
        from coderag.graph.queries.relations import Relations

        return {name: Relations(graph) for name, graph in graphs.items()}

    @cached_property
    def histories(self) -> Mapping[str, History]:
        """The histories that are stored, by repository, of the roots that have any; they may be older."""
        if not any(root.pinned.history is not None for root in self.opened):
            return {}
        from coderag.index.history.history import History

        return {
            root.manifest.repository: History.open(root.folder / root.manifest.history, root.pinned.history)
            for root in self.opened
            if root.pinned.history is not None
        }

    def read_histories(self) -> Mapping[str, History]:
        """Return the histories of the roots, each read on where its repository has new commits.

        Where the index cannot be written now, they are as they were. Raises IndexDamagedError.
        """
        from coderag.index.history.store import open_history, write_history

        histories = {}
        for root, opened_root in zip(self.roots, self.opened, strict=True):
            with suppress(GitError, IndexLockedError, IndexWriteError):
                write_history(opened_root.folder, root.root)
            history = open_history(opened_root.folder, read_manifest(opened_root.folder))
            if history is not None:
                histories[opened_root.manifest.repository] = history
        return histories

    def missing_histories(self) -> dict[str, str]:
        """Return why a root has no history, by repository, of those that have none."""
        from coderag.index.history.store import missing_history

        why = {
            opened_root.manifest.repository: missing_history(read_manifest(opened_root.folder), root.root)
            for root, opened_root in zip(self.roots, self.opened, strict=True)
        }
        return {name: reason for name, reason in why.items() if reason}

    @property
    def databases(self) -> list[str]:
        """The addresses of the databases whose schema was read, without credentials."""
        from coderag.index.storage.database_snapshots import read_snapshots

        return [snapshot.name for root in self.opened for snapshot in read_snapshots(root.folder)]

    def status(self, *, compare: bool, schema: bool) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since."""
        from coderag.index.reader.status import take_stock
        from coderag.index.storage.database_snapshots import read_snapshots

        return [
            take_stock(
                root.folder,
                root.manifest,
                root.segments,
                compare=compare,
                is_unchanged=self.is_still,
                listed=root.listed,
                catalog=root.catalog if schema else None,
                snapshots=read_snapshots(root.folder),
            )
            for root in self.opened
        ]

    def stale_paths(self, *, watched: bool = False) -> list[str] | None:
        """Return the files and folders that changed since, as absolute paths; None for all."""
        return self._stillness.stale_paths(self._compared) if watched else self._compared()

    def _compared(self) -> list[str] | None:
        return None if self._comparisons is None else _stale_paths(self.opened, self._comparisons)

    @cached_property
    def _stillness(self) -> Stillness:
        from coderag.api.stillness import Stillness  # only who asks again and again watches

        return Stillness(self.opened)

    @property
    def outdated(self) -> str:
        """Why all files are to be read again, "" if only those that changed are."""
        return next(filter(None, (_why_outdated(root.manifest) for root in self.opened)), "")

    @property
    def is_still(self) -> bool:
        """Whether it is known without a look that no file has changed since the index was written."""
        return WATCHING in vars(self) and self._stillness.is_still

    @cached_property
    def _comparisons(self) -> list[FileComparison] | None:
        """What the files of each root are compared with, read once; None if all of them are to be read again."""
        return _comparisons(self.opened)

    def verify(self) -> None:
        """Compare every byte of what was opened with its checksum; raises IndexDamagedError."""
        for root in self.opened:
            root.verify()

    def was_replaced(self) -> bool:
        """Tell whether an index on disk is newer than the one that was opened."""
        return any(root.was_replaced() for root in self.opened)

    def seen_by(self, callers: Sequence[frozenset[str]]) -> SnapshotView:
        """Return the intersection of what callers of some groups see.

        Raises IndexDamagedError, SettingsError where the rules cannot be read, and AccessError where it cannot be told
        what they hide.
        """
        from coderag.index.reader.access_control import denied_rules, others_state  # who sees all needs none of it

        denied = tuple(denied_rules(root.manifest, root.listed.folders, callers) for root in self.opened)
        parts = zip(self.opened, denied, strict=True)
        key = denied, tuple(others_state(root.manifest.root, rules) for root, rules in parts)
        view = self._views.get(key)
        if view is None:
            view = SnapshotView.of(self, denied)
            for oldest in list(self._views)[: 1 - MAX_VIEWS]:
                self._views.pop(oldest, None)
            self._views[key] = view
        return view


def open_snapshot(roots: Sequence[Root], before: Snapshot | None = None) -> Snapshot:
    """Open the indexes of roots; segments and graphs that a snapshot before has are not opened again.

    Raises IndexMissingError, IndexFormatError and IndexDamagedError.
    """
    snapshot = _open(roots, before)
    preloaded.note_opened(snapshot.roots)
    if preloaded.is_copy() and any(_needs_model(root.manifest) for root in snapshot.opened):
        preloaded.leave_to_asker()
    return snapshot


def _open(roots: Sequence[Root], before: Snapshot | None) -> Snapshot:
    if before is None:
        before, is_current = preloaded.kept_for(tuple(roots))
        if before is not None and is_current:
            return before
    known = {} if before is None else {member.segment.folder: member.segment for member in before.corpus.members}
    opened = tuple(_open_root(root, known) for root in roots)
    corpus = Corpus([member for root in opened for member in root.members])
    corpus.vector_graphs = tuple((root.folder, graph) for root in opened if (graph := root.vector_graph) is not None)
    snapshot = Snapshot(tuple(roots), opened, corpus)
    if before is not None and _graph_files(before) == _graph_files(snapshot):
        reused = {name: value for name, value in vars(before).items() if name in OF_STORED_GRAPHS}
        vars(snapshot).update(reused)  # their arrays are unpacked once
    if before is not None and WATCHING in vars(before):
        vars(snapshot)[WATCHING] = before._stillness.carried(opened)
    return snapshot


def _graph_files(snapshot: Snapshot) -> list[tuple[IndexPath, str]]:
    return [(root.folder, root.manifest.graph) for root in snapshot.opened]


def reopen_root(root: Root, before: OpenedRoot) -> OpenedRoot:
    """Open the index of a root again; segments that it had before are not opened again; raises like open_snapshot."""
    return _open_root(root, {segment.folder: segment for segment in before.segments})


def stale_paths(opened: Sequence[OpenedRoot]) -> list[str] | None:
    """Return the files and folders of roots that changed since, as absolute paths; None for all."""
    comparisons = _comparisons(opened)
    return None if comparisons is None else _stale_paths(opened, comparisons)


def _comparisons(opened: Sequence[OpenedRoot]) -> list[FileComparison] | None:
    from coderag.index.build.staleness import FileComparison

    if any(_why_outdated(root.manifest) or _has_other_encoder(root.manifest) for root in opened):
        return None
    try:
        return [FileComparison(root.manifest, root.segments, root.listed) for root in opened]
    except IndexDamagedError:
        return None


def _stale_paths(opened: Sequence[OpenedRoot], comparisons: Sequence[FileComparison]) -> list[str] | None:
    found: list[str] = []
    for root, comparison in zip(opened, comparisons, strict=True):
        paths = comparison.stale_paths()
        if paths is None:
            return None
        found += [os.path.join(root.manifest.root, path) for path in paths]
    return found


def _why_outdated(manifest: Manifest) -> str:
    """Return why an index is to be rebuilt: this version of coderag reads the same files otherwise; "" if it does not.

    What decides how files are read is compared where some of it was installed after the index was written.
    """
    if manifest.version != __version__:
        return f"the index was made by coderag {manifest.version}"
    if rules_installed_ns() <= manifest.updated_ns:
        return ""
    from coderag.index.storage.identity import content_parts, why_outdated  # most indexes are newer than coderag
    from coderag.sql.settings import Settings

    parts = content_parts(Settings(""), mask=manifest.mask)
    parts.pop("settings")  # a change of these is one of a file
    return why_outdated(manifest.parts, parts)


def _has_other_encoder(manifest: Manifest) -> bool:
    """Tell whether the encoder of an index would make other vectors now."""
    if _shipped_encoder(manifest) is not None:
        return False
    from coderag.index.build.embed import Embedding

    return Embedding.of(manifest).key != manifest.vectors


def _needs_model(manifest: Manifest) -> bool:
    """Tell whether the vectors of an index are those of another model than the shipped one."""
    return bool(manifest.vectors) and _shipped_encoder(manifest) is None


def _shipped_encoder(manifest: Manifest) -> StaticEncoder | None:
    """Return the shipped encoder where it made the vectors of an index; what opens others is slow to import."""
    if manifest.encoder not in ({}, {"kind": "static"}):
        return None
    encoder = shipped_encoder()
    return encoder if encoder.identity.key == manifest.vectors else None


def _open_root(root: Root, known: Mapping[IndexPath, Segment]) -> OpenedRoot:
    try:
        return open_root(root.folder, root=str(root.root), repository=root.repository, known=known)
    except IndexMissingError as error:
        if root.untrusted is None:
            raise
        raise IndexMissingError(
            f"the index at {root.untrusted} was not made by you on this machine, so it is not trusted, and there "
            'is no other one; run "coderag index", or "coderag index --trust" to take it over'
        ) from error


def _schema(opened: OpenedRoot) -> Schema:
    from coderag.sql.records import Schema

    return Schema() if opened.catalog is None else opened.catalog.schema()
