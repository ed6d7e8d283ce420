"""How one node leads to another: the surest and shortest ways over calls, routes, mappings and uses of data.

E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959; several ways as in
J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", Management Science 17, 1971. The cost of an edge is one
step and what its certainty lacks: a step over one of n candidates costs as much as 1 + log2(n) resolved ones. A foreign
key says how tables belong together and not what runs, so ways over one come last; and of an address that changes data,
ways that write come before ways that only read. What a class has, inherits or is mapped to runs because of who begins
there, not because a type is mentioned on the way: such ways are taken where nothing else leads, never beside others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import log2

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.inline_routes import is_inline
from coderag.graph.queries.locations import VERBS, Location, in_test, location_of
from coderag.graph.records import Certainty, EdgeKind, Node, NodeKind

__all__ = ["GraphPath", "PathStep", "paths_between", "reached_like"]

MAX_SEEN = 200_000  # nodes that one search looks at
NEAREST = 3  # that are named where there is no way
UNIQUE_COST = 1.2
WEAK_COST = 3.0  # of an edge that hardly leads anywhere
LAST_COST = 20.0  # more than nearly every way without such an edge costs
# What leads on: who calls reaches what it calls, an address what answers it, a field the column it is mapped to.
FORWARD = {
    EdgeKind.CALLS: 1.0,
    EdgeKind.ROUTES: 1.0,
    EdgeKind.READS: 1.0,
    EdgeKind.WRITES: 1.0,
    EdgeKind.DELETES: 1.0,
    EdgeKind.MAPS: 1.0,
    EdgeKind.DERIVES: 1.0,
    EdgeKind.FOREIGN_KEY: LAST_COST,
    EdgeKind.TESTS: 1.0,
    EdgeKind.REFERENCES: 1.5,
    EdgeKind.DESCRIBES: 1.5,
    EdgeKind.DOCUMENTS: 1.5,
    EdgeKind.INHERITS: 2.0,
    EdgeKind.IMPLEMENTS: 2.0,
    EdgeKind.IMPORTS: WEAK_COST,
    EdgeKind.CONTAINS: WEAK_COST,
    EdgeKind.DEFINES: WEAK_COST,
    EdgeKind.ALTERS: WEAK_COST,
}
STRUCTURE = frozenset({EdgeKind.CONTAINS, EdgeKind.IMPORTS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.MAPS})
PARTS = frozenset({VERBS[EdgeKind.CONTAINS], VERBS[EdgeKind.IMPORTS], VERBS[EdgeKind.ROUTES]})  # of what is begun at
DISPATCH_COST = 1.0  # a call of a base's method may run one that overrides it
# What the uses of data cost on ways from an address, by its method; those of other methods are as in FORWARD.
CHANGING = {EdgeKind.READS: LAST_COST}
DELETING = {EdgeKind.READS: LAST_COST, EdgeKind.WRITES: LAST_COST / 2}
OF_METHOD = {"POST": CHANGING, "PUT": CHANGING, "PATCH": CHANGING, "DELETE": DELETING}
ROUTE = NODE_KINDS.index(NodeKind.ROUTE)


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of a way: the edge that leads to a spot, and where it is written."""

    spot: Location
    how: str  # "calls", "reads", "is overridden by"
    path: str
    line: int
    certainty: Certainty
    candidates: int = 0


@dataclass(frozen=True, slots=True)
class GraphPath:
    """How one node of the graph leads to another."""

    start: Location
    steps: tuple[PathStep, ...]
    cost: float
    backwards: bool = False  # it leads from what was asked for as the end to the start
    repository: str = ""


@dataclass(frozen=True, slots=True)
class _Costs:
    """What edges cost on ways from some start."""

    of_kind: Mapping[EdgeKind, float]
    address: float = 0.0  # on top, of an edge to an address
    goes_aside: bool = True  # over what only belongs together


@dataclass(frozen=True, slots=True)
class _Link:
    """An edge as it is gone over."""

    other: int
    edge: int
    cost: float
    how: str
    is_aside: bool = False  # it says what belongs together and not what runs


def paths_between(graph: Graph, starts: Sequence[Node], ends: Sequence[Node], *, k: int = 1) -> list[GraphPath]:
    """Return up to `k` different ways from one of some nodes to one of others, the surest and shortest first.

    Where there is none, those of the other direction. [] where neither leads to the other.
    """
    starts, ends = _in_earnest(graph, starts), _in_earnest(graph, ends)
    for backwards, begin, goal in ((False, starts, ends), (True, ends, starts)):
        costs = _costs_from(begin)
        first, last = [node.number for node in begin], frozenset(node.number for node in goal)
        if found := list(_several(graph, first, last, k=k, costs=costs)):
            return [_way(graph, links, begin, backwards=backwards) for begin, links in found]
    return []


def reached_like(graph: Graph, starts: Sequence[Node], ends: Sequence[Node], *, count: int = NEAREST) -> list[Location]:
    """Return what of the kind of some nodes others lead to, the nearest first."""
    kinds = {NODE_KINDS.index(node.kind) for node in ends[:1]}  # the best of them
    locations: list[Location] = []
    first = [node.number for node in starts]
    for node, _ in _spreading(graph, first, (), without=frozenset(), came={}, costs=_Costs(FORWARD)):
        if int(graph.node_kind[node]) in kinds and all(node != start.number for start in starts):
            locations.append(location_of(graph.node(node)))
        if len(locations) == count:
            break
    return locations


def _in_earnest(graph: Graph, nodes: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes that are in no tests, all where each of them is."""
    return [node for node in nodes if not in_test(graph, node.number)] or nodes


def _costs_from(starts: Sequence[Node]) -> _Costs:
    """Return what edges cost on ways from some nodes; an address counts by its method."""
    if not starts or starts[0].kind is not NodeKind.ROUTE:
        return _Costs(FORWARD)
    method = starts[0].qualified_name.partition(" ")[0].upper()
    # What answers an address seldom calls another one of the same program: such a call is its client's.
    return _Costs(FORWARD | OF_METHOD.get(method, {}), LAST_COST)


def _several(
    graph: Graph, starts: Sequence[int], ends: frozenset[int], *, k: int, costs: _Costs
) -> Iterator[tuple[int, list[_Link]]]:
    """Yield different ways: each without one step of those before it."""
    found: list[tuple[int, list[_Link]]] = []
    tried: set[frozenset[int]] = set()
    queue: list[tuple[float, int, frozenset[int], tuple[int, list[_Link]]]] = []
    best = _search(graph, starts, ends, without=frozenset(), costs=costs)
    if best is not None:
        heappush(queue, (_cost(best[1]), 0, frozenset(), best))
    count = 0
    known: set[tuple[int, ...]] = set()
    while queue and len(found) < k:
        _, _, without, way = heappop(queue)
        nodes = (way[0], *(link.other for link in way[1]))
        if found and _aside(way[1]) > _aside(found[0][1]):
            continue
        if not found and not _aside(way[1]):
            costs = replace(costs, goes_aside=False)
        if nodes not in known:
            known.add(nodes)
            found.append(way)
            yield way
        if len(found) == k:
            return
        for link in way[1]:
            removed = without | {link.edge}
            if removed in tried:
                continue
            tried.add(removed)
            following = _search(graph, starts, ends, without=removed, costs=costs)
            if following is not None:
                count += 1
                heappush(queue, (_cost(following[1]), count, removed, following))


def _cost(links: Sequence[_Link]) -> float:
    return sum(link.cost for link in links)


def _aside(links: Sequence[_Link]) -> int:
    return sum(link.is_aside for link in links)


def _search(
    graph: Graph,
    starts: Sequence[int],
    ends: frozenset[int],
    *,
    without: Collection[int],
    costs: _Costs,
) -> tuple[int, list[_Link]] | None:
    """Return the cheapest way as its start and its links."""
    came: dict[int, tuple[_Link | None, int]] = {}
    for node, link in _spreading(graph, starts, ends, without=without, came=came, costs=costs):
        if node in ends and link is not None:
            return _back(came, node)
    return None


def _spreading(
    graph: Graph,
    starts: Sequence[int],
    ends: Collection[int],
    *,
    without: Collection[int],
    came: dict[int, tuple[_Link | None, int]],
    costs: _Costs,
) -> Iterator[tuple[int, _Link | None]]:
    """Yield what some nodes lead to, the cheapest first, and note in `came` over which link and from where."""
    goal_in_tests = any(in_test(graph, node) for node in ends)
    queue: list[tuple[float, int, int, _Link | None, int]] = [
        (0.0, number, node, None, -1) for number, node in enumerate(starts)
    ]
    count = len(queue)
    parts: set[int] = set()  # what the way begins at, and what that consists of
    while queue and len(came) < MAX_SEEN:
        cost, _, node, link, before = heappop(queue)
        if node in came:
            continue
        came[node] = link, before
        yield node, link
        test = in_test(graph, node)
        begins = link is None or (link.how in PARTS and before in parts)
        if begins:
            parts.add(node)
        for following in _links(graph, node, costs, begins=begins):
            if following.other in came or following.edge in without:
                continue
            # What is run in earnest leads to no test, whatever names may say.
            if test or goal_in_tests or not in_test(graph, following.other):
                count += 1
                heappush(queue, (cost + following.cost, count, following.other, following, node))


def _back(came: dict[int, tuple[_Link | None, int]], node: int) -> tuple[int, list[_Link]]:
    links: list[_Link] = []
    while True:
        link, before = came[node]
        if link is None:
            return node, links[::-1]
        links.append(link)
        node = before


def _links(graph: Graph, node: int, costs: _Costs, *, begins: bool) -> Iterator[_Link]:
    """Yield where a node leads; what a way begins at stands for all that it consists of."""
    for edge in graph.out_edges(node):
        kind = EDGE_KINDS[graph.edge_kind[edge]]
        if cost := costs.of_kind.get(kind):
            target = int(graph.edge_target[edge])
            is_aside = not begins and kind in STRUCTURE
            if (is_aside and not costs.goes_aside) or is_inline(graph, edge):
                continue
            further = LAST_COST if is_aside else costs.address if graph.node_kind[target] == ROUTE else 0.0
            yield _Link(target, edge, cost * _doubt(graph, edge) + further, VERBS[kind], is_aside)
    for edge in graph.in_edges(node):
        kind = EDGE_KINDS[graph.edge_kind[edge]]
        if kind is EdgeKind.OVERRIDES:
            yield _Link(int(graph.edge_source[edge]), edge, DISPATCH_COST * _doubt(graph, edge), "is overridden by")


def _doubt(graph: Graph, edge: int) -> float:
    candidates = int(graph.edge_candidates[edge])
    return (1.0, UNIQUE_COST)[candidates] if candidates < 2 else 1 + log2(candidates)


def _way(graph: Graph, links: Sequence[_Link], start: int, *, backwards: bool) -> GraphPath:
    steps = []
    for link in links:
        edge, spot = graph.edge(link.edge), location_of(graph.node(link.other))
        path, line = (edge.path, edge.line) if edge.path and edge.line else (spot.path, spot.line)
        candidates = edge.candidates if edge.certainty is Certainty.CANDIDATE else 0
        steps.append(PathStep(spot, link.how, path, line, edge.certainty, candidates))
    return GraphPath(location_of(graph.node(start)), tuple(steps), round(_cost(links), 3), backwards)
