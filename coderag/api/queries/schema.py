"""Queries about data: the tables of a snapshot, what SQL for a question needs, and what is wrong with SQL."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coderag.errors import QueryError
from coderag.limits import BUDGET, QUERY_SECONDS, ROWS, SQL, check_name, check_number, check_text
from coderag.search.query.query import check_conditions, check_question
from coderag.types import OtherDatabases, TableFilter

if TYPE_CHECKING:
    from coderag.api.queries.pinned import PinnedSnapshot
    from coderag.relational.contents import Contents
    from coderag.relational.database import RelationalDatabase
    from coderag.relational.result import Rows
    from coderag.search.context.about import TableFacts
    from coderag.search.context.schema_context import SchemaContext
    from coderag.search.tables.tables import TableRanking
    from coderag.sql.check import Finding
    from coderag.sql.records import Table

__all__ = ["check_sql", "schema_context", "sql", "sql_to_parquet", "table", "table_ranking", "tables", "tables_about"]

NO_FILTER = TableFilter()
OPENING = threading.Lock()  # of the database of a snapshot


def schema_context(
    pinned: PinnedSnapshot,
    question: str,
    *,
    budget: int = 8000,
    k: int = 20,
    evidence: str = "",
    conditions: TableFilter = NO_FILTER,
    samples: bool = True,
    other_databases: OtherDatabases | str = OtherDatabases.NAME,
) -> SchemaContext:
    """Return what SQL for a question needs, in at most `budget` tokens: tables, joins, queries, definitions.

    Of the tables that meet the conditions: all of the leading database where they fit, else the best, at most k in
    detail; then the best of databases that the question may be about too. `other_databases` are named, or given in
    detail as far as there is room. `evidence` is what else is known of the question. Raises QueryError for an empty
    question, an unknown condition, and what exceeds a limit.
    """
    from coderag.search.context.schema_context import schema_context
    from coderag.search.tables.table_filter import allowed_tables

    check_question(question, k=k, evidence=evidence)
    check_number(BUDGET, budget)
    check_conditions(conditions)
    if other_databases not in set(OtherDatabases):
        raise QueryError(f"other_databases is {other_databases!r}; give {' or '.join(OtherDatabases)}")
    allowed = allowed_tables(pinned.catalog, conditions)
    vector = pinned.vector(question) if len(pinned.catalog) else None
    return schema_context(
        pinned.catalog,
        question,
        budget=budget,
        k=k,
        evidence=evidence,
        allowed=allowed,
        vector=vector,
        samples=samples,
        others=OtherDatabases(other_databases),
    )


def table_ranking(
    pinned: PinnedSnapshot, question: str, *, k: int = 20, evidence: str = "", conditions: TableFilter = NO_FILTER
) -> TableRanking:
    """Return what a schema context is made of: the k best tables with columns, example queries and definitions.

    They are numbers in `catalog`. Raises like `schema_context`, and takes a tenth of its time.
    """
    from coderag.search.tables.table_filter import allowed_tables
    from coderag.search.tables.tables import rank_tables

    check_question(question, k=k, evidence=evidence)
    check_conditions(conditions)
    allowed = allowed_tables(pinned.catalog, conditions)
    vector = pinned.vector(question) if len(pinned.catalog) else None
    return rank_tables(pinned.catalog, question, k=k, evidence=evidence, allowed=allowed, vector=vector)


def tables_about(
    pinned: PinnedSnapshot, question: str, *, k: int = 20, conditions: TableFilter = NO_FILTER
) -> list[Table]:
    """Return up to k tables of the database that a question is about, those that it needs first.

    Raises QueryError like `schema_context`.
    """
    from coderag.search.context.schema_context import tables_about
    from coderag.search.tables.table_filter import allowed_tables

    check_question(question, k=k)
    check_conditions(conditions)
    allowed = allowed_tables(pinned.catalog, conditions)
    vector = pinned.vector(question) if len(pinned.catalog) else None
    return tables_about(pinned.catalog, question, k=k, allowed=allowed, vector=vector)


def tables(pinned: PinnedSnapshot, conditions: TableFilter = NO_FILTER) -> list[Table]:
    """Return the tables and views that meet some conditions; raises QueryError for an unknown one."""
    from coderag.search.tables.table_filter import allowed_tables

    check_conditions(conditions)
    allowed = allowed_tables(pinned.catalog, conditions)
    numbers = range(len(pinned.catalog)) if allowed is None else np.flatnonzero(allowed).tolist()
    return [pinned.catalog.tables[number] for number in numbers]


def table(pinned: PinnedSnapshot, name: str, conditions: TableFilter = NO_FILTER) -> list[TableFacts]:
    """Return all that is known of the tables of a name, alone or with schema or database; raises QueryError."""
    from coderag.search.context.about import about_table
    from coderag.search.tables.table_filter import allowed_tables

    check_name(name, what="the name")
    check_conditions(conditions)
    allowed = allowed_tables(pinned.catalog, conditions)
    numbers = pinned.catalog.find(name)
    return [about_table(pinned.catalog, number) for number in numbers if allowed is None or allowed[number]]


def check_sql(
    pinned: PinnedSnapshot, text: str, *, dialect: str = "", conditions: TableFilter = NO_FILTER, writes: bool = False
) -> list[Finding]:
    """Return what is wrong with SQL, given the schema, in the order of its lines.

    `dialect` is that of the SQL; the tables may be of any. A statement that writes is an error unless `writes`.
    Raises QueryError for an unknown dialect or condition, for a text that is too long, and where there is no
    schema to check against.
    """
    from coderag.sql.check import check_sql

    check_text(SQL, text)
    known = tables(pinned, replace(conditions, dialects=frozenset()) if dialect else conditions)
    if not known:
        raise QueryError("there is no schema to check against: index a folder with one, or a database")
    routines = [routine.name.name for routine in pinned.catalog.routines]
    return check_sql(text, known, dialect=dialect, routines=routines, writes=writes)


def sql(pinned: PinnedSnapshot, query: str, *, k: int = 1_000, seconds: float = 30.0) -> Rows:
    """Return at most k rows of a SELECT over the index: files, symbols, edges, tables, commits and the rest.

    The tables and views are described in docs/reference/tables.md. They are filled when a query names them, which
    needs the graph for most, and stay until the index is updated. A query can neither write nor read files. Raises
    QueryError for what is no SELECT or cannot be answered, and for one that takes more than `seconds` or too much
    memory.
    """
    _check_select(query, k, seconds)
    return _database(pinned).rows(query, k=k, seconds=seconds)


def sql_to_parquet(
    pinned: PinnedSnapshot, query: str, path: str | os.PathLike[str], *, k: int = 1_000_000, seconds: float = 30.0
) -> int:
    """Write at most k rows of a SELECT over the index to a Parquet file, and return how many; raises like `sql`.

    The file is replaced as a whole. Raises OSError where it cannot be written.
    """
    from coderag.relational.parquet import write_parquet

    _check_select(query, k, seconds)
    return write_parquet(_contents(pinned), query, os.fspath(path), k=k, seconds=seconds)


def _database(pinned: PinnedSnapshot) -> RelationalDatabase:
    """Return the index as a database of tables, made once for each snapshot."""
    from coderag.relational.database import RelationalDatabase

    known = pinned.snapshot.databases_of_tables
    with OPENING:
        if pinned.stored_graph not in known:
            known[pinned.stored_graph] = RelationalDatabase(_contents(pinned))
        return known[pinned.stored_graph]


def _contents(pinned: PinnedSnapshot) -> Contents:
    """Return the index as columns; of the history, what is stored by then."""
    from coderag.relational.contents import Contents, IndexSources

    snapshot = pinned.snapshot
    return Contents(
        IndexSources(
            corpus=snapshot.corpus,
            graphs=pinned.graphs,
            catalogs=lambda: snapshot.catalogs,
            histories=snapshot.read_histories,
        )
    )


def _check_select(query: str, k: int, seconds: float) -> None:
    check_text(SQL, query)
    check_number(ROWS, k)
    check_number(QUERY_SECONDS, seconds)
