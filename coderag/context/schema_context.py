"""A question to the schema context for it: tables, joins, example queries, definitions and what to mind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.context.ddl import Spelling, place
from coderag.context.pack import ContextJoin, ContextTable, fitting, key_columns, pack
from coderag.index.arrays import Array
from coderag.index.catalog import Catalog
from coderag.ranking.joins import join_paths
from coderag.ranking.tables import RankedTable, TableRanking, rank_tables
from coderag.sql.dialect import GENERIC, Dialect, find_dialect
from coderag.sql.model import Column, Definition, ExampleQuery, Table
from coderag.text.budget import tokens_of

__all__ = ["SchemaContext", "connected", "schema_context"]

# Of the best score, that of APART aside: tables above it are those that the question is about.
CORE_SHARE = 0.4
# Legs that tell nothing of that: a table has the score of its database in common with all the others there, and
# something is always nearest.
APART = ("database", "dense")
MAX_CORE = 6
MAX_QUERIES = 5
MAX_DEFINITIONS = 8
PITFALL_SHARE, QUERY_SHARE, DEFINITION_SHARE = 0.15, 0.2, 0.1  # of a budget, at most
JOIN_TOKENS = 25  # of a line that says how two tables are joined


@dataclass(frozen=True, slots=True)
class SchemaContext:
    """What a program that writes SQL for a question needs to know, the best first."""

    question: str
    sql_dialect: Dialect
    tables: tuple[ContextTable, ...]
    pitfalls: tuple[str, ...] = ()  # what to mind in this dialect
    joins: tuple[ContextJoin, ...] = ()  # between the tables that the question is about
    queries: tuple[ExampleQuery, ...] = ()
    definitions: tuple[Definition, ...] = ()
    named: tuple[Table, ...] = ()  # tables that are known and had no room
    left_out: int = 0  # further ones, not even named
    complete: bool = False  # the whole schema is there
    columns: tuple[tuple[Table, str], ...] = ()  # those that matter, the best first

    @property
    def dialect(self) -> str:
        """The name of the dialect to write."""
        return self.sql_dialect.name

    @property
    def spelling(self) -> Spelling:
        """How its names are written."""
        return Spelling.of(self.sql_dialect, [*(one.table for one in self.tables), *self.named])

    def as_ddl(self, *, explain: bool = False, samples: bool = True) -> str:
        """Return it as CREATE statements and comments, which language models read best."""
        from coderag.context.render import as_ddl

        return as_ddl(self, explain=explain, values=samples)

    def as_markdown(self, *, explain: bool = False, samples: bool = True) -> str:
        """Return it as Markdown for people."""
        from coderag.context.render import as_markdown

        return as_markdown(self, explain=explain, values=samples)


def schema_context(
    catalog: Catalog,
    question: str,
    *,
    budget: int,
    k: int = 20,
    evidence: str = "",
    allowed: Array | None = None,
    vector: Array | None = None,
    samples: bool = True,
) -> SchemaContext:
    """Return the context for a question in about `budget` tokens; all tables allowed where they fit, else by rank.

    `vector` is the question's, as `rank_tables` takes it.
    """
    ranking = rank_tables(catalog, question, k=k, evidence=evidence, allowed=allowed, vector=vector)
    ranked, joins = _joined(catalog, ranking)
    dialect = _dialect(ranked)
    chosen = {one.table.name for one in ranked}
    rest = (table for table in _allowed(catalog, allowed) if table.name not in chosen)
    pitfalls = fitting(dialect.pitfalls, str, budget=PITFALL_SHARE * budget)
    similar = [catalog.queries[one.query] for one in ranking.queries[:MAX_QUERIES]]
    queries = fitting(similar, lambda query: f"{query.question} {query.text}", budget=QUERY_SHARE * budget)
    spoken = [catalog.definitions[one.definition] for one in ranking.definitions[:MAX_DEFINITIONS]]
    definitions = fitting(spoken, lambda one: f"{one.term} {one.text}", budget=DEFINITION_SHARE * budget)
    extra = [*pitfalls, *(f"{one.question} {one.text}" for one in queries), *(one.text for one in definitions)]
    left = budget - JOIN_TOKENS * len(joins) - sum(tokens_of(text) + 5 for text in extra)
    packed = pack(ranked, rest, Spelling(dialect), budget=max(left, 0), values=samples)
    there = {one.table.name for one in packed.tables}
    return SchemaContext(
        question=question,
        sql_dialect=dialect,
        tables=packed.tables,
        joins=tuple(one for one in joins if one.left in there and one.right in there),
        pitfalls=pitfalls,
        queries=queries,
        definitions=definitions,
        named=packed.named,
        left_out=packed.left_out,
        complete=packed.complete,
        columns=tuple((catalog.tables[one.table], one.column) for one in ranking.columns),
    )


def _allowed(catalog: Catalog, allowed: Array | None) -> Iterator[Table]:
    numbers: Sequence[int] = range(len(catalog)) if allowed is None else np.flatnonzero(allowed).tolist()
    return (catalog.tables[number] for number in numbers)


def _joined(catalog: Catalog, ranking: TableRanking) -> tuple[list[ContextTable], list[ContextJoin]]:
    """Return the ranked tables, with those that connect the best of them, and how these are joined."""
    matching: dict[int, set[str]] = {}
    for column in ranking.columns:
        matching.setdefault(column.table, set()).add(column.column)
    core = _core(ranking.tables)
    paths = join_paths(catalog, core)
    joins = [
        ContextJoin(
            catalog.tables[step.left].name,
            step.left_columns,
            catalog.tables[step.right].name,
            step.right_columns,
            str(step.evidence),
            place(step.source) if step.source.path else "",
        )
        for path in paths
        for step in path.steps
    ]
    tables = [
        ContextTable(
            table := catalog.tables[one.table],
            _shown(table, matching.get(one.table, set())),
            one.score,
            one.parts,
            one.reasons,
        )
        for one in ranking.tables
    ]
    known = {one.table for one in ranking.tables}
    connecting = [number for path in paths for number in path.connecting if number not in known]
    for number in dict.fromkeys(connecting):
        table = catalog.tables[number]
        reason = ("connects tables of the answer",)
        tables.insert(len(core), ContextTable(table, _shown(table, set()), reasons=reason, connecting=True))
    return tables, list(dict.fromkeys(joins))


def _core(ranked: Sequence[RankedTable]) -> list[int]:
    own = [one.score - sum(one.parts.get(leg, 0.0) for leg in APART) for one in ranked[:MAX_CORE]]
    return [one.table for one, score in zip(ranked, own, strict=False) if score >= CORE_SHARE * max(own)]


def _shown(table: Table, matching: set[str]) -> tuple[Column, ...]:
    keys = key_columns(table)
    return tuple(column for column in table.columns if column.name in keys or column.name in matching)


def _dialect(ranked: Sequence[ContextTable]) -> Dialect:
    """Return the dialect of most of the best tables; equal ones in the order of their ranks."""
    named = Counter(one.table.dialect for one in ranked[:MAX_CORE] if one.table.dialect)
    return find_dialect(named.most_common(1)[0][0] if named else GENERIC)


def connected(catalog: Catalog, tables: Sequence[Table]) -> list[Table]:
    """Return some tables of a catalog and those that connect them."""
    numbers = [number for table in tables for number in catalog.find(str(table.name))]
    found = [number for path in join_paths(catalog, numbers) for number in path.tables]
    return [catalog.tables[number] for number in dict.fromkeys((*numbers, *found))]
