"""What callers of some groups see of a snapshot: it answers like the snapshot, as if the rest were not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from coderag.api.roots import Root
from coderag.index.reader.corpus import Corpus
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.snapshot import Snapshot
    from coderag.encoders.encoder import Encoder
    from coderag.graph.access_graphs import SeenGraphs
    from coderag.graph.graph import Graph
    from coderag.graph.queries.relations import Relations
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.history.history import History
    from coderag.index.reader.access_control import Denied
    from coderag.index.reader.access_view import AccessView
    from coderag.index.reader.status import Status
    from coderag.relational.database import RelationalDatabase

__all__ = ["GraphState", "SnapshotView"]

Found = TypeVar("Found")
HIDDEN = "its history is for those who may see all files"


@record
class GraphState:
    """What is stored of the graphs of some roots."""

    is_stored: bool = False  # of each root, though it may be older than the index
    is_current: bool = False  # and of the files as they are indexed
    made: float = 0.0  # when the oldest one was, in seconds since 1970
    seconds: float = 0.0  # that making them took


@dataclass(frozen=True, eq=False)
class SnapshotView:
    """A snapshot without what some rules hide."""

    whole: Snapshot
    view: AccessView
    databases_of_tables: dict[bool, RelationalDatabase] = field(default_factory=dict, repr=False)  # as of a Snapshot

    @classmethod
    def of(cls, whole: Snapshot, denied: Sequence[tuple[Denied, ...]]) -> SnapshotView:
        """Return a snapshot as those see it who do not meet some rules of each root; raises IndexDamagedError."""
        from coderag.index.reader.access_view import AccessView  # who sees all needs none of it

        return cls(whole, AccessView(whole.opened, whole.corpus, denied=denied))

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self.whole.roots

    @property
    def corpus(self) -> Corpus:
        """The chunks that are seen."""
        return self.view.corpus

    @property
    def catalogs(self) -> Mapping[str, Catalog]:
        """The catalogs of the roots that have any, by repository."""
        return self.view.catalogs

    @property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog."""
        return self.view.catalog

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of all roots' vectors, None if they have none, or not the same."""
        return self.whole.encoder

    @cached_property
    def _graphs(self) -> SeenGraphs:
        from coderag.graph.access_graphs import SeenGraphs

        return SeenGraphs(self.view.roots)

    def graphs(self, *, making: object = None, waiting: object = None) -> tuple[Graph, ...]:
        """Return the graph of each root, exactly that of the files that are seen; raises IndexDamagedError.

        Nothing is said of the whole index meanwhile.
        """
        del making, waiting
        return self._graphs.current()

    @property
    def graph_state(self) -> GraphState:
        """What is stored: nothing, as the graphs of what is seen are made when they are asked for."""
        return GraphState()

    @property
    def stored_graphs(self) -> Mapping[str, Graph]:
        """No graphs: the stored ones contain what is hidden."""
        return {}

    @property
    def relations(self) -> Mapping[str, Relations]:
        """The neighbours of hits, by repository, by the graphs of what is seen; {} if there are no graphs."""
        return self._graphs.relations(lambda: self.whole.stored_graphs) if self.whole.has_stored_graphs else {}

    @property
    def histories(self) -> Mapping[str, History]:
        """The histories of the roots that are seen whole: a subject may describe any file that its commit changed."""
        return self._of_whole_roots(self.whole.histories)

    def read_histories(self) -> Mapping[str, History]:
        """Return the same, read on where a repository has new commits; raises IndexDamagedError."""
        return self._of_whole_roots(self.whole.read_histories() if self._whole_roots else {})

    def missing_histories(self) -> dict[str, str]:
        """Return why a root has no history, by repository, of those that have none here."""
        why = self.whole.missing_histories() if self._whole_roots else {}
        hidden = [root.manifest.repository for root in self.view.roots if not root.sight.is_whole]
        return dict(self._of_whole_roots(why)) | dict.fromkeys(hidden, HIDDEN)

    @property
    def _whole_roots(self) -> set[str]:
        return {root.manifest.repository for root in self.view.roots if root.sight.is_whole}

    def _of_whole_roots(self, by_repository: Mapping[str, Found]) -> Mapping[str, Found]:
        return {name: value for name, value in by_repository.items() if name in self._whole_roots}

    @property
    def databases(self) -> list[str]:
        """The addresses of the databases whose schema was read, without credentials."""
        return [snapshot.name for root in self.view.roots for snapshot in root.snapshots]

    def status(self, *, compare: bool, schema: bool) -> list[Status]:
        """Return what is indexed of each root; with `compare`, also how its files have changed since."""
        still = self.whole.is_still
        return [root.status(compare=compare, is_unchanged=still, schema=schema) for root in self.view.roots]

    def verify(self) -> None:
        """Compare every byte of what was opened with its checksum; raises IndexDamagedError."""
        self.whole.verify()
        self._graphs.verify()

    def seen_by(self, callers: Sequence[frozenset[str]]) -> SnapshotView:
        """Return the intersection of what callers of some groups see of the whole snapshot."""
        return self.whole.seen_by(callers)
