"""A definition or table to the edges around it that say most: what it is part of, who uses it, what it uses, its tests.

Of a class the edges of its members count too. Hubs are damped: a logger that half of the program calls says nothing of
one caller, so what few things use comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.centrality import counted_nodes
from coderag.graph.queries.locations import TYPE_KINDS, VERBS, Location, in_test, location_of, with_members
from coderag.graph.records import EdgeKind, Node, NodeKind

__all__ = ["Neighbour", "neighbours_of"]

SHOWN = 3  # of each relation
PER_FILE = 2  # of those, from one file
HUB = 0.02  # the share of all definitions whose use of a thing makes it a hub
FEWEST_USERS = 25  # of a hub
OWNED = frozenset({*TYPE_KINDS, NodeKind.MODULE, NodeKind.EXTENSION, NodeKind.TABLE, NodeKind.VIEW})
# Which edges are told, in order; "in" are those that end at the thing.
ORDER: tuple[tuple[str, EdgeKind], ...] = (
    ("in", EdgeKind.CONTAINS),
    ("in", EdgeKind.ROUTES),
    ("in", EdgeKind.CALLS),
    ("out", EdgeKind.CALLS),
    ("out", EdgeKind.READS),
    ("out", EdgeKind.WRITES),
    ("out", EdgeKind.DELETES),
    ("out", EdgeKind.MAPS),
    ("out", EdgeKind.INHERITS),
    ("out", EdgeKind.IMPLEMENTS),
    ("in", EdgeKind.READS),
    ("in", EdgeKind.WRITES),
    ("in", EdgeKind.DELETES),
    ("in", EdgeKind.MAPS),
    ("in", EdgeKind.INHERITS),
    ("in", EdgeKind.IMPLEMENTS),
    ("out", EdgeKind.FOREIGN_KEY),
    ("in", EdgeKind.FOREIGN_KEY),
    ("in", EdgeKind.TESTS),
)
NO_NEIGHBOURS = (NodeKind.FILE, NodeKind.COLUMN, NodeKind.FIELD)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An edge at the thing asked about, or at a member of it."""

    source: Location
    verb: str  # "calls", "reads"
    target: Location
    path: str  # where it is written
    line: int
    candidates: int = 0  # it means one of so many, where that is not certain


def neighbours_of(graph: Graph, node: Node, *, shown: int = SHOWN) -> list[Neighbour]:
    """Return the edges around a node that say most of it, at most `shown` of each relation, in a fixed order."""
    own = with_members(graph, node) if node.kind in OWNED else [node.number]
    found: list[Neighbour] = []
    for direction, kind in ORDER:
        edges = _edges(graph, own, kind, inward=direction == "in")
        found += [_neighbour(graph, edge, kind) for edge in _best(graph, edges, inward=direction == "in", shown=shown)]
    return found


def _edges(graph: Graph, own: Sequence[int], kind: EdgeKind, *, inward: bool) -> Iterator[int]:
    """Yield the edges of a kind that lead from the thing to others, or from others to it."""
    code, inside = EDGE_KINDS.index(kind), set(own)
    for node in own[:1] if kind is EdgeKind.CONTAINS else own:
        for edge in graph.in_edges(node) if inward else graph.out_edges(node):
            other = int((graph.edge_source if inward else graph.edge_target)[edge])
            if graph.edge_kind[edge] != code or other in inside:
                continue
            if NODE_KINDS[graph.node_kind[other]] in NO_NEIGHBOURS:
                continue
            if kind is EdgeKind.TESTS or not in_test(graph, other):
                yield edge


def _best(graph: Graph, edges: Iterable[int], *, inward: bool, shown: int) -> list[int]:
    """Return the edges that say most: the surest, to what few things use, of many files."""
    ends = graph.edge_source if inward else graph.edge_target
    first: dict[int, int] = {}
    for edge in edges:
        other = int(ends[edge])
        if other not in first or graph.edge_candidates[edge] < graph.edge_candidates[first[other]]:
            first[other] = edge
    if not first:
        return []
    counted, ranks = counted_nodes(graph), graph.arrays.get("node_rank")
    most = max(HUB * len(graph), FEWEST_USERS)

    def worth(other: int) -> tuple[bool, bool, bool, float, int]:
        users = len(graph.in_edges(other))
        rank = 0.0 if ranks is None else float(ranks[other])
        value = rank if inward else rank / np.log2(2 + users)
        return not counted[other], int(graph.edge_candidates[first[other]]) > 1, users > most, -value, other

    kept: list[int] = []
    of_file: dict[int, int] = {}
    for other in sorted(first, key=worth):
        file = int(graph.node_file[other])
        if file >= 0 and of_file.get(file, 0) >= PER_FILE:
            continue
        of_file[file] = of_file.get(file, 0) + 1
        kept.append(first[other])
        if len(kept) == shown:
            break
    return kept


def _neighbour(graph: Graph, number: int, kind: EdgeKind) -> Neighbour:
    edge = graph.edge(number)
    source, target = location_of(graph.node(edge.source)), location_of(graph.node(edge.target))
    # What contains another is told at the other, whose line is the sharper place.
    place = target if kind is EdgeKind.CONTAINS else source
    path, line = (edge.path, edge.line) if edge.path and edge.line else (place.path, place.line)
    return Neighbour(source, VERBS[kind], target, path, line, edge.candidates if edge.candidates > 1 else 0)
