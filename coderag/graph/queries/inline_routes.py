"""Routes whose handler has no name: what they do are edges of their own, and their file does more than that."""

from __future__ import annotations

from coderag.graph.graph import EDGE_CODES, Graph
from coderag.graph.records import EdgeKind

__all__ = ["is_inline"]

ROUTES = EDGE_CODES[EdgeKind.ROUTES]


def is_inline(graph: Graph, edge: int) -> bool:
    """Tell whether an edge leads from a route to the file or function around its handler, which has no name."""
    if graph.edge_kind[edge] != ROUTES:
        return False
    out = graph.out_edges(int(graph.edge_source[edge]))
    return bool((graph.edge_kind[out.start : out.stop] != ROUTES).any())
