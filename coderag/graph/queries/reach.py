"""Nodes that change, to what the change reaches: by distance and confidence.

What names a node itself is at distance 1. From there a change goes on to who calls, overrides, answers with, derives
from or maps what is affected. A way over an edge that is one of several candidates makes everything behind it
"possibly" affected. The confidence of a way is the product of those of its edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.inline_routes import is_inline
from coderag.graph.queries.locations import TYPE_KINDS, VERBS, Location, certainty_share, in_test, location_of
from coderag.graph.records import EdgeKind, NodeKind

__all__ = [
    "CONSTRUCTORS",
    "FUNCTIONS",
    "TEST_DEPTH",
    "Affected",
    "Reached",
    "affected_of",
    "is_run",
    "nearest",
    "reach",
]

TEST_DEPTH = 16  # how far tests are looked for
MAX_REACHED = 60_000  # nodes
DISPATCH = 0.8  # how likely a call of a base's method runs the one that overrides it
CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "<init>", "initialize", "init"})
SET_UPS = frozenset(
    """setup teardown setup_method teardown_method setup_class setup_module setUp tearDown setUpClass asyncSetUp
    setUpTestData before beforeEach before_each beforeAll after afterEach""".split()
)
FUNCTIONS = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})
FIELDS = frozenset({NodeKind.FIELD, NodeKind.CONSTANT})
USES = frozenset({EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES})
ROWS = frozenset({EdgeKind.READS_ROWS, EdgeKind.WRITES_ROWS})
BY_ROW = 0.3  # how likely code that takes whole rows uses a column: 16 of 48 functions did of one of saleor's
BY_FIELD = 0.8  # how likely code that uses a column does so by the field that is mapped to it


# What is at distance 1 of the node itself, by the kind of the edge that comes in.
NAMING = frozenset(EdgeKind) - {EdgeKind.CONTAINS, *ROWS}
# How a change goes on from what is affected.
GOING_ON = frozenset(
    {
        *(EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.ROUTES, EdgeKind.TESTS, EdgeKind.INHERITS),
        *(EdgeKind.DERIVES, EdgeKind.MAPS, EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES),
    }
)
ENDS = frozenset(
    {
        *(EdgeKind.IMPORTS, EdgeKind.DOCUMENTS, EdgeKind.DESCRIBES, EdgeKind.DEFINES, EdgeKind.ALTERS),
        EdgeKind.FOREIGN_KEY,  # the column that refers to it keeps its name, and so does what reads that
    }
)


@dataclass(frozen=True, slots=True)
class Affected:
    """Something that a change affects, and how the change comes to it."""

    spot: Location
    distance: int
    confidence: float  # 0..1
    path: str  # of the place where it touches what is affected before it
    line: int
    why: str  # "reads orders.total", "calls place_order"
    way: tuple[str, ...]  # the names from the node to this, both included
    by_rows: bool = False  # the way leads over code that takes whole rows and does not name the column


class Reached(NamedTuple):
    """How a node was reached; compared in this order, the least first."""

    doubtful: bool
    distance: int
    doubt: float  # 1 - confidence
    node: int
    before: int  # -1 at the start
    edge: int  # its position


def is_run(graph: Graph, node: int) -> bool:
    """Tell whether something in a file of tests is run by itself, and not to help or prepare what is."""
    name = graph.node(node).name
    if name.casefold().startswith("test"):
        return True
    if name in SET_UPS:
        return False
    if any(graph.node(edge.target).name == name for edge in graph.edges_from(node, (EdgeKind.CALLS, EdgeKind.TESTS))):
        return True  # it is called after what it tests, and that is what calls of the name mean
    edges = graph.in_edges(node)
    return not any(EDGE_KINDS[graph.edge_kind[one]] is EdgeKind.CALLS for one in edges)


def nearest(one: Affected) -> tuple[int, float, str, int, str]:
    """Return what the affected are sorted by."""
    return one.distance, -one.confidence, one.path, one.line, one.spot.name


def reach(
    graph: Graph, starts: Iterable[int], *, depth: int, keeping: Collection[int] = frozenset()
) -> dict[int, Reached]:
    """Return how each node is reached best: without doubt before any that is doubtful, then the nearest.

    Starts that are `keeping` their names and parameters change only what they do, which is nothing to imports and
    documents.
    """
    queue = [Reached(False, 0, 0.0, node, -1, -1) for node in starts]
    done: dict[int, Reached] = {}
    while queue and len(done) < MAX_REACHED:
        here = heappop(queue)
        if here.node in done:
            continue
        done[here.node] = here
        if here.distance >= depth or (here.edge >= 0 and EDGE_KINDS[graph.edge_kind[here.edge]] in ENDS):
            continue
        test = here.distance > 0 and in_test(graph, here.node)
        first = here.distance == 0
        kind = NODE_KINDS[graph.node_kind[here.node]]
        allowed = NAMING if first and here.node not in keeping else GOING_ON
        for other, edge, factor in _onward(graph, here.node, allowed, first=first):
            # What is run in earnest uses no test, whatever names may say.
            if other in done or (test and not in_test(graph, other)):
                continue
            candidates = int(graph.edge_candidates[edge])
            confidence = (1 - here.doubt) * certainty_share(candidates) * factor
            by_row = kind is NodeKind.COLUMN and EDGE_KINDS[graph.edge_kind[edge]] in ROWS
            doubtful = here.doubtful or candidates > 1 or by_row
            following = Reached(doubtful, here.distance + 1, 1 - confidence, other, here.node, edge)
            heappush(queue, following)
    return done


def _onward(graph: Graph, node: int, allowed: frozenset[EdgeKind], *, first: bool) -> Iterator[tuple[int, int, float]]:
    """Yield what a change of a node affects next: the node, the edge by its position, and a factor of confidence."""
    kind = NODE_KINDS[graph.node_kind[node]]
    yield from _sources(graph, node, allowed, test=in_test(graph, node))
    if kind in FUNCTIONS:
        yield from _dispatched(graph, node)
        yield from _around(graph, node)
    elif first and kind in FIELDS:
        yield from _of_column(graph, node)
    elif kind is NodeKind.COLUMN:
        for edge in graph.in_edges(node):
            if EDGE_KINDS[graph.edge_kind[edge]] is EdgeKind.CONTAINS:
                owner = int(graph.edge_source[edge])
                yield from ((user, by, BY_ROW) for user, by, _ in _sources(graph, owner, ROWS, test=False))
                if not first:
                    yield owner, edge, 1.0


def _of_column(graph: Graph, field: int) -> Iterator[tuple[int, int, float]]:
    """Yield the code that uses the column which a field is mapped to: most of it does so by the field."""
    for position in graph.out_edges(field):
        if EDGE_KINDS[graph.edge_kind[position]] is EdgeKind.MAPS:
            for other, edge, _ in _sources(graph, int(graph.edge_target[position]), USES, test=False):
                if NODE_KINDS[graph.node_kind[other]] in FUNCTIONS:
                    yield other, edge, BY_FIELD


def _sources(graph: Graph, node: int, allowed: frozenset[EdgeKind], *, test: bool) -> Iterator[tuple[int, int, float]]:
    if test:
        allowed = allowed - {EdgeKind.TESTS}
    for edge in graph.in_edges(node):
        if EDGE_KINDS[graph.edge_kind[edge]] in allowed and not is_inline(graph, edge):
            yield int(graph.edge_source[edge]), edge, 1.0


def _dispatched(graph: Graph, method: int) -> Iterator[tuple[int, int, float]]:
    """Yield who calls the method of a base that this one overrides: such a call may run this one."""
    if graph.node(method).name in CONSTRUCTORS:
        return  # what makes another class does not make this one
    for position in graph.out_edges(method):
        if EDGE_KINDS[graph.edge_kind[position]] is EdgeKind.OVERRIDES:
            for edge in graph.in_edges(int(graph.edge_target[position])):
                if EDGE_KINDS[graph.edge_kind[edge]] is EdgeKind.CALLS:
                    yield int(graph.edge_source[edge]), edge, DISPATCH


def _around(graph: Graph, function: int) -> Iterator[tuple[int, int, float]]:
    """Yield what runs a function because of where it stands: who makes instances, the function around, tests set up."""
    for position in graph.in_edges(function):
        if EDGE_KINDS[graph.edge_kind[position]] is not EdgeKind.CONTAINS:
            continue
        owner = int(graph.edge_source[position])
        kind = NODE_KINDS[graph.node_kind[owner]]
        if kind in FUNCTIONS:
            yield owner, position, 1.0
        elif kind in TYPE_KINDS or kind is NodeKind.MODULE:
            name = graph.node(function).name
            if name in CONSTRUCTORS:
                yield from _sources(graph, owner, frozenset({EdgeKind.CALLS}), test=False)
            elif name in SET_UPS and in_test(graph, function):
                for edge in graph.out_edges(owner):
                    if EDGE_KINDS[graph.edge_kind[edge]] is EdgeKind.CONTAINS and edge != position:
                        yield int(graph.edge_target[edge]), edge, 1.0


def affected_of(graph: Graph, reached: dict[int, Reached], one: Reached) -> Affected:
    """Return a reached node as answers show it, with the way to it from where the change began."""
    way, by_rows = [], False
    at = one
    while True:
        way.append(graph.node(at.node).qualified_name)
        if at.before < 0:
            break
        by_rows = by_rows or EDGE_KINDS[graph.edge_kind[at.edge]] in ROWS
        at = reached[at.before]
    edge = graph.edge(one.edge)
    spot = location_of(graph.node(one.node))
    before = way[1]
    if edge.source != one.node:
        why = f"is set up by {before}" if in_test(graph, one.node) else f"is part of {before}"
    elif edge.kind is EdgeKind.CONTAINS:
        why = f"holds {before}"
    else:
        why = f"{VERBS[edge.kind]} {graph.node(edge.target).qualified_name}"
    place = (edge.path, edge.line) if edge.path and edge.line else (spot.path, spot.line)
    return Affected(
        spot=spot,
        distance=one.distance,
        confidence=round(1 - one.doubt, 4),
        path=place[0],
        line=place[1],
        why=why,
        way=tuple(reversed(way)),
        by_rows=by_rows,
    )
