"""The records of the graph: nodes, which are definitions and parts of databases, and typed edges between them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from coderag.types import Span

__all__ = ["Certainty", "Edge", "EdgeKind", "Node", "NodeKind", "Note"]


class NodeKind(StrEnum):
    """What a node is: a `coderag.types.Kind`, or one of the kinds that are no chunks."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TRAIT = "trait"
    STRUCT = "struct"
    ENUM = "enum"
    TYPE = "type"
    MODULE = "module"
    CONSTANT = "constant"
    FIELD = "field"
    EXTENSION = "extension"
    MACRO = "macro"
    SECTION = "section"
    TABLE = "table"
    VIEW = "view"
    TRIGGER = "trigger"
    QUERY = "query"
    FILE = "file"  # all of a file: what stands outside of its definitions
    COLUMN = "column"
    ROUTINE = "routine"  # a function or procedure of a database
    TERM = "term"  # a definition of a business term
    ROUTE = "route"  # an address that a program answers
    BLOCK = "block"
    CELL = "cell"


class EdgeKind(StrEnum):
    """How the source of an edge stands to its target."""

    CONTAINS = "contains"  # file -> definition -> member; table -> column
    IMPORTS = "imports"  # file -> file or definition
    CALLS = "calls"
    INHERITS = "inherits"
    IMPLEMENTS = "implements"
    OVERRIDES = "overrides"  # method -> the method of a base that it replaces
    REFERENCES = "references"  # names it as a value, type or decorator
    TESTS = "tests"  # test -> what it tests
    DOCUMENTS = "documents"  # section -> what it names as code
    FOREIGN_KEY = "foreign key"  # column -> column, table -> table
    DERIVES = "derives"  # view, dbt model or column of one -> what it is computed from
    READS = "reads"  # function, routine, query -> table or column
    WRITES = "writes"
    DELETES = "deletes"
    DEFINES = "defines"  # DDL in code; the file, migration or statement that declares a table
    ALTERS = "alters"  # migration -> table or column
    MAPS = "maps"  # class -> table, field -> column
    ROUTES = "routes"  # address -> function
    DESCRIBES = "describes"  # business term -> table or column
    READS_ROWS = "reads whole rows"  # function, query -> table: SELECT *, an object of a model; beside READS
    WRITES_ROWS = "writes whole rows"  # INSERT without a list of columns, an object that is saved; beside WRITES


class Certainty(StrEnum):
    """How sure an edge is."""

    RESOLVED = "resolved"  # by imports, scopes and types
    UNIQUE = "unique name"  # nothing else that it may be has this name
    CANDIDATE = "candidate"  # one of several that it may be


class Node(NamedTuple):
    """A node; `path` is "" for what is known from a database alone, or from nothing but a statement that names it."""

    number: int
    kind: NodeKind
    name: str
    qualified_name: str  # of a column "table.column", of a table "schema.table"
    path: str = ""
    span: Span = Span(0, 0)  # 0 to 0: all of the file, or of none
    row: int = 0  # line of the name, 1-based
    database: str = ""
    unknown: bool = False  # a table or column that statements name and no schema defines
    labels: frozenset[str] = frozenset()  # of its file


class Edge(NamedTuple):
    """An edge, and where it is written."""

    source: int
    target: int
    kind: EdgeKind
    candidates: int = 0  # 0: resolved; 1: the only one of its name; n: one of n that it may be
    path: str = ""
    line: int = 0  # 1-based; 0: the file as a whole

    @property
    def certainty(self) -> Certainty:
        """How sure it is."""
        return (Certainty.RESOLVED, Certainty.UNIQUE)[self.candidates] if self.candidates < 2 else Certainty.CANDIDATE


class Note(NamedTuple):
    """Something that could not be resolved, said instead of guessed: it may be an edge to anything."""

    node: int  # where it is
    path: str
    line: int
    text: str  # "the name of a table is put in at run time", "SQL that cannot be read: ..."
