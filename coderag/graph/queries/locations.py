"""Nodes as answers show them, and how sure an edge is as a number."""

from __future__ import annotations

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind, Node, NodeKind
from coderag.index.storage.columns import LABELS
from coderag.record import record

__all__ = [
    "DATA_KINDS",
    "TYPE_KINDS",
    "VERBS",
    "Location",
    "certainty_share",
    "in_test",
    "location_of",
    "test_files",
    "with_members",
]

TEST = 1 << LABELS.index("test")
DATA_KINDS = frozenset(
    {NodeKind.TABLE, NodeKind.VIEW, NodeKind.COLUMN, NodeKind.ROUTINE, NodeKind.TERM, NodeKind.TRIGGER}
)
TYPE_KINDS = frozenset(
    {NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.TRAIT, NodeKind.STRUCT, NodeKind.ENUM, NodeKind.TYPE}
)
# An edge as a sentence has it: source, verb, target.
VERBS = {
    EdgeKind.CONTAINS: "contains",
    EdgeKind.CALLS: "calls",
    EdgeKind.READS: "reads",
    EdgeKind.WRITES: "writes",
    EdgeKind.DELETES: "deletes from",
    EdgeKind.DERIVES: "derives from",
    EdgeKind.FOREIGN_KEY: "refers to",
    EdgeKind.MAPS: "maps to",
    EdgeKind.REFERENCES: "references",
    EdgeKind.INHERITS: "inherits from",
    EdgeKind.IMPLEMENTS: "implements",
    EdgeKind.OVERRIDES: "overrides",
    EdgeKind.ROUTES: "handled by",
    EdgeKind.IMPORTS: "imports",
    EdgeKind.TESTS: "tests",
    EdgeKind.DESCRIBES: "describes",
    EdgeKind.DOCUMENTS: "documents",
    EdgeKind.DEFINES: "declares",
    EdgeKind.ALTERS: "alters",
    EdgeKind.READS_ROWS: "reads whole rows of",
    EdgeKind.WRITES_ROWS: "writes whole rows of",
}
# How likely an edge holds that was found by a name that only one thing has.
UNIQUE_CONFIDENCE = 0.9


@record
class Location:
    """A definition, file, route, or part of a database, and where it is."""

    kind: NodeKind
    name: str  # qualified; of a file its path
    path: str = ""
    line: int = 0  # of the name, 1-based; 0 for a file as a whole, and for what no file defines
    end_line: int = 0
    database: str = ""
    unknown: bool = False  # a table or column that statements name and no schema defines
    labels: frozenset[str] = frozenset()


def location_of(node: Node) -> Location:
    """Return a node as answers show it."""
    return Location(
        kind=node.kind,
        name=node.qualified_name,
        path=node.path,
        line=node.row,
        end_line=max(node.span.end_line, 0),
        database=node.database,
        unknown=node.unknown,
        labels=node.labels,
    )


def in_test(graph: Graph, node: int) -> bool:
    """Tell whether a node stands in a file of tests."""
    file = int(graph.node_file[node])
    return file >= 0 and bool(int(graph.arrays["file_labels"][file]) & TEST)


def with_members(graph: Graph, node: Node) -> list[int]:
    """Return the number of a node and those of what it contains."""
    return [node.number, *(edge.target for edge in graph.edges_from(node.number, (EdgeKind.CONTAINS,)))]


def test_files(graph: Graph) -> list[str]:
    """Return the paths of the files of tests, sorted."""
    labels = graph.arrays["file_labels"].tolist()
    return sorted(graph.paths[file] for file, bits in enumerate(labels) if bits & TEST)


def certainty_share(candidates: int) -> float:
    """Return how likely an edge holds, 0..1, by how many it may lead to."""
    return (1.0, UNIQUE_CONFIDENCE)[candidates] if candidates < 2 else 1 / candidates
