"""Nodes and what is around them to a drawing: the nearest and those that matter most, with the edges between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.centrality import importance
from coderag.graph.queries.locations import VERBS, Location, in_test, location_of
from coderag.graph.records import EdgeKind, NodeKind

__all__ = ["Drawing", "Line", "neighbourhood"]

HUB_CALLERS = 60  # what so many call, a logger or a getter of settings, says little of each of them
MAX_LOOKED_AT = 2_000  # neighbours of one node
# What says little in a picture: a file holds its definitions, documents and imports are everywhere.
LEFT_OUT = frozenset({EdgeKind.CONTAINS, EdgeKind.IMPORTS, EdgeKind.DOCUMENTS, EdgeKind.DEFINES, EdgeKind.ALTERS})
QUIET_KINDS = frozenset({NodeKind.FILE, NodeKind.SECTION, NodeKind.BLOCK, NodeKind.CELL})
WORTH_NAMING = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CONSTANT, NodeKind.QUERY, NodeKind.TABLE})
CALLED = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CONSTANT, NodeKind.MACRO})
OF_OWNER = frozenset({NodeKind.COLUMN, NodeKind.FIELD})  # they stand for what they are in, unless asked for


@dataclass(frozen=True, slots=True)
class Line:
    """What ties two spots of a drawing, by their positions in it; of several ties the words of all."""

    source: int
    target: int
    kinds: tuple[EdgeKind, ...]
    candidates: int  # of the surest: 0 resolved, 1 by its name alone, n one of n
    path: str
    line: int

    @property
    def label(self) -> str:
        """What the source does to the target."""
        return ", ".join(VERBS[kind] for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Spots and the lines between them; those that were asked for come first."""

    spots: tuple[Location, ...]
    lines: tuple[Line, ...]
    asked: int  # how many of the first spots were asked for
    layers: tuple[int, ...]  # of each spot: below 0 it leads to those asked for, above 0 these lead to it
    left_out: int = 0  # further neighbours
    repository: str = ""


def neighbourhood(graph: Graph, seeds: Sequence[int], *, depth: int, k: int) -> Drawing:
    """Return some nodes with what is up to `depth` steps around them, at most `k` nodes."""
    stored = graph.arrays.get("node_rank")
    rank = importance(graph) if stored is None else stored
    start = list(dict.fromkeys(seeds))[:k]
    asked = set(start)
    layers = dict.fromkeys(start, 0)
    frontier, left_out = start, 0
    for _ in range(depth):
        found: dict[int, int] = {}
        for node in frontier:
            for other, step in _around(graph, node, asked, layer=layers[node]):
                if other not in layers and other not in found:
                    found[other] = layers[node] + step
        order = sorted(found, key=lambda one: (in_test(graph, one), _is_hub(graph, one), -float(rank[one]), one))
        room = k - len(layers)
        left_out += max(len(order) - room, 0)
        frontier = order[:room]
        layers |= {one: found[one] for one in frontier}
    nodes = list(layers)
    return Drawing(
        spots=tuple(location_of(graph.node(one)) for one in nodes),
        lines=tuple(_lines(graph, layers, asked)),
        asked=len(start),
        layers=tuple(layers.values()),
        left_out=left_out,
    )


def _is_hub(graph: Graph, node: int) -> bool:
    """Tell whether a function is called from everywhere; of tables that is what people look for."""
    return NODE_KINDS[graph.node_kind[node]] in CALLED and len(graph.in_edges(node)) > HUB_CALLERS


def _around(graph: Graph, node: int, asked: set[int], *, layer: int) -> Iterator[tuple[int, int]]:
    """Yield the neighbours of a node, each with 1 where the node leads to it and -1 where it leads to the node.

    From what leads to those asked for it goes on to what leads there, and never back, or a table would bring
    everything connected with any other.
    """
    if layer >= 0:
        for edge in _own_edges(graph, node, asked, outward=True):
            yield _shown(graph, int(graph.edge_target[edge]), asked), 1
    if layer <= 0:
        for edge in _own_edges(graph, node, asked, outward=False):
            yield _shown(graph, int(graph.edge_source[edge]), asked), -1


def _own_edges(graph: Graph, node: int, asked: set[int], *, outward: bool) -> Iterator[int]:
    """Yield the edges of a node and of the members that it stands for, as far as they are drawn."""
    quiet = [NODE_KINDS.index(kind) for kind in QUIET_KINDS]
    for one in (node, *_members(graph, node, asked)):
        edges = graph.out_edges(one) if outward else graph.in_edges(one)
        for edge in edges[:MAX_LOOKED_AT]:
            other = int((graph.edge_target if outward else graph.edge_source)[edge])
            kind = EDGE_KINDS[graph.edge_kind[edge]]
            drawn = kind not in LEFT_OUT
            if kind is EdgeKind.REFERENCES:  # types and their members are named everywhere
                drawn = NODE_KINDS[graph.node_kind[int(graph.edge_target[edge])]] in WORTH_NAMING
            if drawn and (other in asked or int(graph.node_kind[other]) not in quiet):
                yield edge


def _members(graph: Graph, node: int, asked: set[int]) -> list[int]:
    inside = [edge.target for edge in graph.edges_from(node, (EdgeKind.CONTAINS,))]
    return [one for one in inside if NODE_KINDS[graph.node_kind[one]] in OF_OWNER and one not in asked]


def _shown(graph: Graph, node: int, asked: set[int]) -> int:
    """Return the node that stands for one in a drawing."""
    if node in asked or NODE_KINDS[graph.node_kind[node]] not in OF_OWNER:
        return node
    owners = (edge.source for edge in graph.edges_to(node, (EdgeKind.CONTAINS,)))
    return next((owner for owner in owners if NODE_KINDS[graph.node_kind[owner]] is not NodeKind.FILE), node)


def _lines(graph: Graph, layers: Mapping[int, int], asked: set[int]) -> Iterator[Line]:
    """Yield the lines between nodes, those of one pair as one; of those that pass by what was asked for none."""
    position = {node: number for number, node in enumerate(layers)}
    ties: dict[tuple[int, int], list[int]] = {}
    for node in layers:
        for edge in _own_edges(graph, node, asked, outward=True):
            other = _shown(graph, int(graph.edge_target[edge]), asked)
            if other == node or other not in position:
                continue
            if abs(layers[node] - layers[other]) == 1 or node in asked or other in asked:
                ties.setdefault((position[node], position[other]), []).append(edge)
    for (source, target), edges in sorted(ties.items()):
        surest = graph.edge(min(edges, key=lambda one: (int(graph.edge_candidates[one]), one)))
        kinds = sorted({int(graph.edge_kind[one]) for one in edges})
        yield Line(
            source, target, tuple(EDGE_KINDS[code] for code in kinds), surest.candidates, surest.path, surest.line
        )
