"""A schema to the arrays that its catalog consists of (coderag.index.catalog.catalog)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from coderag.index.catalog.column_lookup import ColumnLookup
from coderag.index.catalog.files import file_arrays
from coderag.index.catalog.join_graph import EVIDENCE, Relation, relations_of
from coderag.index.catalog.schema_postings import column_words, definition_words, piece_words, query_words, table_words
from coderag.index.catalog.table_names import TableNames
from coderag.index.catalog.vectors import SchemaVectors
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import pack_strings
from coderag.index.storage.record_json import encode_record
from coderag.sql.records import Definition, ExampleQuery, Schema, Table

__all__ = ["CATALOG_FORMAT", "FOREIGN", "PRIMARY", "REFERRED", "catalog_arrays"]

# 1: first; 2: vectors of tables and example queries; 3: the files of each database
CATALOG_FORMAT = 3
PRIMARY, FOREIGN, REFERRED = 1, 2, 4  # flags of a column
# Properties of tables that few values share, as numbers into a list of them. A table has one of each of these, and one
# schema; of path and label it may have several.
CODED = ("kind", "dialect", "environment", "domain", "modified")


def catalog_arrays(schema: Schema, vectors: SchemaVectors | None = None) -> dict[str, Array]:
    """Return the arrays of a schema's catalog, with the vectors of the schema where there are any."""
    order = sorted(range(len(schema.tables)), key=lambda number: _place(schema.tables[number]))
    tables = [schema.tables[number] for number in order]
    names = TableNames(tables)
    columns = ColumnLookup(tables)
    relations = relations_of(tables, schema.queries, columns)
    arrays = {"format": np.array([CATALOG_FORMAT], dtype=np.uint32)}
    arrays |= _units("table", tables) | _units("relation", relations) | _units("database", schema.databases)
    arrays |= _units("query", schema.queries) | _units("definition", schema.definitions)
    arrays |= _units("routine", schema.routines) | _units("type", schema.types) | _units("problem", schema.problems)
    arrays |= _properties(tables) | _columns(tables, relations, columns) | _links(len(tables), relations)
    reads = [_read(query, names) for query in schema.queries]
    arrays |= _uses(schema.queries, reads, tables=tables, names=names, columns=columns)
    spoken = [_spoken_of(definition, names) for definition in schema.definitions]
    arrays |= _lists("definition_table", spoken) | file_arrays(schema, tables, names, read=reads, told=spoken)
    arrays |= table_words(tables) | column_words(tables) | piece_words(tables)
    arrays |= query_words(schema.queries, reads) | definition_words(schema.definitions)
    return arrays if vectors is None else arrays | vectors.ordered(order).arrays()


def _place(table: Table) -> tuple[str, str, int, str]:
    first = table.sources[0] if table.sources else None
    return table.name.database, first.path if first else "", first.start_line if first else 0, str(table.name)


def _units(prefix: str, units: Sequence[msgspec.Struct]) -> dict[str, Array]:
    encoded = [encode_record(unit) for unit in units]
    offsets = np.zeros(len(encoded) + 1, dtype=np.uint64)
    np.cumsum(np.array([len(one) for one in encoded], dtype=np.uint64), out=offsets[1:])
    return {f"{prefix}_json": np.frombuffer(b"".join(encoded), dtype=np.uint8), f"{prefix}_json_offsets": offsets}


def _strings(prefix: str, strings: Sequence[str]) -> dict[str, Array]:
    blob, offsets = pack_strings(strings)
    return {f"{prefix}_blob": blob, f"{prefix}_offsets": offsets}


def _lists(prefix: str, lists: Sequence[Sequence[int]]) -> dict[str, Array]:
    """Return lists of numbers as all of them in a row and where each list begins."""
    offsets = np.zeros(len(lists) + 1, dtype=np.uint32)
    np.cumsum(np.array([len(values) for values in lists], dtype=np.uint32), out=offsets[1:])
    flat = np.array([number for values in lists for number in values], dtype=np.uint32)
    return {f"{prefix}_items": flat, f"{prefix}_starts": offsets}


def _properties(tables: Sequence[Table]) -> dict[str, Array]:
    """Return what tables are chosen and ordered by."""
    databases = list(dict.fromkeys(table.name.database for table in tables))
    group = {name: number for number, name in enumerate(databases)}
    ordered = sorted(range(len(tables)), key=lambda number: (_place(tables[number])[1], str(tables[number].name)))
    tie = np.zeros(len(tables), dtype=np.uint32)
    tie[ordered] = np.arange(len(tables), dtype=np.uint32)
    arrays: dict[str, Array] = {
        "table_group": np.array([group[table.name.database] for table in tables], dtype=np.uint32),
        "table_tie": tie,
        "table_rows": np.array([table.row_count for table in tables], dtype=np.int64),
    }
    arrays |= _strings("group", databases) | _strings("table_name", [table.name.name for table in tables])
    arrays |= _coded("schema", [table.name.schema for table in tables])
    for name in CODED:
        arrays |= _coded(name, [str(getattr(table, name, "")) for table in tables])
    arrays |= _coded_lists("path", [list(dict.fromkeys(source.path for source in table.sources)) for table in tables])
    return arrays | _coded_lists("label", [table.labels for table in tables])


def _coded(name: str, values: Sequence[str]) -> dict[str, Array]:
    """Return the distinct values of a property, and the number of each table's among them."""
    known = sorted(set(values))
    code = {value: number for number, value in enumerate(known)}
    numbers = np.array([code[value] for value in values], dtype=np.uint32)
    return _strings(f"{name}_value", known) | {f"table_{name}": numbers}


def _coded_lists(name: str, lists: Sequence[Sequence[str]]) -> dict[str, Array]:
    """Return the distinct values of a property of which a table has several, and the numbers of each table's."""
    known = sorted({value for values in lists for value in values})
    code = {value: number for number, value in enumerate(known)}
    return _strings(f"{name}_value", known) | _lists(
        f"table_{name}", [[code[one] for one in values] for values in lists]
    )


def _columns(tables: Sequence[Table], relations: Sequence[Relation], columns: ColumnLookup) -> dict[str, Array]:
    starts = np.zeros(len(tables) + 1, dtype=np.uint32)
    np.cumsum(np.array([len(table.columns) for table in tables], dtype=np.uint32), out=starts[1:])
    flags = np.zeros(len(columns), dtype=np.uint8)
    for number, table in enumerate(tables):
        flags[columns.found(number, table.primary_key)] |= PRIMARY
    ends: tuple[list[list[int]], list[list[int]]] = ([], [])
    for relation in relations:
        sides = ((relation.left, relation.left_columns, FOREIGN), (relation.right, relation.right_columns, REFERRED))
        for end, (table_number, names, flag) in zip(ends, sides, strict=True):
            found = columns.found(table_number, names)
            end.append(found)
            flags[found] |= flag
    arrays: dict[str, Array] = {"column_starts": starts, "column_flags": flags}
    arrays |= _strings("column_name", [column.name for table in tables for column in table.columns])
    return arrays | _lists("relation_left", ends[0]) | _lists("relation_right", ends[1])


def _links(size: int, relations: Sequence[Relation]) -> dict[str, Array]:
    """Return the graph of joins: of each table its neighbours, ascending, and the surest evidence for each."""
    best: dict[tuple[int, int], int] = {}
    for relation in relations:
        if relation.left != relation.right:
            evidence = EVIDENCE.index(relation.evidence)
            for pair in ((relation.left, relation.right), (relation.right, relation.left)):
                best[pair] = min(best.get(pair, evidence), evidence)
    ordered = sorted(best)
    counts = np.bincount([left for left, _ in ordered], minlength=size) if ordered else np.zeros(size, dtype=np.int64)
    starts = np.zeros(size + 1, dtype=np.uint32)
    np.cumsum(counts, out=starts[1:])
    links: dict[str, Array] = {
        "link_starts": starts,
        "link_tables": np.array([right for _, right in ordered], dtype=np.uint32),
        "link_evidence": np.array([best[pair] for pair in ordered], dtype=np.uint8),
        "relation_left_table": np.array([relation.left for relation in relations], dtype=np.uint32),
        "relation_right_table": np.array([relation.right for relation in relations], dtype=np.uint32),
        "relation_evidence": np.array([EVIDENCE.index(relation.evidence) for relation in relations], dtype=np.uint8),
    }
    return links


def _read(query: ExampleQuery, names: TableNames) -> list[int]:
    touched = (*query.usage.reads, *query.usage.writes)
    found = (names.find(name, database=query.database) for name in touched)
    return list(dict.fromkeys(number for number in found if number is not None))


def _spoken_of(definition: Definition, names: TableNames) -> list[int]:
    of_columns = (use.tables[0] for use in definition.columns if len(use.tables) == 1)
    found = (names.find(name) for name in (*definition.tables, *of_columns))
    return list(dict.fromkeys(number for number in found if number is not None))


def _used(query: ExampleQuery, names: TableNames, columns: ColumnLookup) -> list[int]:
    """Return the columns that a query uses, of those whose table is known for sure."""
    found: dict[int, None] = {}
    for use in query.usage.columns:
        number = names.find(use.tables[0], database=query.database) if len(use.tables) == 1 else None
        if number is not None:
            found.update(dict.fromkeys(columns.found(number, (use.column,))))
    return list(found)


def _uses(
    queries: Sequence[ExampleQuery],
    reads: Sequence[list[int]],
    *,
    tables: Sequence[Table],
    names: TableNames,
    columns: ColumnLookup,
) -> dict[str, Array]:
    """Return which tables and columns each example query uses, and the database that it is of (-1: not known)."""
    uses = [_used(query, names, columns) for query in queries]
    used = np.bincount([column for use in uses for column in use], minlength=len(columns))
    group = {name: number for number, name in enumerate(dict.fromkeys(table.name.database for table in tables))}
    own = [group.get(query.database, -1) for query in queries]
    of_query = [
        number if number >= 0 or not read else group[tables[read[0]].name.database]
        for number, read in zip(own, reads, strict=True)
    ]
    arrays = {"column_used": used.astype(np.uint32), "query_group": np.array(of_query, dtype=np.int32)}
    return arrays | _lists("query_table", reads) | _lists("query_column", uses)
