"""A definition to its close relations in brief: who calls it, what it reads and writes, what answers with it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.locations import certainty_share
from coderag.graph.records import Certainty, EdgeKind, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import ranges
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

    def nodes(self, files: Sequence[int], first_rows: Sequence[int], last_rows: Sequence[int]) -> list[int | None]:
        """Return the nodes of some definitions by their files and their rows, 0-based; None where there is none."""
        graph, own, first, last = self.graph, np.array(files, int), np.array(first_rows), np.array(last_rows)
        starts = np.append(self._files, len(graph))
        nodes, asked = ranges(starts[own] + 1, starts[own + 1])
        same = (graph.arrays["node_first"][nodes] == first[asked]) & (graph.arrays["node_last"][nodes] == last[asked])
        same &= graph.node_file[nodes] == own[asked]
        found: list[int | None] = [None] * len(own)
        for node, place in zip(nodes[same][::-1].tolist(), asked[same][::-1].tolist(), strict=True):
            found[place] = node  # in the end the first of those with the same rows
        return found

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

    def of(self, nodes: Sequence[int]) -> list[tuple[Relation, ...]]:
        """Return the relations of each of some nodes, the surest three of each kind."""
        edges, of_node, others, codes = self._edges(np.array(nodes, int))
        candidates = self.graph.edge_candidates[edges]
        order = np.lexsort((np.arange(len(edges)), self._behind[others], candidates, codes, of_node))
        found: list[list[Relation]] = [[] for _ in nodes]
        columns = (column[order].tolist() for column in (of_node, codes, others, candidates))
        for (at, code), group in groupby(zip(*columns, strict=True), key=itemgetter(0, 1)):
            ends = [(other, sure) for _, _, other, sure in group]
            brief = BRIEF
            if code == TESTED_CODE:  # one that calls it may be tied to it as its test too
                ends, brief = _each_once(ends), BRIEF_TESTS
            for other, sure in ends[:brief]:
                name, path, line = self.graph.location(other)
                found[at].append(Relation(ORDER[code - 1], name, path, line, SURE[min(sure, 2)], total=len(ends)))
        return [tuple(relations) for relations in found]

    def _edges(self, nodes: Array) -> tuple[Array, Array, Array, Array]:
        """Return the edges of some nodes that are relations.

        Of each its number, the position of the node, the node at its other end, and the relation: a position in ORDER
        and 1.
        """
        graph = self.graph
        inward, target_of = ranges(*graph.edge_bounds("in", nodes))
        outward, source_of = ranges(*graph.edge_bounds("out", nodes))
        inward = graph.arrays["in_edges"][inward]
        edges = np.concatenate([inward, outward])
        kinds = graph.edge_kind[edges]
        codes = np.concatenate([self._inward[kinds[: len(inward)]], self._outward[kinds[len(inward) :]]])
        others = np.concatenate([graph.edge_source[inward], graph.edge_target[outward]])
        own = np.concatenate([target_of, source_of])
        told = np.flatnonzero((codes > 0) & (graph.node_kind[others] != self._column))  # their tables say it
        edges, own, others, codes = edges[told], own[told], others[told], codes[told]
        codes[(codes == CALLED_CODE) & self._test[others]] = TESTED_CODE
        return edges, own, others, codes

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


def _each_once(ends: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the first of the pairs of each number."""
    firsts: dict[int, int] = {}
    for other, sure in ends:
        firsts.setdefault(other, sure)
    return list(firsts.items())


def _named(words: dict[EdgeKind, str]) -> Array:
    """Return which relation each kind of edge is: a position in ORDER and 1, 0 for none."""
    return np.array([ORDER.index(words[kind]) + 1 if kind in words else 0 for kind in EDGE_KINDS], np.uint8)
