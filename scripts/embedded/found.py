"""A half of the judged set and a language to the edges that a graph of it has."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from coderag import Index
from coderag.graph.graph import Graph
from coderag.graph.records import Edge, EdgeKind, Node, NodeKind
from scripts.embedded.cases import SET, ColumnEdge, TableEdge

__all__ = ["Found", "Place", "Uses", "edges_of"]

USED = {
    EdgeKind.READS: "read",
    EdgeKind.WRITES: "write",
    EdgeKind.DELETES: "delete",
    EdgeKind.DEFINES: "ddl",
    EdgeKind.ALTERS: "ddl",
}
ROWS = frozenset({EdgeKind.READS_ROWS, EdgeKind.WRITES_ROWS})
TABLES = frozenset({NodeKind.TABLE, NodeKind.VIEW})
CALLABLE = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})
OTHER_DATABASES = frozenset({"warehouse", "telemetry"})
USUAL_SCHEMAS = ("public.", "main.", "dbo.")

Place = tuple[str, str]  # file and qualified name; the name is "" for what stands outside of definitions


@dataclass(frozen=True, slots=True)
class Uses:
    """The edges to data that start in a definition, each with the number of candidates it is one of."""

    tables: dict[TableEdge, int]
    columns: dict[ColumnEdge, int]
    said: bool  # something in it could not be resolved, and the graph says so


@dataclass(frozen=True, slots=True)
class Found:
    """What a graph says about the functions of a folder."""

    schema: dict[str, tuple[str, ...]]  # columns by table
    functions: frozenset[Place]
    inside: dict[Place, Place]  # the definition or file that one is in
    uses: dict[Place, Uses]


def edges_of(half: str, language: str, places: Collection[Place] = ()) -> Found:
    """Return what the graph of a language's folder, indexed with its schema, says; raises OSError.

    What is used inside a definition that is not among `places` counts to the one around it that is.
    """
    with TemporaryDirectory() as folder:
        root = Path(folder) / "code"
        shutil.copytree(SET / half / language, root, ignore=shutil.ignore_patterns("expected.toml"))
        for path in sorted((SET / half).glob("*.sql")):
            shutil.copy(path, root)
        index = Index.build(root, index=Path(folder) / "index", workers=0, cache=False)
        return _found(index.graphs()[0], places)


def _found(graph: Graph, places: Collection[Place]) -> Found:
    nodes = [graph.node(number) for number in range(len(graph))]
    around: dict[int, int] = {}
    columns: dict[int, list[int]] = defaultdict(list)
    for node in nodes:
        for edge in graph.edges_from(node.number, (EdgeKind.CONTAINS,)):
            around[edge.target] = node.number
            if nodes[edge.target].kind is NodeKind.COLUMN:
                columns[node.number].append(edge.target)
    wanted = set(places)
    uses: dict[Place, Uses] = {}
    for node in nodes:
        if not node.path or node.kind in {*TABLES, NodeKind.COLUMN, NodeKind.ROUTINE}:
            continue
        counted = _counted(node, nodes, around, wanted)
        held = uses.setdefault(counted, Uses({}, {}, said=False))
        for edge in graph.edges_from(node.number):
            _add(edge, held, nodes=nodes, around=around)
            _add_rows(edge, held, table=nodes[edge.target], columns=[nodes[one].name for one in columns[edge.target]])
        if graph.notes([node.number]):
            uses[counted] = Uses(held.tables, held.columns, said=True)
    functions = [one for one in nodes if one.kind in CALLABLE and one.path]
    return Found(
        schema={
            _table(nodes[table]): tuple(nodes[one].name for one in held)
            for table, held in columns.items()
            if nodes[table].kind in TABLES and not nodes[table].unknown
        },
        functions=frozenset(_place(function) for function in functions),
        inside={
            _place(function): _place(nodes[around[function.number]])
            for function in functions
            if function.number in around
        },
        uses=uses,
    )


def _add(edge: Edge, held: Uses, *, nodes: list[Node], around: dict[int, int]) -> None:
    target = nodes[edge.target]
    if target.kind is NodeKind.ROUTINE:
        routine = TableEdge(target.name, "call")
        held.tables[routine] = min(held.tables.get(routine, edge.candidates), edge.candidates)
    elif edge.kind in USED and target.kind in TABLES:
        table = TableEdge(_table(target), USED[edge.kind])
        held.tables[table] = min(held.tables.get(table, edge.candidates), edge.candidates)
    elif edge.kind in {EdgeKind.READS, EdgeKind.WRITES} and target.kind is NodeKind.COLUMN:
        owner = nodes[around[edge.target]]
        column = ColumnEdge(_table(owner), target.name, edge.kind is EdgeKind.WRITES)
        held.columns[column] = min(held.columns.get(column, edge.candidates), edge.candidates)


def _add_rows(edge: Edge, held: Uses, *, table: Node, columns: Collection[str]) -> None:
    """Add the columns of whole rows, each of which the set names."""
    if edge.kind in ROWS:
        for name in columns:
            column = ColumnEdge(_table(table), name, edge.kind is EdgeKind.WRITES_ROWS)
            held.columns[column] = min(held.columns.get(column, edge.candidates), edge.candidates)


def _counted(node: Node, nodes: list[Node], around: dict[int, int], wanted: Collection[Place]) -> Place:
    for one in (node, *_outwards(node, nodes, around)):
        if _place(one) in wanted:
            return _place(one)
    return _place(node)


def _outwards(node: Node, nodes: list[Node], around: dict[int, int]) -> Iterator[Node]:
    number = node.number
    while number in around:
        number = around[number]
        yield nodes[number]


def _place(node: Node) -> Place:
    return node.path, "" if node.kind is NodeKind.FILE else node.qualified_name


def _table(node: Node) -> str:
    name = node.qualified_name
    for usual in USUAL_SCHEMAS:
        name = name.removeprefix(usual)
    if node.database not in OTHER_DATABASES:
        return name
    return f"{node.database}:{name.removeprefix(node.database + '.')}"
