"""The snapshot that a call began with, as its callers see it: what every query of an index is answered from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from coderag.api.snapshot import Snapshot
from coderag.api.snapshot_view import SnapshotView
from coderag.errors import AccessError
from coderag.limits import ITEMS, checked_list
from coderag.record import record, replaced
from coderag.search.query.embed import question_vector
from coderag.search.state import Sources

if TYPE_CHECKING:
    from coderag.api.roots import Root
    from coderag.graph.graph import Graph
    from coderag.index.catalog.catalog import Catalog
    from coderag.index.reader.corpus import Corpus
    from coderag.index.storage.arrays.arrays import Array

__all__ = ["PinnedSnapshot"]


@record
class PinnedSnapshot:
    """A snapshot that no update replaces while a query is answered, and the graphs that answer."""

    snapshot: Snapshot | SnapshotView
    callers: tuple[frozenset[str], ...] = ()  # the snapshot is the intersection of what their groups see; (): all
    stored_graph: bool = False  # no graph is built: the stored ones answer, however old they are

    @property
    def roots(self) -> tuple[Root, ...]:
        """The roots, in the order given."""
        return self.snapshot.roots

    @property
    def corpus(self) -> Corpus:
        """The chunks that can be found."""
        return self.snapshot.corpus

    @property
    def catalog(self) -> Catalog:
        """The schemas of all roots as one catalog."""
        return self.snapshot.catalog

    def sources(self) -> Sources:
        """Return what a search reads, each part when it is needed."""
        snapshot = self.snapshot
        return Sources(
            corpus=snapshot.corpus,
            encoder=lambda: snapshot.encoder,
            catalogs=lambda: snapshot.catalogs,
            graphs=lambda: snapshot.relations,
            histories=lambda: snapshot.histories,
        )

    def vector(self, text: str) -> Array | None:
        """Return the vector of a query, None without an embedding model."""
        return question_vector(self.snapshot.encoder, text)

    def unit_vector(self, text: str) -> list[float] | None:
        """Return the vector of a query with unit length, None without an embedding model."""
        vector = self.vector(text)
        if vector is None or not (length := float(np.linalg.norm(vector))):
            return None
        normalised: list[float] = (vector / length).tolist()
        return normalised

    def states(self) -> tuple[str, ...]:
        """Return what tells the state of each index from any other, for all processes; () of what some groups see."""
        snapshot = self.snapshot
        return () if isinstance(snapshot, SnapshotView) else tuple(repr(root.manifest) for root in snapshot.opened)

    def graphs(self, repository: str = "") -> Mapping[str, Graph]:
        """Return the graphs by repository, or that of one; raises IndexDamagedError."""
        if self.stored_graph:
            graphs: Mapping[str, Graph] = self.snapshot.stored_graphs
        else:
            names = [root.repository for root in self.roots]
            graphs = dict(zip(names, self.snapshot.graphs(), strict=True))
        return {name: graph for name, graph in graphs.items() if repository in ("", name)}

    def seen_by(self, groups: Iterable[str]) -> PinnedSnapshot:
        """Return the part of it that callers of some groups see too; raises like `Index.as_seen_by`."""
        callers = (*self.callers, frozenset(checked_list(ITEMS, groups, name="groups")))
        return replaced(self, snapshot=self.snapshot.seen_by(callers), callers=callers, stored_graph=False)

    def whole(self, action: str) -> Snapshot:
        """Return the snapshot of the whole index; raises AccessError if this is what some callers see."""
        if isinstance(self.snapshot, SnapshotView):
            raise AccessError(f"only the whole index can {action}, not what some groups see of it")
        return self.snapshot
