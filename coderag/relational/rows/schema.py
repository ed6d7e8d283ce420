"""Catalogs to the rows of `tables`, `columns`, `foreign_keys` and `queries`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from coderag.graph.graph import NODE_KINDS, Graph
from coderag.graph.records import NodeKind
from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.relational.rows.arrays import Columns, lists, nullable, texts
from coderag.relational.rows.graph import SymbolNumbers
from coderag.sql.records import ExampleQuery, ForeignKey, Name, Source, Table

__all__ = ["SchemaRows", "column_columns", "foreign_key_columns", "query_columns", "table_columns"]

TABLES = (NodeKind.TABLE, NodeKind.VIEW)
NOWHERE = Source()


class TableRow(NamedTuple):
    """A table with its number, 0 if it has no symbol."""

    repository: str
    table_id: int
    table: Table


class QueryRow(NamedTuple):
    """A query with its number, 0 if it has no symbol."""

    repository: str
    query_id: int
    query: ExampleQuery


class SchemaRows:
    """The tables and queries of all roots with the numbers of their symbols."""

    def __init__(self, catalogs: Mapping[str, Catalog], symbols: SymbolNumbers) -> None:
        self._catalogs = catalogs
        self._symbols = symbols

    @cached_property
    def tables(self) -> list[TableRow]:
        """The tables, in the order of their catalogs."""
        return [
            TableRow(repository, number, table)
            for repository, catalog in self._catalogs.items()
            for number, table in zip(self._table_ids(repository, catalog), catalog.tables, strict=True)
        ]

    @cached_property
    def queries(self) -> list[QueryRow]:
        """The example queries, in the order of their catalogs."""
        found = []
        for repository, catalog in self._catalogs.items():
            graph, base = self._symbols.graphs[repository], self._symbols.first[repository]
            nodes = _nodes(graph, (NodeKind.QUERY,))
            known: dict[tuple[str, int], list[int]] = defaultdict(list)
            for node in nodes:
                file, row = int(graph.node_file[node]), int(graph.arrays["node_first"][node])
                known[graph.paths[file] if file >= 0 else "", row + 1].append(node)
            for query in catalog.queries:
                places = known.get((query.source.path, query.source.start_line), [])
                found.append(QueryRow(repository, base + places.pop(0) if places else 0, query))
        return found

    def _table_ids(self, repository: str, catalog: Catalog) -> Iterator[int]:
        """Yield the number of each table of a catalog, 0 for one without a symbol."""
        graph, base = self._symbols.graphs[repository], self._symbols.first[repository]
        names = self._symbols.names[repository]
        known: dict[tuple[str, str], list[int]] = defaultdict(list)
        for node in _nodes(graph, TABLES):
            if not graph.arrays["node_unknown"][node]:
                known[graph.databases[int(graph.arrays["node_database"][node])], names[node]].append(node)
        for table in catalog.tables:
            nodes = known.get((table.name.database, str(Name(table.name.name, table.name.schema))), [])
            yield base + nodes.pop(0) if nodes else 0

    @cached_property
    def by_name(self) -> dict[tuple[str, tuple[str, str, str]], TableRow]:
        """The tables by repository and name; without a schema too, where that is clear."""
        found: dict[tuple[str, tuple[str, str, str]], TableRow] = {}
        for row in reversed(self.tables):
            database, _, name = row.table.name.key
            found[row.repository, (database, "", name)] = row
        for row in reversed(self.tables):
            found[row.repository, row.table.name.key] = row
        return found

    def referred(self, row: TableRow, key: ForeignKey) -> TableRow | None:
        """Return the table that a foreign key refers to, None if it is unknown."""
        name = key.table
        database, schema, own = Name(name.name, name.schema, name.database or row.table.name.database).key
        home = row.table.name.key[1]
        spellings = ((database, schema, own), (database, home, own), (database, "", own))
        found = (self.by_name.get((row.repository, spelling)) for spelling in spellings)
        return next((one for one in found if one is not None), None)


def _nodes(graph: Graph, kinds: tuple[NodeKind, ...]) -> list[int]:
    codes = [NODE_KINDS.index(kind) for kind in kinds]
    nodes: list[int] = np.flatnonzero(np.isin(graph.node_kind, codes)).tolist()
    return nodes


def table_columns(rows: SchemaRows) -> Columns:
    """Return the columns of `tables`."""
    tables = [row.table for row in rows.tables]
    sources = [table.sources[0] if table.sources else NOWHERE for table in tables]
    counts = np.array([table.row_count for table in tables], np.int64)
    return {
        "repository": texts([row.repository for row in rows.tables]),
        "table_id": _ids([row.table_id for row in rows.tables]),
        "database": texts([table.name.database for table in tables]),
        "schema_name": texts([table.name.schema for table in tables]),
        "name": texts([table.name.name for table in tables]),
        "kind": texts([str(table.kind) for table in tables]),
        "comment": texts([table.comment for table in tables]),
        "column_count": np.array([len(table.columns) for table in tables], np.int32),
        "row_count": nullable(counts, counts < 0),
        "dialect": texts([table.dialect for table in tables]),
        "environment": texts([table.environment for table in tables]),
        "domain": texts([table.domain for table in tables]),
        "model": texts([table.alias for table in tables]),
        "origins": lists([[str(origin) for origin in table.origins] for table in tables]),
        **_places(sources),
    }


def column_columns(rows: SchemaRows) -> Columns:
    """Return the columns of `columns`."""
    found = [(row, place, column) for row in rows.tables for place, column in enumerate(row.table.columns, start=1)]
    columns = [column for *_, column in found]
    return {
        "repository": texts([row.repository for row, *_ in found]),
        # The graph has the columns of a table right behind it, in order.
        "column_id": _ids([row.table_id + place if row.table_id else 0 for row, place, _ in found]),
        "table_id": _ids([row.table_id for row, *_ in found]),
        "table_name": texts([row.table.name.name for row, *_ in found]),
        "position": np.array([place for _, place, _ in found], np.int32),
        "name": texts([column.name for column in columns]),
        "type": texts([column.type for column in columns]),
        "is_nullable": np.array([column.nullable for column in columns], np.bool_),
        **_keyed(rows.tables),
        "default_value": texts([column.default for column in columns]),
        "comment": texts([column.comment for column in columns]),
        **_line([column.source for column in columns]),
    }


def _keyed(tables: list[TableRow]) -> Columns:
    """Return which columns of some tables, in order, are in a primary key, in a foreign key, or unique alone."""
    primary: list[bool] = []
    foreign: list[bool] = []
    unique: list[bool] = []
    for table in (row.table for row in tables):
        referring = {name.casefold() for key in table.foreign_keys for name in key.columns}
        for name in (column.name for column in table.columns):
            primary.append(_is_in(name, table.primary_key))
            foreign.append(name.casefold() in referring)
            unique.append(_is_unique(name, table))
    return {
        "is_primary_key": np.array(primary, np.bool_),
        "is_foreign_key": np.array(foreign, np.bool_),
        "is_unique": np.array(unique, np.bool_),
    }


def foreign_key_columns(rows: SchemaRows) -> Columns:
    """Return the columns of `foreign_keys`."""
    found: list[tuple[TableRow, ForeignKey, int, TableRow | None]] = [
        (row, key, place, rows.referred(row, key))
        for row in rows.tables
        for key in row.table.foreign_keys
        for place in range(len(key.columns))
    ]
    return {
        "repository": texts([row.repository for row, *_ in found]),
        "table_id": _ids([row.table_id for row, *_ in found]),
        "table_name": texts([row.table.name.name for row, *_ in found]),
        "name": texts([key.name for _, key, *_ in found]),
        "position": np.array([place + 1 for *_, place, _ in found], np.int32),
        "column_name": texts([key.columns[place] for _, key, place, _ in found]),
        "referenced_table_id": _ids([0 if target is None else target.table_id for *_, target in found]),
        "referenced_table": texts(
            [key.table.name if target is None else target.table.name.name for _, key, _, target in found]
        ),
        "referenced_column": texts([_referenced(key, place, target) for _, key, place, target in found]),
        "evidence": texts([str(key.evidence) for _, key, *_ in found]),
        **_line([key.source for _, key, *_ in found]),
    }


def _referenced(key: ForeignKey, place: int, target: TableRow | None) -> str | None:
    """Return the column that one of a key refers to, None if it is unknown."""
    columns = key.referenced or (target.table.primary_key if target else ())
    return columns[place] if len(columns) == len(key.columns) else None


def query_columns(rows: SchemaRows) -> Columns:
    """Return the columns of `queries`."""
    queries = [row.query for row in rows.queries]
    return {
        "repository": texts([row.repository for row in rows.queries]),
        "query_id": _ids([row.query_id for row in rows.queries]),
        "question": texts([query.question for query in queries]),
        "text": texts([query.text for query in queries]),
        "dialect": texts([query.dialect for query in queries]),
        "database": texts([query.database for query in queries]),
        "calls": np.array([query.calls for query in queries], np.int64),
        "milliseconds": np.array([query.milliseconds for query in queries], np.float64),
        "reads": lists([[name.name for name in query.usage.reads] for query in queries]),
        "writes": lists([[name.name for name in query.usage.writes] for query in queries]),
        **_places([query.source for query in queries]),
    }


def _ids(numbers: list[int]) -> Array:
    found = np.array(numbers, np.int32)
    return nullable(found, found == 0)


def _places(sources: list[Source]) -> Columns:
    first = np.array([source.start_line for source in sources], np.int32)
    last = np.array([source.end_line for source in sources], np.int32)
    return {
        "path": texts([source.path or None for source in sources]),
        "start_line": nullable(first, first < 1),
        "end_line": nullable(last, first < 1),
    }


def _line(sources: list[Source]) -> Columns:
    places = _places(sources)
    return {"path": places["path"], "line": places["start_line"]}


def _is_in(name: str, names: tuple[str, ...]) -> bool:
    return name.casefold() in {one.casefold() for one in names}


def _is_unique(name: str, table: Table) -> bool:
    return any(len(key) == 1 and _is_in(name, key) for key in (table.primary_key, *table.unique))
