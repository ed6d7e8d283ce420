"""A node to all that refers to it, by how it does."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.queries.enclosing import with_functions_around
from coderag.graph.queries.locations import Location, location_of
from coderag.graph.queries.reach import CONSTRUCTORS
from coderag.graph.records import Certainty, Edge, EdgeKind, Node, NodeKind
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import LABELS

__all__ = ["FOLDED", "Group", "Reference", "References", "Role", "Unresolved", "references_to", "unresolved_near"]

SHOWN = 10  # of each group
MAX_BASES = 32  # methods that one stands for
TEST = 1 << LABELS.index("test")
BEHIND = sum(1 << LABELS.index(one) for one in ("generated", "vendored"))


class Role(StrEnum):
    """How something refers to a node, in the order in which answers show it."""

    DEFINED = "defined by"
    CALLERS = "called by"
    DISPATCHED = "called through a base or interface"  # of a method: what calls one that it overrides
    READERS = "read by"
    WRITERS = "written by"
    DELETERS = "deleted by"
    ROW_READERS = "reads whole rows"  # of a column: what reads rows of its table without naming it
    ROW_WRITERS = "writes whole rows"
    ROUTES = "handles"
    MAPPED = "mapped by"
    VIEWS = "views that derive from it"
    REFERRING = "foreign keys to it"
    REFERRED = "foreign keys from it"
    QUERIES = "queries"
    ROUTINES = "routines"
    TERMS = "terms that describe it"
    MIGRATIONS = "migrations"
    BASES = "inherits"
    HEIRS = "inherited by"
    OVERRIDES = "overrides"
    OVERRIDDEN = "overridden by"
    REFERENCES = "referenced by"
    IMPORTERS = "imported by"
    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes from"
    MAPS = "maps to"
    DERIVES = "derives from"
    HANDLER = "handled by"
    DESCRIBES = "describes"
    TESTS = "tests"
    DOCUMENTS = "documents"


# Of an edge that ends at the node: how its source refers to it.
INWARD = {
    EdgeKind.CALLS: Role.CALLERS,
    EdgeKind.READS: Role.READERS,
    EdgeKind.WRITES: Role.WRITERS,
    EdgeKind.DELETES: Role.DELETERS,
    EdgeKind.READS_ROWS: Role.READERS,
    EdgeKind.WRITES_ROWS: Role.WRITERS,
    EdgeKind.ROUTES: Role.ROUTES,
    EdgeKind.MAPS: Role.MAPPED,
    EdgeKind.DERIVES: Role.VIEWS,
    EdgeKind.FOREIGN_KEY: Role.REFERRING,
    EdgeKind.DESCRIBES: Role.TERMS,
    EdgeKind.DEFINES: Role.DEFINED,
    EdgeKind.ALTERS: Role.MIGRATIONS,
    EdgeKind.INHERITS: Role.HEIRS,
    EdgeKind.IMPLEMENTS: Role.HEIRS,
    EdgeKind.OVERRIDES: Role.OVERRIDDEN,
    EdgeKind.REFERENCES: Role.REFERENCES,
    EdgeKind.IMPORTS: Role.IMPORTERS,
    EdgeKind.TESTS: Role.TESTS,
    EdgeKind.DOCUMENTS: Role.DOCUMENTS,
}
# Of an edge that starts at the node: what its target is to it.
OUTWARD = {
    EdgeKind.READS: Role.READS,
    EdgeKind.WRITES: Role.WRITES,
    EdgeKind.DELETES: Role.DELETES,
    EdgeKind.READS_ROWS: Role.READS,
    EdgeKind.WRITES_ROWS: Role.WRITES,
    EdgeKind.MAPS: Role.MAPS,
    EdgeKind.DERIVES: Role.DERIVES,
    EdgeKind.FOREIGN_KEY: Role.REFERRED,
    EdgeKind.INHERITS: Role.BASES,
    EdgeKind.IMPLEMENTS: Role.BASES,
    EdgeKind.OVERRIDES: Role.OVERRIDES,
    EdgeKind.ROUTES: Role.HANDLER,
    EdgeKind.DESCRIBES: Role.DESCRIBES,
}
# What a source is decides where such uses of data stand.
OF_SOURCE = {
    NodeKind.QUERY: Role.QUERIES,
    NodeKind.ROUTINE: Role.ROUTINES,
    NodeKind.TRIGGER: Role.ROUTINES,
    NodeKind.VIEW: Role.VIEWS,
}
USES = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.DELETES)
ROWS = {EdgeKind.READS_ROWS: Role.ROW_READERS, EdgeKind.WRITES_ROWS: Role.ROW_WRITERS}
FOLDED = frozenset(ROWS.values())  # roles of which answers give the number, and the places when asked for all
BY_CODE = (Role.READERS, Role.WRITERS, Role.DELETERS)
OF_MEMBERS = (*USES, EdgeKind.MAPS, EdgeKind.DERIVES, EdgeKind.DESCRIBES, EdgeKind.ALTERS, EdgeKind.TESTS)
STORES = (NodeKind.TABLE, NodeKind.VIEW)
NESTING = (NodeKind.FUNCTION, NodeKind.METHOD)
WITHOUT_TESTS = frozenset({Role.CALLERS, Role.READERS, Role.WRITERS, Role.DELETERS, Role.REFERENCES})


@dataclass(frozen=True, slots=True)
class Reference:
    """One thing that refers to the node, and where it says so."""

    spot: Location
    path: str  # of the place; that of the spot where nothing says it
    line: int
    certainty: Certainty
    candidates: int = 0  # it means one of so many, where that is not certain
    members: tuple[str, ...] = ()  # the columns that it names, where the node is a table
    whole: bool = False  # it takes all columns of a row, whatever their names
    inner: str = ""  # the nested function in which it does so
    through: str = ""  # the method of a base or interface that it calls in place of the node


@dataclass(frozen=True, slots=True)
class Group:
    """What refers to the node in one way: the surest first, then by path and line."""

    role: Role
    total: int
    references: tuple[Reference, ...]  # the first of them


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Something near the node that could not be resolved; it may refer to anything."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class References:
    """All that refers to one node, and what it uses of the data."""

    target: Location
    groups: tuple[Group, ...]
    unresolved: tuple[Unresolved, ...] = ()
    repository: str = ""

    @property
    def total(self) -> int:
        """How many references there are."""
        return sum(group.total for group in self.groups)


def references_to(graph: Graph, node: Node, *, shown: int | None = SHOWN) -> References:
    """Return what refers to a node, at most `shown` of each group; None for all."""
    found: dict[Role, dict[int, list[int]]] = {}
    for position, other, role in _places(graph, node):
        found.setdefault(role, {}).setdefault(other, []).append(position)
    if node.kind in STORES:
        found = {role: _joined(graph, others) for role, others in found.items()}
    elif node.kind is NodeKind.COLUMN:
        found |= _users_of_rows(graph, node.number, besides=found)
    if node.kind in (*STORES, NodeKind.COLUMN):
        found |= {role: with_functions_around(graph, found[role]) for role in BY_CODE if role in found}
    if node.kind is NodeKind.METHOD and node.name not in CONSTRUCTORS:
        found |= _dispatched(graph, node.number, besides=found.get(Role.CALLERS, {}))
    groups = [_group(graph, node, role, found[role], shown=shown) for role in Role if role in found]
    return References(location_of(node), tuple(groups), tuple(unresolved_near(graph, [node.number])))


def unresolved_near(graph: Graph, nodes: Sequence[int]) -> list[Unresolved]:
    """Return what of some nodes could not be resolved, in order of path and line."""
    return sorted(
        {Unresolved(note.path, note.line, note.text) for note in graph.notes(nodes)},
        key=lambda unresolved: (unresolved.path, unresolved.line, unresolved.text),
    )


def _places(graph: Graph, node: Node) -> Iterable[tuple[int, int, Role]]:
    """Yield each edge of a node by its position, with the node at its other end and how that refers to it."""
    yield from _inward(graph, node.number, EDGE_KINDS)
    for position in graph.out_edges(node.number):
        kind = EDGE_KINDS[graph.edge_kind[position]]
        if role := OUTWARD.get(kind):
            yield position, int(graph.edge_target[position]), role
    if node.kind in STORES:
        for column in _members(graph, node.number):
            yield from _inward(graph, column, OF_MEMBERS)


def _users_of_rows(
    graph: Graph, column: int, *, besides: Mapping[Role, Mapping[int, list[int]]]
) -> dict[Role, dict[int, list[int]]]:
    """Return the edges of what takes whole rows of a column's table, without what names the column."""
    found: dict[Role, dict[int, list[int]]] = {}
    for owner in graph.edges_to(column, (EdgeKind.CONTAINS,)):
        for position in graph.in_edges(owner.source):
            role = ROWS.get(EDGE_KINDS[graph.edge_kind[position]])
            source = int(graph.edge_source[position])
            if role is not None and not any(source in others for others in besides.values()):
                found.setdefault(role, {}).setdefault(source, []).append(position)
    return found


def _dispatched(graph: Graph, method: int, *, besides: Container[int]) -> dict[Role, dict[int, list[int]]]:
    """Return the calls of the methods that one stands for: of bases and interfaces, and of theirs."""
    bases, waiting = {method: None}, [method]
    while waiting and len(bases) < MAX_BASES:
        for edge in graph.edges_from(waiting.pop(), (EdgeKind.OVERRIDES,)):
            if edge.target not in bases:
                bases[edge.target] = None
                waiting.append(edge.target)
    found: dict[int, list[int]] = {}
    for base in list(bases)[1:]:
        overriding = {edge.source for edge in graph.edges_to(base, (EdgeKind.OVERRIDES,))}
        for position, source, role in _inward(graph, base, (EdgeKind.CALLS,)):
            # One that overrides it calls the base itself: super().save().
            if role is Role.CALLERS and source not in besides and source not in overriding:
                found.setdefault(source, []).append(position)
    return {Role.DISPATCHED: found} if found else {}


def _inward(graph: Graph, node: int, kinds: Sequence[EdgeKind]) -> Iterable[tuple[int, int, Role]]:
    positions = graph.in_edges(node)
    if not positions:
        return
    sources = graph.edge_source[positions]
    labels = _labels(graph, sources)
    codes, kinds_of = graph.edge_kind[positions].tolist(), graph.node_kind[sources].tolist()
    for position, source, code, of_source, label in zip(
        positions, sources.tolist(), codes, kinds_of, labels, strict=True
    ):
        kind = EDGE_KINDS[code]
        role = INWARD.get(kind)
        if role is None or kind not in kinds:
            continue
        if kind in USES or kind in ROWS or kind is EdgeKind.REFERENCES:
            role = OF_SOURCE.get(NODE_KINDS[of_source], role)
        if label & TEST and role in WITHOUT_TESTS:
            role = Role.TESTS
        yield position, source, role


def _joined(graph: Graph, others: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """Return the edges by node, those of columns and fields with what they are part of where that is there too."""
    joined: dict[int, list[int]] = {}
    for other, positions in others.items():
        if NODE_KINDS[graph.node_kind[other]] in (NodeKind.COLUMN, NodeKind.FIELD, NodeKind.CONSTANT):
            owner = next((edge.source for edge in graph.edges_to(other, (EdgeKind.CONTAINS,))), other)
            other = owner if owner in others else other
        joined.setdefault(other, []).extend(positions)
    return joined


def _labels(graph: Graph, nodes: Sequence[int] | Array) -> list[int]:
    """Return the labels of the files of some nodes, as bits."""
    files = graph.node_file[nodes]
    bits = np.append(graph.arrays["file_labels"], np.uint8(0))  # for a file of -1
    found: list[int] = bits[files].tolist()
    return found


def _members(graph: Graph, table: int) -> list[int]:
    return [edge.target for edge in graph.edges_from(table, (EdgeKind.CONTAINS,))]


def _group(graph: Graph, node: Node, role: Role, others: Mapping[int, list[int]], *, shown: int | None) -> Group:
    """Return the references of one role: each node once, at its surest and first place."""
    numbers = list(others)
    doubts = _doubts(graph, [at for positions in others.values() for at in positions], role)
    best = [min(others[number], key=lambda at: (doubts[at], at)) for number in numbers]
    behind = [bool(bits & BEHIND) for bits in _labels(graph, numbers)]
    files = graph.node_file[numbers].tolist()
    paths = {file: graph.paths[file] if file >= 0 else "" for file in set(files)}
    rows = graph.arrays["edge_row"][best].tolist()
    keys = list(zip([doubts[at] for at in best], behind, [paths[file] for file in files], rows, numbers, strict=True))
    order = sorted(range(len(numbers)), key=keys.__getitem__)
    picked = order if shown is None else order[:shown]
    references = []
    for one in picked:
        edge = graph.edge(best[one])._replace(candidates=doubts[best[one]])
        references.append(_reference(graph, node, numbers[one], role=role, edge=edge, edges=others[numbers[one]]))
    return Group(role, len(numbers), tuple(references))


def _doubts(graph: Graph, positions: Sequence[int], role: Role) -> dict[int, int]:
    """Return how many candidates edges mean; a call of a base may run any of the methods that override it."""
    doubts = dict(zip(positions, graph.edge_candidates[positions].tolist(), strict=True))
    if role is not Role.DISPATCHED:
        return doubts
    targets = graph.edge_target[positions].tolist()
    overriding = {base: sum(1 for _ in graph.edges_to(base, (EdgeKind.OVERRIDES,))) for base in set(targets)}
    return {
        at: max(doubts[at], overriding[base] if overriding[base] > 1 else 0)
        for at, base in zip(positions, targets, strict=True)
    }


def _reference(graph: Graph, node: Node, other: int, *, role: Role, edge: Edge, edges: Sequence[int]) -> Reference:
    spot = location_of(graph.node(other))
    members: tuple[str, ...] = ()
    if node.kind in STORES:
        targets = dict.fromkeys(int(graph.edge_target[one]) for one in edges)
        nodes = [graph.node(target) for target in targets if target not in (node.number, other)]
        members = tuple(sorted({one.name for one in nodes if one.kind is NodeKind.COLUMN}))
    place = (edge.path, edge.line) if edge.path and edge.line else (spot.path, spot.line)
    whole = any(EDGE_KINDS[graph.edge_kind[one]] in ROWS for one in edges)
    is_apart = node.number != edge.source != other and spot.kind in NESTING
    inner = graph.node(edge.source).qualified_name if is_apart else ""
    through = graph.node(edge.target).qualified_name if role is Role.DISPATCHED else ""
    candidates = edge.candidates if edge.candidates > 1 else 0
    return Reference(spot, *place, edge.certainty, candidates, members, whole=whole, inner=inner, through=through)
