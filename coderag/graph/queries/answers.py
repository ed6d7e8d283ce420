"""A question about the graphs of several roots to answers: targets are looked up in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from coderag.errors import QueryError
from coderag.graph.drawing.drawing import Drawing, neighbourhood
from coderag.graph.graph import Graph
from coderag.graph.queries.impact import Change, Impact, impact_of
from coderag.graph.queries.locations import Location, location_of
from coderag.graph.queries.lookup import chosen_nodes, closest_names, find_nodes
from coderag.graph.queries.neighbours import Neighbour, neighbours_of
from coderag.graph.queries.outgoing import Outgoing, outgoing_of
from coderag.graph.queries.paths import GraphPath, paths_between, reached_like
from coderag.graph.queries.refs import References, references_to
from coderag.graph.records import EdgeKind, Node, NodeKind

__all__ = [
    "Graphs",
    "Meanings",
    "Neighbours",
    "OutgoingEdges",
    "all_impacts",
    "all_outgoing",
    "all_paths",
    "all_reached",
    "all_references",
    "around",
    "draw",
    "draw_places",
    "meanings_of",
    "names_like",
    "targets_in",
]

Graphs = Mapping[str, Graph]  # by repository
FULL = 5  # nodes of one name whose references are shown; the others are only named


def targets_in(
    graphs: Graphs, target: str, *, kinds: Iterable[NodeKind | str] = (), paths: Sequence[str] = ()
) -> list[tuple[str, Node]]:
    """Return the nodes that a target means, each with its repository, the best first.

    Raises QueryError for an unknown kind.
    """
    kinds = tuple(kinds)
    try:
        node_kinds = frozenset(map(NodeKind, kinds))
    except ValueError as error:
        from coderag.text.suggestion import unknown  # for an error alone

        strange = next(kind for kind in kinds if kind not in set(NodeKind))
        raise QueryError(unknown("kind", strange, NodeKind)) from error
    found = [(name, find_nodes(graph, target, kinds=node_kinds, paths=paths)) for name, graph in graphs.items()]
    return [(name, node) for name, nodes in found for node in nodes]


@dataclass(frozen=True, slots=True)
class Meanings:
    """What a target is taken for, and what else has its name, each the best first."""

    chosen: tuple[Location, ...]  # of one kind and standing; what is asked of a target is asked of these
    others: tuple[Location, ...]


def meanings_of(
    graphs: Graphs, target: str, *, kinds: Iterable[NodeKind | str] = (), paths: Sequence[str] = ()
) -> Meanings:
    """Return what a target means; raises QueryError for an unknown kind."""
    nodes = [node for _, node in targets_in(graphs, target, kinds=kinds, paths=paths)]
    chosen = {id(node) for node in chosen_nodes(nodes)} if nodes else set()
    locations = [(id(node) in chosen, location_of(node)) for node in nodes]
    return Meanings(
        tuple(spot for best, spot in locations if best), tuple(spot for best, spot in locations if not best)
    )


def names_like(graphs: Graphs, target: str) -> tuple[str, ...]:
    """Return the names spelled most like a target that nothing has, the likeliest first."""
    return tuple(dict.fromkeys(name for graph in graphs.values() for name in closest_names(graph, target)))


def all_references(
    graphs: Graphs,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    shown: int | None,
    full: int = FULL,
) -> list[References]:
    """Return what refers to each node that a target means; of those behind the first `full` only what they are."""
    found = targets_in(graphs, target, kinds=kinds, paths=paths)
    answers = [replace(references_to(graphs[name], node, shown=shown), repository=name) for name, node in found[:full]]
    return answers + [References(location_of(node), (), repository=name) for name, node in found[full:]]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What stands around the things that a target is taken for."""

    chosen: tuple[Location, ...] = ()
    edges: tuple[Neighbour, ...] = ()
    repository: str = ""


def around(graphs: Graphs, target: str, *, shown: int) -> Neighbours:
    """Return the edges around the best that a target means, at most `shown` of each relation; none of the unknown."""
    found = targets_in(graphs, target)
    if not found:
        return Neighbours()
    repository, node = found[0]
    return Neighbours((location_of(node),), tuple(neighbours_of(graphs[repository], node, shown=shown)), repository)


@dataclass(frozen=True, slots=True)
class OutgoingEdges:
    """What the thing that a target is taken for does to others."""

    chosen: tuple[Location, ...] = ()
    edges: tuple[Outgoing, ...] = ()
    repository: str = ""


def all_outgoing(graphs: Graphs, target: str, *, kinds: Iterable[EdgeKind | str]) -> OutgoingEdges:
    """Return the edges of some kinds from the best that a target means; none of the unknown. Raises QueryError."""
    try:
        wanted = frozenset(map(EdgeKind, kinds))
    except ValueError as error:
        raise QueryError(f"{error}; the kinds of edges are {', '.join(EdgeKind)}") from error
    found = targets_in(graphs, target)
    if not found:
        return OutgoingEdges()
    repository, node = found[0]
    return OutgoingEdges((location_of(node),), tuple(outgoing_of(graphs[repository], node, wanted)), repository)


def all_impacts(
    graphs: Graphs,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    change: Change | str,
    depth: int,
) -> Impact | None:
    """Return what a change of the best node that a target means affects, None where it means nothing.

    Raises QueryError for an unknown change or kind.
    """
    try:
        asked = Change(change)
    except ValueError as error:
        raise QueryError(f"{error}; changes are {', '.join(Change)}") from error
    found = targets_in(graphs, target, kinds=kinds, paths=paths)
    if not found:
        return None
    repository, best = found[0]
    same = [node for name, node in found if name == repository and _identity(node) == _identity(best)]
    others = [node for _, node in found if node not in same]
    return replace(
        impact_of(graphs[repository], same, change=asked, depth=depth),
        repository=repository,
        others=tuple(map(location_of, others)),
    )


def all_paths(
    graphs: Graphs,
    source: str,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    k: int,
) -> list[GraphPath]:
    """Return how what one target means leads to what another means, the surest and shortest way first.

    Where what the targets are taken for is not tied, other things of their names are.
    """
    starts = targets_in(graphs, source, kinds=kinds, paths=paths)
    ends = targets_in(graphs, target, kinds=kinds, paths=paths)
    ways = []
    for name, graph in graphs.items():
        here = [[node for owner, node in found if owner == name] for found in (starts, ends)]
        if all(here):
            attempts = (paths_between(graph, *ends, k=k) for ends in _tries(here))
            ways += [replace(way, repository=name) for way in next(filter(None, attempts), [])]
    return sorted(ways, key=lambda one: (one.backwards, one.cost))[:k]


def _tries(found: Sequence[Sequence[Node]]) -> Iterator[list[Sequence[Node]]]:
    """Yield what targets are taken for, then all that they may mean, without tests where that leaves something."""
    yield [chosen_nodes(nodes) for nodes in found]
    yield [[node for node in nodes if "test" not in node.labels] or nodes for nodes in found]
    yield list(found)


def all_reached(graphs: Graphs, source: str, like: str) -> list[Location]:
    """Return what of the kind of one target another leads to, the nearest first."""
    starts, ends = targets_in(graphs, source), targets_in(graphs, like)
    locations: list[Location] = []
    for name, graph in graphs.items():
        here = [node for owner, node in starts if owner == name]
        locations += reached_like(graph, chosen_nodes(here), [node for _, node in ends]) if here else []
    return locations


def draw(
    graphs: Graphs,
    target: str,
    *,
    kinds: Iterable[NodeKind | str] = (),
    paths: Sequence[str] = (),
    depth: int,
    k: int,
) -> Drawing | None:
    """Return what is around the best that a target means, None where it means nothing; raises QueryError."""
    found = targets_in(graphs, target, kinds=kinds, paths=paths)
    if not found:
        return None
    repository = found[0][0]
    best = [node.number for node in chosen_nodes([node for name, node in found if name == repository])]
    return replace(neighbourhood(graphs[repository], best, depth=depth, k=k), repository=repository)


def draw_places(
    graphs: Graphs, places: Sequence[tuple[str, str, int]], tables: Sequence[str], *, depth: int, k: int
) -> Drawing | None:
    """Return what is around some definitions, by repository, path and line, and around tables by their names.

    None where the graph has none of them. Of several repositories that of the first is drawn.
    """
    seeds: dict[str, dict[int, None]] = {}
    for repository, path, line in places:
        for _, node in targets_in({repository: graphs[repository]}, f"{path}:{line}"):
            seeds.setdefault(repository, {})[node.number] = None
    for table in tables:
        for repository, node in targets_in(graphs, table, kinds=(NodeKind.TABLE, NodeKind.VIEW)):
            seeds.setdefault(repository, {})[node.number] = None
    if not seeds:
        return None
    repository = next(iter(seeds))
    drawn = neighbourhood(graphs[repository], list(seeds[repository]), depth=depth, k=k)
    return replace(drawn, repository=repository)


def _identity(node: Node) -> tuple[str, str, str, str]:
    """Return what overloads of one function have in common."""
    return node.kind, node.qualified_name, node.path, node.database
