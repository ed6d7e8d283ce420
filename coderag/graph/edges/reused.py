"""Edges between files' code that an earlier graph has, for the files in which every name means what it meant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coderag.graph.graph import EDGE_CODES
from coderag.graph.records import EdgeKind
from coderag.index.storage.arrays.arrays import Array

__all__ = ["NO_EDGES", "REUSED_KINDS", "CodeEdges", "ReusedEdges"]

# What a file's own mentions and imports make, and nothing else does between two nodes of code.
REUSED_KINDS = tuple(
    EDGE_CODES[kind] for kind in (EdgeKind.IMPORTS, EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.DOCUMENTS)
)
NOTHING = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class CodeEdges:
    """Edges as arrays, those of a file in order of their rows."""

    source: Array
    target: Array
    kind: Array  # codes: positions in EDGE_KINDS
    candidates: Array
    file: Array
    row: Array

    def and_then(self, other: CodeEdges) -> CodeEdges:
        """Return these edges with others behind them."""
        if not len(other.source):
            return self  # of a whole graph, where a copy would be large
        return CodeEdges(
            np.concatenate([self.source, other.source]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.kind, other.kind]),
            np.concatenate([self.candidates, other.candidates]),
            np.concatenate([self.file, other.file]),
            np.concatenate([self.row, other.row]),
        )


NO_EDGES = CodeEdges(NOTHING, NOTHING, np.empty(0, np.uint8), NOTHING, NOTHING, NOTHING)


@dataclass(frozen=True, slots=True)
class ReusedEdges:
    """What needs no resolving: the edges of all files but these."""

    resolved: frozenset[int]  # numbers of the files whose names are resolved again
    edges: CodeEdges
