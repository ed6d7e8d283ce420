"""A definition to what it calls, reads and writes: data also through what it calls, the nearest first.

Of a class or module what its members do counts. A way goes over calls that are certain, so the definition leads to each
table that is named here, though a condition on the way may not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from coderag.graph.graph import EDGE_KINDS, Graph
from coderag.graph.queries.locations import TYPE_KINDS, VERBS, Location, in_test, location_of, with_members
from coderag.graph.records import EdgeKind, Node, NodeKind

__all__ = ["DATA_EDGES", "Outgoing", "outgoing_of"]

DATA_EDGES = frozenset({EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES})
STORES = frozenset({NodeKind.TABLE, NodeKind.VIEW})
WHOLE = frozenset({*TYPE_KINDS, NodeKind.MODULE, NodeKind.EXTENSION})
DEPTH = 4  # calls on the way to data
MOST_NODES = 2_000  # that are looked at


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An edge from a definition, from a member of it, or from what it calls."""

    source: Location
    verb: str  # "calls", "writes"
    target: Location
    path: str  # where it is written
    line: int
    distance: int = 0  # calls from the definition to the source
    candidates: int = 0  # it means one of so many, where that is not certain


def outgoing_of(graph: Graph, node: Node, kinds: Collection[EdgeKind]) -> list[Outgoing]:
    """Return the edges of some kinds that lead away from a node, each target once, the nearest and surest first."""
    own = with_members(graph, node) if node.kind in WHOLE else [node.number]
    found: dict[tuple[EdgeKind, int], tuple[int, int]] = {}  # what is done to what: the edge, and its distance
    for kind, edge in _edges(graph, own, kinds, inside=frozenset(own)):
        key = kind, int(graph.edge_target[edge])
        if key not in found or graph.edge_candidates[edge] < graph.edge_candidates[found[key][0]]:
            found[key] = edge, 0
    if data := frozenset(kinds) & DATA_EDGES:
        for distance, several in _called(graph, own):
            for kind, edge in _edges(graph, several, data, inside=frozenset()):
                if graph.edge_candidates[edge] <= 1:
                    found.setdefault((kind, int(graph.edge_target[edge])), (edge, distance))
    return [_told(graph, edge, kind, distance) for (kind, _), (edge, distance) in found.items()]


def _edges(
    graph: Graph, nodes: Sequence[int], kinds: Collection[EdgeKind], *, inside: frozenset[int]
) -> Iterator[tuple[EdgeKind, int]]:
    """Yield the edges of some kinds from nodes to others; of data those to tables and views."""
    for node in nodes:
        for edge in graph.out_edges(node):
            kind, target = EDGE_KINDS[graph.edge_kind[edge]], int(graph.edge_target[edge])
            if kind not in kinds or target in inside:
                continue
            if kind not in DATA_EDGES or graph.node(target).kind in STORES:
                yield kind, edge


def _called(graph: Graph, own: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield what is called for certain, by its distance; nothing of tests."""
    seen, here = set(own), list(own)
    for distance in range(1, DEPTH + 1):
        reached = (
            int(graph.edge_target[edge])
            for node in here
            for edge in graph.out_edges(node)
            if EDGE_KINDS[graph.edge_kind[edge]] is EdgeKind.CALLS and graph.edge_candidates[edge] == 0
        )
        here = [node for node in dict.fromkeys(reached) if node not in seen and not in_test(graph, node)]
        seen.update(here)
        if not here or len(seen) > MOST_NODES:
            return
        yield distance, here


def _told(graph: Graph, number: int, kind: EdgeKind, distance: int) -> Outgoing:
    edge = graph.edge(number)
    source, target = location_of(graph.node(edge.source)), location_of(graph.node(edge.target))
    path, line = (edge.path, edge.line) if edge.path and edge.line else (source.path, source.line)
    return Outgoing(source, VERBS[kind], target, path, line, distance, edge.candidates if edge.candidates > 1 else 0)
