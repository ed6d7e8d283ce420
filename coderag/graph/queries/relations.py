"""A definition to its close relations in brief: who calls it, what it reads and writes, what answers with it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.locations import certainty_share
from coderag.graph.records import Certainty, EdgeKind, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import LABELS
from coderag.types import Relation

__all__ = ["Relations"]

BRIEF, BRIEF_TESTS = 3, 1  # of each kind, and of tests
TEST = 1 << LABELS.index("test")
BEHIND = sum(1 << LABELS.index(one) for one in ("test", "example", "generated", "vendored", "legacy"))
# How the edges of a definition are called, those that end at it and those that start there.
INWARD = {
    EdgeKind.CALLS: "called by",
    EdgeKind.READS: "read by",
    EdgeKind.WRITES: "written by",
    EdgeKind.DELETES: "deleted by",
    EdgeKind.ROUTES: "handles",
    EdgeKind.TESTS: "tested by",
}
OUTWARD = {
    EdgeKind.READS: "reads",
    EdgeKind.WRITES: "writes",
    EdgeKind.DELETES: "deletes from",
    EdgeKind.MAPS: "maps to",
    EdgeKind.DERIVES: "derives from",
}
TESTED = INWARD[EdgeKind.TESTS]  # and what tests call
ORDER = (*INWARD.values(), *OUTWARD.values())
CALLED_CODE, TESTED_CODE = ORDER.index(INWARD[EdgeKind.CALLS]) + 1, ORDER.index(TESTED) + 1
SURE = tuple(map(str, Certainty))  # by how many candidates there are: none, one, several
TABLES = (NodeKind.TABLE, NodeKind.VIEW)
# Over which edges something is a neighbour worth showing by itself.
NEAR = frozenset({*INWARD, *OUTWARD, EdgeKind.OVERRIDES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.FOREIGN_KEY})


class Relations:
    """The relations of what one graph holds; files are in the order of their paths, as an index stores them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._column = NODE_KINDS.index(NodeKind.COLUMN)
        self._inward = _named(INWARD)
        self._outward = _named(OUTWARD)
        self._found: dict[str, tuple[int, bytes]] = {}  # number and hash of files by path

    @cached_property
    def _files(self) -> Array:
        """The node of each file, i64[files]."""
        return np.flatnonzero(self.graph.node_kind == NODE_KINDS.index(NodeKind.FILE))

    @cached_property
    def _test(self) -> Array:
        """Which nodes are of tests, bool[nodes]."""
        labels = np.append(self.graph.arrays["file_labels"], np.uint8(0))  # for a file of -1
        test: Array = (labels[self.graph.node_file] & TEST) > 0
        return test

    @cached_property
    def _behind(self) -> Array:
        """Which nodes are of tests and of what nobody here wrote, bool[nodes]."""
        labels = np.append(self.graph.arrays["file_labels"], np.uint8(0))  # for a file of -1
        behind: Array = (labels[self.graph.node_file] & BEHIND) > 0
        return behind

    def file(self, path: str, blob: bytes) -> int | None:
        """Return the number of a file whose content is still that of the graph, else None."""
        found = self._found.get(path) or self._find(path)
        if found is None:
            return None
        number, own = self._found[path] = found
        return number if own == blob else None

    def _find(self, path: str) -> tuple[int, bytes] | None:
        paths = self.graph.paths
        number = bisect_left(paths, path, 0, len(paths))
        if number == len(paths) or paths[number] != path:
            return None
        return number, bytes(self.graph.arrays["file_blob"][number])

    def node(self, file: int, first_row: int, last_row: int) -> int | None:
        """Return the node of a definition by its rows, 0-based."""
        start = int(self._files[file]) + 1
        end = int(self._files[file + 1]) if file + 1 < len(self._files) else len(self.graph)
        first, last = self.graph.arrays["node_first"][start:end], self.graph.arrays["node_last"][start:end]
        own = self.graph.node_file[start:end] == file
        found = np.flatnonzero(own & (first == first_row) & (last == last_row))
        if not len(found):
            return None
        return start + int(found[0])

    def table(self, file: int, name: str) -> int | None:
        """Return the table or view of a name that a file declares."""
        codes = [NODE_KINDS.index(kind) for kind in TABLES]
        home = int(self._files[file])
        for node in self.graph.named(name):
            if self.graph.node_kind[node] in codes:
                declared = (edge.source == home for edge in self.graph.edges_to(node, (EdgeKind.DEFINES,)))
                if int(self.graph.node_file[node]) == file or any(declared):
                    return node
        return None

    def of(self, node: int) -> tuple[Relation, ...]:
        """Return the relations of a node, the surest three of each kind."""
        graph = self.graph
        starts = graph.arrays["in_starts"]
        inward = graph.arrays["in_edges"][int(starts[node]) : int(starts[node + 1])]
        edges = graph.out_edges(node)
        outward = np.arange(edges.start, edges.stop)
        relations = [
            *self._side(inward, self._inward, graph.edge_source),
            *self._side(outward, self._outward, graph.edge_target),
        ]
        return tuple(relations)

    def _side(self, edges: Array, names: Array, ends: Array) -> Iterator[Relation]:
        """Yield the relations on one side of a node."""
        if not len(edges):
            return
        graph = self.graph
        codes = names[graph.edge_kind[edges]]
        if not codes.any():
            return
        others = ends[edges]
        codes = np.where((codes == CALLED_CODE) & self._test[others], TESTED_CODE, codes)
        kinds = graph.node_kind[others]
        codes[kinds == self._column] = 0  # their tables say it
        for code in sorted(set(codes[codes > 0].tolist())):
            chosen = np.flatnonzero(codes == code)
            order = np.lexsort((chosen, self._behind[others[chosen]], graph.edge_candidates[edges[chosen]]))
            if code == TESTED_CODE:  # one that calls it may be tied to it as its test too
                chosen = chosen[order]
                chosen = chosen[np.sort(np.unique(others[chosen], return_index=True)[1])]
                order = np.arange(len(chosen))
            brief = BRIEF if code != TESTED_CODE else BRIEF_TESTS
            for at in chosen[order[:brief]].tolist():
                node, candidates = graph.node(int(others[at])), int(graph.edge_candidates[edges[at]])
                yield Relation(
                    kind=ORDER[code - 1],
                    name=node.qualified_name,
                    path=node.path,
                    line=node.row,
                    certainty=SURE[min(candidates, 2)],
                    total=len(chosen),
                )

    def near(self, node: int) -> Iterator[tuple[float, int, str]]:
        """Yield the neighbours of a node that are sure: how sure, which, and how the node stands to it in words."""
        graph = self.graph
        name = graph.node(node).qualified_name
        for edges, ends, words in (
            (graph.in_edges(node), graph.edge_source, {**dict.fromkeys(NEAR, "uses"), EdgeKind.CALLS: "calls"}),
            (
                graph.out_edges(node),
                graph.edge_target,
                {**dict.fromkeys(NEAR, "is used by"), EdgeKind.CALLS: "is called by"},
            ),
        ):
            for edge in edges:
                kind, candidates = EDGE_KINDS[graph.edge_kind[edge]], int(graph.edge_candidates[edge])
                other = int(ends[edge])
                if kind in NEAR and candidates < 2 and not self._behind[other]:
                    yield certainty_share(candidates), other, f"{words[kind]} {name}"

    def tables_named(self, words: Iterable[str]) -> list[int]:
        """Return the tables and views that some words are the names of."""
        codes = [NODE_KINDS.index(kind) for kind in TABLES]
        found = [node for word in words for node in self.graph.named(word) if self.graph.node_kind[node] in codes]
        return list(dict.fromkeys(found))


def _named(words: dict[EdgeKind, str]) -> Array:
    """Return which relation each kind of edge is: a position in ORDER and 1, 0 for none."""
    return np.array([ORDER.index(words[kind]) + 1 if kind in words else 0 for kind in EDGE_KINDS], np.uint8)
