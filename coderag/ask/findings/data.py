"""A question about data to its tables, how they are joined, the queries most like it, and SQL to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coderag.ask.findings.naming import Piece, finding_of, listed
from coderag.ask.findings.passages import source_of
from coderag.ask.findings.places import Places
from coderag.ask.records import Finding, Route
from coderag.ask.source import Source
from coderag.record import record
from coderag.search.context.joining import all_joins
from coderag.search.tables.joins import join_paths
from coderag.text.tokens import stem, words

if TYPE_CHECKING:
    from coderag.api.index import Index
    from coderag.index.catalog.catalog import Catalog
    from coderag.search.context.pack import ContextJoin
    from coderag.search.tables.tables import RankedTable
    from coderag.sql.records import ExampleQuery, Name, Table
    from coderag.sql.records import Source as Lines
    from coderag.types import TableFilter

__all__ = ["DataAnswer", "data_answer"]

MAX_TABLES, MAX_QUERIES = 4, 2
NEAR_BEST = 0.45  # share of the best table's score that another one needs
SIMILAR = 0.5  # of an example query, from which it is given in place of a skeleton
MAX_COLUMNS = 8


@record
class DataAnswer:
    """What the schema says of a question; `sql` is an example query, or a skeleton, as `origin` says."""

    findings: tuple[Finding, ...] = ()
    covered: frozenset[str] = frozenset()  # stems of the words of the tables, columns and queries that are given
    sql: str = ""
    origin: str = ""


def data_answer(index: Index, question: str, places: Places, *, conditions: TableFilter) -> DataAnswer:
    """Return the tables that a question needs, their joins, the nearest example queries, and SQL to begin with."""
    ranking = index.table_ranking(question, k=2 * MAX_TABLES, conditions=conditions)
    if not ranking.matched or not ranking.tables:
        return DataAnswer()
    catalog = index.catalog
    chosen = _chosen(catalog, ranking.tables)
    context = index.schema_context(question, k=MAX_TABLES, conditions=conditions)
    names = {str(catalog.tables[ranked.table].name) for ranked in chosen}
    tables = [catalog.tables[ranked.table] for ranked in chosen]
    paths = join_paths(catalog, [ranked.table for ranked in chosen])
    joined = list(dict.fromkeys([ranked.table for ranked in chosen] + [one for path in paths for one in path.tables]))
    joins = all_joins(catalog, paths, joined)
    stems = _stems(question)
    findings = [
        _of_table(table, stems, places, score=ranked.score) for table, ranked in zip(tables, chosen, strict=True)
    ]
    findings += [_of_join(join, places) for join in joins]
    queries = [query for query in context.queries if names & {str(name) for name in query.usage.reads}] or [
        *context.queries
    ]
    findings += [_of_query(query, places) for query in queries[:MAX_QUERIES]]
    sql, origin = _sql(queries, tables, joins, stems)
    text = " ".join(
        [*(f"{table.name} {table.comment} {' '.join(column.name for column in table.columns)}" for table in tables)]
        + [f"{query.question} {query.text}" for query in queries[:MAX_QUERIES]]
        + [f"{definition.term} {definition.text}" for definition in context.definitions]
    )
    return DataAnswer(tuple(finding for finding in findings if finding is not None), _stems(text), sql, origin)


def _chosen(catalog: Catalog, ranked: Sequence[RankedTable]) -> list[RankedTable]:
    """Return the best tables: those whose score is near the best one's, of its database."""
    best = ranked[0]
    group = catalog.group[best.table]
    return [
        table
        for table in ranked[:MAX_TABLES]
        if catalog.group[table.table] == group and table.score >= NEAR_BEST * best.score
    ]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(piece.lower()) for word in words(text) for piece in (word, *word.split("_")) if piece)


def _matching(table: Table, stems: frozenset[str]) -> list[str]:
    """Return columns to name: those with a word of the question first, then the others in order."""
    names = [column.name for column in table.columns]
    return sorted(names, key=lambda name: not stems & _stems(name))


def _of_table(table: Table, stems: frozenset[str], places: Places, *, score: float) -> Finding | None:
    names = _matching(table, stems)
    shown = sorted(names[:MAX_COLUMNS], key=[column.name for column in table.columns].index)
    more = ", …" if len(names) > len(shown) else ""
    comment = f": {table.comment}" if table.comment else ""
    name = _spelled(table.name)
    declared = [one for lines in table.sources if (one := _source(lines, places, name=name))]
    if not declared:
        return None
    columns = [Piece(column, _adding(column, declared)) for column in shown]
    pieces = [Piece(f"{table.kind} {name} ("), *listed(columns), Piece(f"{more}){comment}")]
    return finding_of(pieces, route=Route.DATA, confidence=min(score, 1.0), own=declared[0])


def _adding(column: str, declared: Sequence[Source]) -> Source | None:
    """Return what adds a column to a table, None for one that the table is created with."""
    first, *later = declared
    return None if _has(first, column) else next((one for one in later if _has(one, column)), None)


def _has(source: Source, name: str) -> bool:
    return name.casefold() in map(str.casefold, words(source.text))


def _of_join(join: ContextJoin, places: Places) -> Finding | None:
    path, _, line = join.where.rpartition(":")
    if not line.isdigit():
        return None
    source = places.source("", path, int(line), name=_spelled(join.left))
    if source is not None and join.right.name.casefold() not in source.text.casefold():
        source = _statement(path, int(line), places) or source  # a query joins, of which this is the first line
    text = f"{_spelled(join.left)} joins {_spelled(join.right)} on {_condition(join)}"
    return None if source is None else Finding(text, source, Route.DATA, 1.0, is_fact=True)


def _spelled(name: Name) -> str:
    """Return a table's name as SQL within its database has it."""
    return f"{name.schema}.{name.name}" if name.schema else name.name


def _statement(path: str, line: int, places: Places) -> Source | None:
    """Return the chunk that a line is in as a source."""
    around = (chunk for chunk in places.chunks("", path) if any(line in part for part in chunk.parts))
    return next(map(source_of, around), None)


def _condition(join: ContextJoin) -> str:
    pairs = zip(join.left_columns, join.right_columns, strict=False)
    return " AND ".join(f"{_spelled(join.left)}.{left} = {_spelled(join.right)}.{right}" for left, right in pairs)


def _of_query(query: ExampleQuery, places: Places) -> Finding | None:
    asked = query.question or "no comment says what it answers"
    source = _source(query.source, places)
    if source is not None and not _stems(query.question) <= _stems(source.text):
        source = _statement(source.path, source.start_line, places) or source  # prose around it says what it answers
    return Finding(f"an example query is near: {asked}", source, Route.DATA, SIMILAR) if source else None


def _source(lines: Lines, places: Places, *, name: str = "") -> Source | None:
    return places.source("", lines.path, lines.start_line, end=lines.end_line, name=name) if lines.start_line else None


def _sql(
    queries: Sequence[ExampleQuery], tables: Sequence[Table], joins: Sequence[ContextJoin], stems: frozenset[str]
) -> tuple[str, str]:
    """Return the example query that has most of the question's words, else a skeleton of the tables, and what it is."""
    asked = {one for one in stems if len(one) > 2}
    for query in queries[:1]:
        shared = asked & _stems(query.question or query.text)
        if query.question and len(shared) >= SIMILAR * max(len(asked), 1):
            return query.text.strip(), f"the example query at {query.source.path}:{query.source.start_line}"
    return _skeleton(tables, joins, stems), "a skeleton: conditions and aggregates are left to you"


def _skeleton(tables: Sequence[Table], joins: Sequence[ContextJoin], stems: frozenset[str]) -> str:
    first = tables[0]
    columns = [
        f"{_spelled(table.name)}.{name}" for table in tables for name in _matching(table, stems) if stems & _stems(name)
    ]
    lines = [f"SELECT {', '.join(columns[:MAX_COLUMNS]) or '*'}", f"FROM {_spelled(first.name)}"]
    known, left = {str(first.name)}, list(joins)
    while following := next((join for join in left if (str(join.left) in known) != (str(join.right) in known)), None):
        new = following.right if str(following.left) in known else following.left
        lines.append(f"JOIN {_spelled(new)} ON {_condition(following)}")
        known.add(str(new))
        left.remove(following)
    return "\n".join(lines)
