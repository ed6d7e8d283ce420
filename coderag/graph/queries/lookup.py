"""A target as people write it to the nodes that it may mean, the best first.

Session.get   pkg.mod.Session.get   pkg::Type   a definition by the end of its qualified name, modules included
src/cart.py   cart.py               a file by the end of its path
src/cart.py:120                     what is defined there
orders   sales.orders   orders.total   shop:orders   a table, view or column; with a database in front
GET /users   /users   GET /users/5  a route; of one with parameters also an address that it answers, and the end of one
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from coderag.files.globs import path_test
from coderag.graph.edges.requested import Requests, Served
from coderag.graph.graph import NODE_KINDS, Graph
from coderag.graph.queries.locations import DATA_KINDS
from coderag.graph.records import EdgeKind, Node, NodeKind

__all__ = ["chosen_nodes", "closest_names", "find_nodes"]

SEPARATOR = re.compile(r"::|->|[.#\\]")
LINE = re.compile(r":(\d{1,9})\Z")
ROUTE = re.compile(r"(?:([A-Za-z]{3,7})\s+)?(/\S*)\Z")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "ANY")  # of routes
PACKAGE_FILES = frozenset({"__init__", "index", "mod", "lib"})  # files that are named like the folder they are in
MAX_SUGGESTED = 3
MAX_COMPARED = 200_000  # names that a misspelled one is compared with
# Of nodes of one name: what people mean most often comes first.
KIND_ORDER = (
    *(NodeKind.TABLE, NodeKind.VIEW, NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.TRAIT, NodeKind.STRUCT),
    *(NodeKind.ENUM, NodeKind.TYPE, NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.ROUTINE, NodeKind.COLUMN),
    *(NodeKind.ROUTE, NodeKind.MODULE, NodeKind.MACRO, NodeKind.CONSTANT, NodeKind.FIELD, NodeKind.EXTENSION),
    *(NodeKind.TRIGGER, NodeKind.TERM, NodeKind.FILE, NodeKind.QUERY, NodeKind.SECTION, NodeKind.CELL, NodeKind.BLOCK),
)
RANK_OF_KIND = {kind: rank for rank, kind in enumerate(KIND_ORDER)}
BEHIND = frozenset({"test", "example", "generated", "vendored", "legacy"})
# A dump of a schema is generated, and yet its tables are those of the application.
BEHIND_OF_DATA = BEHIND - {"generated"}
MEMBERS = frozenset({NodeKind.FIELD, NodeKind.CONSTANT})


def find_nodes(graph: Graph, target: str, *, kinds: Collection[NodeKind] = (), paths: Sequence[str] = ()) -> list[Node]:
    """Return the nodes that a target means, the best first; of those that differ in case only where none is exact.

    `kinds` and `paths` (globs) leave only such nodes.
    """
    text = target.strip()
    allowed = path_test(paths) if paths else None

    def fits(node: Node) -> bool:
        return (not kinds or node.kind in kinds) and (allowed is None or allowed(node.path))

    for reading in _readings(graph, text):
        if fitting := [node for node in reading if fits(node)]:
            exact = [node for node in fitting if _spelled(node, text)] or fitting
            exact = _without_declarations(graph, exact)
            return sorted(exact, key=lambda node: _order(graph, node))
    return []


def chosen_nodes(nodes: Sequence[Node]) -> list[Node]:
    """Return those of found nodes, the best first, that are as good as the first: of its kind, and tests as it is."""
    return [node for node in nodes if _standing(node) == _standing(nodes[0])]


def closest_names(graph: Graph, target: str) -> tuple[str, ...]:
    """Return the names spelled most like a target that nothing has, the likeliest first."""
    from coderag.sql.check.known_tables import closest

    known = {graph.node(number).qualified_name for number in _suggestible(graph)}
    wanted = target.strip()
    if not SEPARATOR.search(wanted):
        known |= {SEPARATOR.split(name)[-1] for name in known}
    return closest(wanted, known, count=MAX_SUGGESTED)


def _suggestible(graph: Graph) -> Iterable[int]:
    left_out = {NODE_KINDS.index(kind) for kind in (NodeKind.SECTION, NodeKind.QUERY, NodeKind.BLOCK, NodeKind.CELL)}
    codes = graph.node_kind[:MAX_COMPARED].tolist()
    return (number for number, code in enumerate(codes) if code not in left_out)


def _readings(graph: Graph, text: str) -> Iterator[list[Node]]:
    """Yield what a target may mean, one reading after the other."""
    if line := LINE.search(text):
        yield _at_line(graph, text[: line.start()], int(line[1]))
    yield _files(graph, text)
    if route := ROUTE.match(text):
        yield _routes(graph, (route[1] or "").upper(), route[2])
    yield _named(graph, text)
    before, colon, after = text.partition(":")
    if colon and not after.startswith(":"):
        yield [node for node in _named(graph, after) if node.database.casefold() == before.casefold()]
    before, _, after = text.rpartition("::")
    if before and "/" in before:
        files = {node.path for node in _files(graph, before)}
        yield [node for node in _named(graph, after) if node.path in files]


def _at_line(graph: Graph, path: str, line: int) -> list[Node]:
    """Return the innermost definition around a line of a file, or the file."""
    nodes = []
    for file in _files(graph, path):
        inside = [node for node in map(graph.node, graph.in_file(file.path)) if line in node.span and node.row]
        nodes.append(min(inside, key=lambda node: (len(node.span), -node.number), default=file))
    return nodes


def _files(graph: Graph, path: str) -> list[Node]:
    wanted = path.removeprefix("./").strip("/")
    if not wanted or " " in wanted:
        return []
    own = wanted.rpartition("/")[2]
    nodes = [node for node in map(graph.node, graph.named(own)) if node.kind is NodeKind.FILE]
    whole = [node for node in nodes if node.path == wanted]
    folded = f"/{wanted.casefold()}"
    return whole or [node for node in nodes if f"/{node.path.casefold()}".endswith(folded)]


def _routes(graph: Graph, method: str, address: str) -> list[Node]:
    names = [f"{method} {address}"] if method else [address, *(f"{one} {address}" for one in METHODS)]
    numbers = dict.fromkeys(number for name in names for number in graph.named(name))
    nodes = [node for node in map(graph.node, numbers) if node.kind is NodeKind.ROUTE]
    if method and not nodes:
        nodes = [node for node in map(graph.node, graph.named(address)) if node.kind is NodeKind.ROUTE]
    return nodes or _routes_like(graph, method, address)


def _routes_like(graph: Graph, method: str, address: str) -> list[Node]:
    """Return the routes that would answer an address: /users/5 and /users/:id are both answered by /users/{id}.

    Where there is none, those that would answer it behind a prefix: /api/v1/users/{id} for /users/5.
    """
    numbers = np.flatnonzero(graph.node_kind[:] == NODE_KINDS.index(NodeKind.ROUTE)).tolist()
    routes = list(map(graph.node, numbers))
    served = []
    for node in routes:
        told, _, path = node.name.rpartition(" ")
        served.append(Served(node.number, told, path))
    requests = Requests(served)
    found = {one.node for one in requests.answering(method, address) or requests.ending(method, address)}
    return [node for node in routes if node.number in found]


def _named(graph: Graph, text: str) -> list[Node]:
    """Return the nodes whose qualified name, behind their module or database, ends with a text, in any case."""
    wanted = _parts(text)
    if not wanted:
        return []
    numbers = dict.fromkeys([*graph.named(wanted[-1]), *graph.named(text)])
    nodes = [node for node in map(graph.node, numbers) if node.kind is not NodeKind.FILE]
    return [node for node in nodes if _ends_with(graph, node, wanted) or node.name.casefold() == text.casefold()]


def _without_declarations(graph: Graph, nodes: Sequence[Node]) -> list[Node]:
    """Return nodes without the statements that declare a table which is among them too."""
    numbers = {node.number for node in nodes}
    return [
        node
        for node in nodes
        if not any(edge.target in numbers for edge in graph.edges_from(node.number, (EdgeKind.DEFINES,)))
    ]


def _parts(text: str) -> list[str]:
    return [part for part in SEPARATOR.split(text.casefold().rstrip("()")) if part]


def _ends_with(graph: Graph, node: Node, wanted: Sequence[str]) -> bool:
    own = _parts(node.qualified_name)
    if len(wanted) > len(own) and node.kind is NodeKind.COLUMN:
        tables = [graph.node(edge.source) for edge in graph.edges_to(node.number, (EdgeKind.CONTAINS,))]
        own = [*_parts(tables[0].qualified_name), node.name.casefold()] if tables else own
    if len(wanted) > len(own):
        own = [*_scope(node), *own]
    return own[-len(wanted) :] == list(wanted)


def _scope(node: Node) -> list[str]:
    """Return the names of what a node's module or database is in, the outermost first."""
    if node.database:
        return [node.database.casefold()]
    *folders, file = node.path.casefold().split("/")
    stem = file.partition(".")[0]
    return folders if stem in PACKAGE_FILES else [*folders, stem]


def _spelled(node: Node, text: str) -> bool:
    """Tell whether a node's name ends as a target is written, letter for letter."""
    *scope, last = [part for part in SEPARATOR.split(text.rstrip("()").rpartition(":")[2]) if part] or [""]
    whole = f"{node.database}/{node.path}/{node.qualified_name}"
    exact = node.name in (last, text) and all(part in whole for part in scope)
    return exact or node.kind in (NodeKind.FILE, NodeKind.ROUTE) or LINE.search(text) is not None


def _standing(node: Node) -> tuple[bool, bool, bool, int]:
    """Return what decides between meanings of one name: production before tests, tables before members."""
    behind = bool(node.labels & (BEHIND_OF_DATA if node.kind in DATA_KINDS else BEHIND))
    return node.unknown, behind, node.kind in MEMBERS, RANK_OF_KIND[node.kind]


def _order(graph: Graph, node: Node) -> tuple[tuple[bool, bool, bool, int], int, str, int]:
    """Return what nodes of one name are sorted by."""
    return _standing(node), -len(graph.in_edges(node.number)), node.path, node.row
