"""A place in code that touches data, and the edges from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from coderag.graph.graph import GraphDraft
from coderag.graph.records import EdgeKind
from coderag.sql.in_code.records import Access

__all__ = ["EDGE_OF", "MAX_CANDIDATES", "ROWS_OF", "Found", "Names", "Touch"]

EDGE_OF = {
    Access.READ: EdgeKind.READS,
    Access.WRITE: EdgeKind.WRITES,
    Access.DELETE: EdgeKind.DELETES,
    Access.DEFINE: EdgeKind.DEFINES,
}
ROWS_OF = {EdgeKind.READS: EdgeKind.READS_ROWS, EdgeKind.WRITES: EdgeKind.WRITES_ROWS}  # of whole rows
MAX_CANDIDATES = 8  # tables that a name may mean; with more, nothing is said


class Found(Protocol):
    """Definitions that a name may mean, as (file, position) pairs, and how many of them it may be; 0: resolved."""

    @property
    def definitions(self) -> Sequence[tuple[int, int]]:
        """The definitions."""

    @property
    def candidates(self) -> int:
        """How sure they are, as Edge.candidates says it."""


class Names(Protocol):
    """What resolves names of code."""

    def definitions_of(self, file: int, owner: int, written: str) -> Found:
        """Return what a dotted name as written in a definition of a file means."""

    def bases_of(self, node: int) -> Sequence[int]:
        """Return what a class inherits from, the nearest first."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A place that touches data, and how sure it is that it does: the candidates of the way to it."""

    draft: GraphDraft
    node: int
    file: int
    row: int
    candidates: int = 0

    def edge(self, target: int, kind: EdgeKind, candidates: int = 0) -> None:
        """Add an edge from here; it is no surer than the way here."""
        self.draft.add_edge(
            self.node, target, kind, candidates=max(candidates, self.candidates), file=self.file, row=self.row
        )

    def edges(self, targets: Sequence[int], kind: EdgeKind) -> None:
        """Add an edge to each of several nodes of which one is meant; to none where they are too many."""
        if len(targets) <= MAX_CANDIDATES:
            for target in targets:
                self.edge(target, kind, 0 if len(targets) == 1 else len(targets))

    def note(self, text: str) -> None:
        """Say what cannot be resolved here."""
        self.draft.add_note(self.node, text, file=self.file, row=self.row)
