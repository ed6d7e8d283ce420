"""Edges of a graph as lines that a test can read."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind

__all__ = ["edges_of", "tables_used"]


def edges_of(graph: Graph, *kinds: EdgeKind) -> set[str]:
    """Return edges of some kinds as "source -kind> target", with " ?n" where they are not resolved."""
    found = set()
    for number in range(len(graph)):
        for edge in graph.edges_from(number, kinds):
            sure = f" ?{edge.candidates}" if edge.candidates else ""
            source, target = graph.node(edge.source), graph.node(edge.target)
            found.add(f"{source.qualified_name} -{edge.kind}> {target.qualified_name}{sure}")
    return found


def tables_used(graph: Graph, name: str, kinds: Iterable[EdgeKind]) -> set[str]:
    """Return what the definitions of a name read, write, delete from or define, as "kind target"."""
    return {
        f"{edge.kind} {graph.node(edge.target).qualified_name}"
        for node in graph.named(name)
        for edge in graph.edges_from(node, tuple(kinds))
    }
