"""A question to its schema context: tables, joins, example queries, definitions and pitfalls of the dialect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.search.context.bounded import fitted
from coderag.search.context.candidates import Candidates, candidates
from coderag.search.context.ddl import Spelling
from coderag.search.context.joining import all_joins
from coderag.search.context.pack import Packed, fitting, pack
from coderag.search.context.records import Context
from coderag.search.context.render import as_ddl, as_markdown, ddl_text
from coderag.search.context.scope import chosen_scope, named_databases
from coderag.search.tables.joins import join_paths
from coderag.search.tables.tables import TableRanking, rank_tables
from coderag.sql.records import Definition, ExampleQuery, Table
from coderag.sql.statements.dialect import GENERIC, Dialect, find_dialect
from coderag.text.budget import tokens_of
from coderag.types import OtherDatabases

__all__ = ["SchemaContext", "connected", "schema_context", "tables_about"]

MAX_BEST = 6  # tables whose dialect is written
MAX_QUERIES = 5
MAX_DEFINITIONS = 8
PITFALL_SHARE, QUERY_SHARE, DEFINITION_SHARE = 0.15, 0.2, 0.1  # of a budget, at most
TITLE_TOKENS = 12  # of the first lines
OTHERS_SHARE, OTHER_TOKENS = 0.06, 16  # for the names of other databases: of a budget at most, and of each
MAX_LISTED = 1_000  # tables that are named where no word fits


class SchemaContext(Context):
    """A context that can be written as text."""

    __slots__ = ()

    def as_ddl(self, *, explain: bool = False, samples: bool = True) -> str:
        """Return it as CREATE statements and comments, which language models read best."""
        return as_ddl(self, explain=explain, values=samples)

    def as_markdown(self, *, explain: bool = False, samples: bool = True) -> str:
        """Return it as Markdown for people."""
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
    others: OtherDatabases = OtherDatabases.NAME,
) -> SchemaContext:
    """Return the context for a question in at most `budget` tokens.

    The leading database comes first, whole where it fits, then the best tables of those that the question may be about
    too; `others` are named or given in detail. `vector` is the question's, as `rank_tables` takes it.
    """
    ranking = rank_tables(catalog, question, k=k, evidence=evidence, allowed=allowed, vector=vector)
    scope = chosen_scope(catalog, ranking, others)
    found = candidates(catalog, ranking, scope, allowed)
    listed = [] if ranking.matched else _in_order(catalog, ranking, allowed)
    dialect = _dialect([context_table.table for context_table in found.ranked] or listed)
    hints = _hints(catalog, ranking, dialect, budget=budget)
    naming = min(OTHERS_SHARE * budget, OTHER_TOKENS * len(scope.behind))
    room = max(budget - TITLE_TOKENS - naming - hints.tokens, 0)
    packed = _packed(catalog, found, dialect, budget=room, samples=samples)
    if not ranking.matched and not packed.whole:
        packed = Packed((), tuple(listed), whole=False)
    known = sum(database.size for database in ranking.databases)
    shown = {int(catalog.group[table.number]) for table in packed.tables}
    behind = [ranked for ranked in scope.behind if shown and ranked.database not in shown]
    named = named_databases(catalog, behind)
    context = SchemaContext(
        question=question,
        sql_dialect=dialect,
        tables=packed.tables,
        pitfalls=hints.pitfalls,
        joins=tuple(all_joins(catalog, found.paths, [table.number for table in packed.tables])),
        queries=hints.queries,
        definitions=hints.definitions,
        named=packed.named,
        left_out=known - len(packed.tables) - len(packed.named),
        complete=known == len(packed.tables) > 0 and all(table.whole for table in packed.tables),
        columns=tuple((catalog.tables[column.table], column.column) for column in ranking.columns),
        leading=catalog.groups[scope.leading] if packed.tables else "",
        whole=packed.whole,
        sizes={catalog.groups[database.database]: database.size for database in ranking.databases},
        others=named,
        others_left_out=len(behind) - len(named),
        matched=ranking.matched,
        comments=packed.comments,
        budget=budget,
    )
    return fitted(context, lambda smaller: ddl_text(smaller, values=samples))[0]


def _packed(catalog: Catalog, found: Candidates, dialect: Dialect, *, budget: float, samples: bool) -> Packed:
    """Return as much of the candidates as fits."""
    return pack(
        found,
        cache(lambda number: frozenset(neighbour for neighbour, _ in catalog.neighbours(number))),
        Spelling.of(dialect, found.tables),
        budget=budget,
        values=samples,
    )


@dataclass(frozen=True, slots=True)
class _Hints:
    """What a context has beside tables."""

    pitfalls: tuple[str, ...]
    queries: tuple[ExampleQuery, ...]
    definitions: tuple[Definition, ...]

    @property
    def tokens(self) -> int:
        texts = [*self.pitfalls, *(f"{query.question} {query.text}" for query in self.queries)]
        return sum(tokens_of(text) + 5 for text in (*texts, *(definition.text for definition in self.definitions)))


def _hints(catalog: Catalog, ranking: TableRanking, dialect: Dialect, *, budget: int) -> _Hints:
    similar = [catalog.queries[similar_query.query] for similar_query in ranking.queries[:MAX_QUERIES]]
    named = [catalog.definitions[definition.definition] for definition in ranking.definitions[:MAX_DEFINITIONS]]
    return _Hints(
        fitting(dialect.pitfalls, str, budget=PITFALL_SHARE * budget),
        fitting(similar, lambda query: f"{query.question} {query.text}", budget=QUERY_SHARE * budget),
        fitting(named, lambda definition: f"{definition.term} {definition.text}", budget=DEFINITION_SHARE * budget),
    )


def _in_order(catalog: Catalog, ranking: TableRanking, allowed: Array | None) -> list[Table]:
    """Return the tables allowed, database by database."""
    found: list[int] = []
    for database in ranking.databases:
        own = catalog.group == database.database
        found += np.flatnonzero(own if allowed is None else own & allowed).tolist()
    return [catalog.tables[number] for number in found[:MAX_LISTED]]


def _dialect(tables: Sequence[Table]) -> Dialect:
    """Return the dialect of most of the best tables; equal ones in the order of their ranks."""
    named = Counter(table.dialect for table in tables[:MAX_BEST] if table.dialect)
    return find_dialect(named.most_common(1)[0][0] if named else GENERIC)


def tables_about(
    catalog: Catalog, question: str, *, k: int, allowed: Array | None = None, vector: Array | None = None
) -> list[Table]:
    """Return k tables of the database that a question is about, the best first."""
    ranking = rank_tables(catalog, question, k=k, allowed=allowed, vector=vector)
    found = candidates(catalog, ranking, chosen_scope(catalog, ranking, OtherDatabases.NAME), allowed)
    return [context_table.table for context_table in (*found.leading, *found.rest)][:k]


def connected(catalog: Catalog, tables: Sequence[Table]) -> list[Table]:
    """Return some tables of a catalog and those that connect them."""
    numbers = [number for table in tables for number in catalog.find(str(table.name))]
    found = [number for path in join_paths(catalog, numbers) for number in path.tables]
    return [catalog.tables[number] for number in dict.fromkeys((*numbers, *found))]
