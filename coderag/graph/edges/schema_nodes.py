"""A schema to nodes and edges: tables, columns, keys, views and what they derive from, routines, queries, terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from coderag.graph.edges.tables import Tables
from coderag.graph.files import LinkedFile, Places
from coderag.graph.graph import NO_ROW, GraphDraft
from coderag.graph.queries.data_access import ROWS_OF
from coderag.graph.records import EdgeKind, NodeKind
from coderag.sql.records import (
    ColumnUse,
    Definition,
    ExampleQuery,
    Name,
    ObjectKind,
    Origin,
    Routine,
    Schema,
    Source,
    Table,
    Usage,
)
from coderag.types import Kind

__all__ = ["Data", "accesses", "add_schema"]

VIEWS = frozenset({ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW})
SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog"})
SYSTEM_TABLES = frozenset({"sqlite_master", "sqlite_schema"})
TYPES = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE, Kind.MODULE, Kind.TYPE, Kind.CONSTANT})  # map a table
CLASSES = frozenset({NodeKind.CLASS, NodeKind.STRUCT, NodeKind.INTERFACE, NodeKind.TRAIT, NodeKind.ENUM})
WORD = re.compile(r"\w+")
QUERY_NAME = 60  # characters
CREATED = "created"  # what the history of a table says of its first change
UNKNOWN_TABLES = 20_000  # of an index; beyond them names are generated


@dataclass(slots=True)
class Data:
    """The nodes of tables and their columns, and which definitions of code map them."""

    draft: GraphDraft
    tables: Tables
    table_nodes: list[int] = field(default_factory=list)
    column_nodes: list[dict[str, int]] = field(default_factory=list)  # of each table, by name in any case
    mapped: dict[int, int] = field(default_factory=dict)  # node of a class -> table
    fields: list[dict[str, int]] = field(default_factory=list)  # of each table: its field in a model -> column
    keys: dict[frozenset[int], list[tuple[int, int]]] = field(default_factory=dict)  # columns of keys between tables
    routines: dict[str, list[int]] = field(default_factory=dict)  # nodes by name, in any case
    queries: dict[str, list[int]] = field(default_factory=dict)  # numbers of queries by the file that they are in
    query_nodes: list[int] = field(default_factory=list)
    unknown: dict[tuple[str, str], int] = field(default_factory=dict)  # schema and name, in lower case
    unknown_columns: dict[tuple[int, str], int] = field(default_factory=dict)

    def is_type(self, node: int) -> bool:
        """Tell whether a node is a class or the like."""
        return self.draft.nodes[node][0] in CLASSES

    def unknown_table(self, name: Name) -> int:
        """Return the node of a table that nothing defines; -1 for one of the database itself, and beyond a limit."""
        if name.schema.casefold() in SYSTEM_SCHEMAS or name.name.casefold() in SYSTEM_TABLES:
            return -1
        key = name.schema.casefold(), name.name.casefold()
        node = self.unknown.get(key, -1)
        if node < 0 and len(self.unknown) < UNKNOWN_TABLES:
            shown = str(Name(name.name, name.schema))
            node = self.unknown[key] = self.draft.add_node(NodeKind.TABLE, name.name, shown, unknown=True)
        return node

    def unknown_column(self, table: int, name: str) -> int:
        """Return the node of a column of such a table, by the table's node."""
        key = table, name.casefold()
        if key not in self.unknown_columns:
            shown = f"{self.draft.nodes[table][1]}.{name}"
            node = self.draft.add_node(NodeKind.COLUMN, name, shown, unknown=True)
            self.draft.add_edge(table, node, EdgeKind.CONTAINS)
            self.unknown_columns[key] = node
        return self.unknown_columns[key]


def add_schema(draft: GraphDraft, schema: Schema, places: Places, *, files: Sequence[LinkedFile]) -> Data:
    """Add what a schema holds, and return where it is."""
    builder = _Schema(draft, schema, places, files)
    builder.add_tables()
    builder.add_keys()
    builder.add_views()
    for routine in schema.routines:
        builder.add_routine(routine)
    for query in schema.queries:
        builder.add_query(query)
    for definition in schema.definitions:
        builder.add_term(definition)
    return builder.data


class _Schema:
    """A schema while it becomes a part of a graph."""

    def __init__(self, draft: GraphDraft, schema: Schema, places: Places, files: Sequence[LinkedFile]) -> None:
        self.draft = draft
        self.schema = schema
        self.places = places
        self.files = files
        self.numbers = {file.path: number for number, file in enumerate(files)}
        self.data = Data(draft, Tables(schema, files))

    def add_tables(self) -> None:
        """Add tables and columns, what declares and alters them, and the classes that map them."""
        for table in self.schema.tables:
            kind = NodeKind.VIEW if table.kind in VIEWS else NodeKind.TABLE
            source = table.sources[0] if table.sources else Source()
            shown = str(Name(table.name.name, table.name.schema))
            node = self._node(kind, table.name.name, shown, source, table.name.database)
            self.data.table_nodes.append(node)
            columns: dict[str, int] = {}
            fields: dict[str, int] = {}
            for column in table.columns:
                own = self._node(
                    NodeKind.COLUMN,
                    column.name,
                    f"{table.name.name}.{column.name}",
                    column.source if column.source.path else Source(source.path),
                    table.name.database,
                )
                columns[column.name.casefold()] = own
                if column.field:
                    fields[column.field] = own
                self.draft.add_edge(node, own, EdgeKind.CONTAINS, file=self._file(source), row=_row(source))
            self.data.column_nodes.append(columns)
            self.data.fields.append(fields)
            self._add_declared(table, node)
            self._add_history(table, node, columns)
            self._add_mapped(len(self.data.table_nodes) - 1, table)

    def _add_declared(self, table: Table, node: int) -> None:
        altered = {change.source for change in table.history if change.text != CREATED}
        for source in table.sources:
            place = self._place(source)
            if place is not None and source not in altered:
                self.draft.add_edge(place, node, EdgeKind.DEFINES, file=self._file(source), row=_row(source))

    def _add_history(self, table: Table, node: int, columns: dict[str, int]) -> None:
        for change in table.history:
            place = self._place(change.source)
            if place is None or change.text == CREATED:
                continue
            concerned = [columns[word.casefold()] for word in WORD.findall(change.text) if word.casefold() in columns]
            for target in (node, *concerned):
                self.draft.add_edge(
                    place, target, EdgeKind.ALTERS, file=self._file(change.source), row=_row(change.source)
                )

    def _add_mapped(self, number: int, table: Table) -> None:
        """Tie the class that an ORM maps to a table, and its fields to columns."""
        if Origin.ORM not in table.origins or not table.alias:
            return
        called = table.alias.replace("::", ".").rpartition(".")[
            2
        ]  # Django names models with their app, Ruby with their module
        for source in table.sources:
            file = self.numbers.get(source.path)
            if file is None:
                continue
            definitions = self.files[file].links.definitions
            for position, defined in enumerate(definitions):
                if (
                    defined.name != called
                    or defined.kind not in TYPES
                    or not _overlap(source, defined.first_row, defined.last_row)
                ):
                    continue
                owner = self.places.node(file, position)
                self.data.mapped[owner] = number
                self.draft.add_edge(owner, self.data.table_nodes[number], EdgeKind.MAPS, file=file, row=defined.row)
                self._add_fields(number, file, position)

    def _add_fields(self, number: int, file: int, position: int) -> None:
        columns, fields = self.data.column_nodes[number], self.data.fields[number]
        for member, defined in enumerate(self.files[file].links.definitions):
            if defined.parent != position:
                continue
            column = fields.get(defined.name, columns.get(defined.name.casefold()))
            if column is not None and defined.kind in (Kind.FIELD, Kind.CONSTANT):
                self.draft.add_edge(self.places.node(file, member), column, EdgeKind.MAPS, file=file, row=defined.row)

    def add_keys(self) -> None:
        """Add foreign keys, between tables and between columns."""
        for number, table in enumerate(self.schema.tables):
            for key in table.foreign_keys:
                target = self.data.tables.only(key.table, home=table.name)
                if target is None:
                    continue
                where = {"file": self._file(key.source), "row": _row(key.source)}
                kind = EdgeKind.FOREIGN_KEY
                self.draft.add_edge(self.data.table_nodes[number], self.data.table_nodes[target], kind, **where)
                referenced = key.referenced or self.schema.tables[target].primary_key
                if len(referenced) != len(key.columns):
                    continue
                for column, other in zip(key.columns, referenced, strict=True):
                    start = self.data.column_nodes[number].get(column.casefold())
                    end = self.data.column_nodes[target].get(other.casefold())
                    if start is not None and end is not None:
                        self.draft.add_edge(start, end, kind, **where)
                        ends = frozenset({self.data.table_nodes[number], self.data.table_nodes[target]})
                        self.data.keys.setdefault(ends, []).append((start, end))

    def add_views(self) -> None:
        """Add what views and dbt models derive from, as wholes and column by column."""
        for number, table in enumerate(self.schema.tables):
            node, home = self.data.table_nodes[number], table.name
            source = table.sources[0] if table.sources else Source()
            self._add_usage(node, table.usage, home=home, source=source, read=EdgeKind.DERIVES)
            for lineage in table.lineage:
                own = self.data.column_nodes[number].get(lineage.column.casefold())
                for column in self._columns(lineage.sources, home):
                    if own is not None:
                        self.draft.add_edge(own, column, EdgeKind.DERIVES, file=self._file(source), row=_row(source))

    def add_routine(self, routine: Routine) -> None:
        """Add a routine or trigger with what it reads, writes and calls."""
        kind = NodeKind.TRIGGER if routine.kind is ObjectKind.TRIGGER else NodeKind.ROUTINE
        shown = str(Name(routine.name.name, routine.name.schema))
        node = self._node(kind, routine.name.name, shown, routine.source, routine.name.database)
        self.data.routines.setdefault(routine.name.name.casefold(), []).append(node)
        self._add_usage(node, routine.usage, home=routine.name, source=routine.source)
        if routine.table is not None and (table := self.data.tables.only(routine.table, home=routine.name)) is not None:
            self.draft.add_edge(
                node,
                self.data.table_nodes[table],
                EdgeKind.REFERENCES,
                file=self._file(routine.source),
                row=_row(routine.source),
            )

    def add_query(self, query: ExampleQuery) -> None:
        """Add an example query with what it reads and writes."""
        name = query.question or " ".join(query.text.split())
        name = name if len(name) <= QUERY_NAME else name[: QUERY_NAME - 1] + "…"
        node = self._node(NodeKind.QUERY, name, name, query.source, query.database)
        self.data.queries.setdefault(query.source.path, []).append(len(self.data.query_nodes))
        self.data.query_nodes.append(node)
        self._add_usage(node, query.usage, home=Name("", "", query.database), source=query.source)

    def add_term(self, definition: Definition) -> None:
        """Add a business term with what it describes."""
        node = self._node(NodeKind.TERM, definition.term, definition.term, definition.source, "")
        where = {"file": self._file(definition.source), "row": _row(definition.source)}
        for name in definition.tables:
            if (table := self.data.tables.only(name)) is not None:
                self.draft.add_edge(node, self.data.table_nodes[table], EdgeKind.DESCRIBES, **where)
        for column in self._columns(definition.columns, Name("")):
            self.draft.add_edge(node, column, EdgeKind.DESCRIBES, **where)

    def _add_usage(
        self,
        node: int,
        usage: Usage,
        *,
        home: Name,
        source: Source,
        read: EdgeKind = EdgeKind.READS,
    ) -> None:
        where = {"file": self._file(source), "row": _row(source)}
        whole = {name.key for name in usage.whole}
        for name, kind in accesses(usage, read=read):
            table = self.data.tables.only(name, home=home)
            target = self.data.table_nodes[table] if table is not None else self.data.unknown_table(name)
            if target in (-1, node):
                continue
            self.draft.add_edge(node, target, kind, **where)
            rows = ROWS_OF.get(EdgeKind.READS if kind is read else kind)
            if name.key in whole and table is not None and rows is not None:
                self.draft.add_edge(node, target, rows, **where)
        for use in usage.columns:
            kind = EdgeKind.WRITES if use.write else EdgeKind.READS
            for column in self._columns([use], home):
                self.draft.add_edge(node, column, kind, **where)
        for name_called in usage.calls:
            routines = self.data.routines.get(name_called.rpartition(".")[2].casefold(), [])
            for routine in routines:
                candidates = 0 if len(routines) == 1 else len(routines)
                self.draft.add_edge(node, routine, EdgeKind.CALLS, candidates=candidates, **where)

    def _columns(self, uses: Iterable[ColumnUse], home: Name) -> list[int]:
        """Return the nodes of columns whose table is known beyond doubt."""
        found = []
        for use in uses:
            owners = {self.data.tables.only(name, home=home) for name in use.tables}
            having = [
                self.data.column_nodes[one][use.column.casefold()]
                for one in sorted(owner for owner in owners if owner is not None)
                if use.column.casefold() in self.data.column_nodes[one]
            ]
            if len(having) == 1:
                found += having
        return found

    def _node(self, kind: NodeKind, name: str, shown: str, source: Source, database: str) -> int:
        first, last = (source.start_line - 1, source.end_line - 1) if source.start_line else (NO_ROW, NO_ROW)
        return self.draft.add_node(
            kind, name, shown, file=self._file(source), rows=(first, first, last), database=database
        )

    def _file(self, source: Source) -> int:
        return self.numbers.get(source.path, -1)

    def _place(self, source: Source) -> int | None:
        """Return the innermost definition around a source, or its file."""
        file = self.numbers.get(source.path)
        if file is None:
            return None
        best = -1
        for position, defined in enumerate(self.files[file].links.definitions):
            if defined.first_row <= source.start_line - 1 <= defined.last_row and defined.kind not in (
                Kind.FIELD,
                Kind.CONSTANT,
            ):
                best = position  # a later one that holds the line is an inner one
        return self.places.node(file, best)


def accesses(usage: Usage, *, read: EdgeKind = EdgeKind.READS) -> Iterator[tuple[Name, EdgeKind]]:
    """Yield the tables that a statement touches and how; `read` is what reading them makes."""
    yield from ((name, read) for name in usage.reads)
    deleted = {name.key for name in usage.deletes}
    for name in usage.writes:
        yield name, EdgeKind.DELETES if name.key in deleted else EdgeKind.WRITES


def _row(source: Source) -> int:
    return source.start_line - 1 if source.start_line else NO_ROW


def _overlap(source: Source, first: int, last: int) -> bool:
    return not source.start_line or (source.start_line - 1 <= last and first <= source.end_line - 1)
