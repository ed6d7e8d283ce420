"""Nested functions to the functions around them that run them: what an inner function reads, the outer one reads.

async def get_room_count(self):
    def count(txn):
        txn.execute("SELECT count(*) FROM rooms")      count reads rooms, and so does get_room_count
    return await self.pool.run(count)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.records import EdgeKind, NodeKind

__all__ = ["with_functions_around"]

MAX_DEPTH = 4  # functions in functions
FUNCTIONS = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})
NAMING = frozenset({EdgeKind.CALLS, EdgeKind.REFERENCES})


def with_functions_around(graph: Graph, others: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """Return edges by the node at their other end, those of nested functions also by the functions that name them."""
    found = dict(others)
    for node, positions in others.items():
        for outer in _outwards(graph, node):
            if outer in others:
                break  # it has a place of its own
            found[outer] = [*found.get(outer, ()), *positions]
    return found


def _outwards(graph: Graph, node: int) -> Iterator[int]:
    for _ in range(MAX_DEPTH):
        if NODE_KINDS[graph.node_kind[node]] not in FUNCTIONS:
            return
        edges = [(int(graph.edge_source[at]), EDGE_KINDS[graph.edge_kind[at]]) for at in graph.in_edges(node)]
        outer = next((source for source, kind in edges if kind is EdgeKind.CONTAINS), None)
        if outer is None or NODE_KINDS[graph.node_kind[outer]] not in FUNCTIONS:
            return
        if not any(source == outer and kind in NAMING for source, kind in edges):
            return
        yield outer
        node = outer
