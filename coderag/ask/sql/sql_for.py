"""A question to the SQL that answers it, with the tables, joins and definitions that it rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.models.model import LanguageModel
from coderag.ask.sql.candidates import SAMPLES, Judge, NoSqlError, sampled
from coderag.ask.sql.examples import adapted
from coderag.ask.sql.prompt import sql_messages
from coderag.ask.sql.read_only import objection, read_only
from coderag.ask.sql.records import Candidate, Rule, SqlAnswer, SqlKind
from coderag.ask.sql.skeleton import skeleton
from coderag.catalog.introspect.explain import explain
from coderag.catalog.introspect.url import DatabaseUrl, parse_url
from coderag.search.context.ddl import place
from coderag.search.context.render import on_clause
from coderag.search.context.schema_context import SchemaContext
from coderag.sql.lineage.usage import usage_of_text
from coderag.sql.records import ExampleQuery
from coderag.sql.statements.dialect import find_dialect
from coderag.types import TableFilter

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["sql_for"]

BUDGET = 8000  # tokens of the schema that a model is shown
EXAMPLE_SCORE = 0.5  # of the similarity of two questions, below which an example answers another one
SKELETON_NOTE = "a skeleton of the tables and columns that the question names: complete it before you run it"
NEAREST = "the nearest example query is at {place}"
EXAMPLE_NOTE = "an example query whose question is similar{change}: {place}"
NO_FILTER = TableFilter()
NO_TABLE = "no table holds a word of the question"


def sql_for(
    question: str,
    index: Index,
    *,
    model: LanguageModel | None = None,
    database: str | DatabaseUrl | None = None,
    evidence: str = "",
    conditions: TableFilter = NO_FILTER,
    samples: int = SAMPLES,
) -> SqlAnswer:
    """Return SQL for a question: a model's, else the nearest example query adapted, else a skeleton.

    What is returned was checked against the schema, and with `database` by that database's EXPLAIN; it is not run.
    Raises QueryError for what `Index.schema_context` refuses, LanguageModelError for a model that does not answer,
    DatabaseError for a database that does not.
    """
    context = index.schema_context(question, budget=BUDGET, evidence=evidence, conditions=conditions)
    address = parse_url(database) if isinstance(database, str) else database
    dialect = address.dialect if address else context.dialect
    if not context.tables or not context.matched:
        return SqlAnswer(question, SqlKind.NOTHING, dialect, note=NO_TABLE)

    def judge(sql: str) -> Candidate:
        return _judged(sql, index, dialect=dialect, address=address, conditions=conditions)

    failure = ""
    if model is not None:
        try:
            candidates = sampled(sql_messages(context, evidence), model, judge=judge, count=samples)
            return _answer(context, SqlKind.MODEL, candidates[0], dialect=dialect, candidates=tuple(candidates))
        except NoSqlError as error:
            failure = f"the model wrote no SQL: {error}; "
    answer = _by_rules(context, index, judge, dialect=dialect, conditions=conditions)
    return replace(answer, note=f"{failure}{answer.note}")


def _judged(sql: str, index: Index, *, dialect: str, address: DatabaseUrl | None, conditions: TableFilter) -> Candidate:
    """Return a query with what the schema says against it, and where that is nothing, what its database says.

    Comments go: what is shown is what was checked.
    """
    read = find_dialect(dialect)
    reason = objection(sql, read)
    text = sql if reason else read_only(sql, read)
    findings = tuple(index.check_sql(text, dialect=dialect, conditions=conditions))
    candidate = Candidate(text, findings, reason)
    if address is None or not candidate.is_right:
        return candidate
    return replace(candidate, objection=explain(address, text).error)


def _by_rules(
    context: SchemaContext, index: Index, judge: Judge, *, dialect: str, conditions: TableFilter
) -> SqlAnswer:
    nearest = context.queries[0] if context.queries else None
    if nearest and _likeness(context.question, index, nearest, conditions) >= EXAMPLE_SCORE:
        sql = adapted(nearest.text, context, find_dialect(dialect))
        candidate = judge(sql)
        if candidate.is_right:
            change = ", adapted to yours" if sql != nearest.text else ""
            note = EXAMPLE_NOTE.format(change=change, place=place(nearest.source))
            answer = _answer(context, SqlKind.EXAMPLE, candidate, dialect=dialect, candidates=(candidate,))
            return replace(answer, note=note, source=place(nearest.source))
    candidate = judge(skeleton(context))
    note = SKELETON_NOTE + (f"; {NEAREST.format(place=place(nearest.source))}" if nearest else "")
    answer = _answer(context, SqlKind.SKELETON, candidate, dialect=dialect, candidates=(candidate,))
    return replace(answer, note=note)


def _likeness(question: str, index: Index, query: ExampleQuery, conditions: TableFilter) -> float:
    """Return how alike a question is to that of an example query, 0 to 1."""
    ranked = index.table_ranking(question, conditions=conditions).queries
    return next((one.score for one in ranked if index.catalog.queries[one.query] == query), 0.0)


def _answer(
    context: SchemaContext, kind: SqlKind, candidate: Candidate, *, dialect: str, candidates: tuple[Candidate, ...]
) -> SqlAnswer:
    """Return a query as an answer, with what of the context it rests on."""
    used = {name.name.casefold() for name in usage_of_text(candidate.sql).reads}
    tables = [table.table for table in context.tables if table.table.name.name.casefold() in used]
    names = {table.name for table in tables}
    joins = [
        Rule(on_clause(join, context.spelling), join.evidence, join.where)
        for join in context.joins
        if join.left in names and join.right in names and not join.shared
    ]
    definitions = [
        Rule(f"{definition.term}: {definition.text}", place=place(definition.source))
        for definition in context.definitions
    ]
    return SqlAnswer(
        context.question,
        kind,
        dialect,
        candidate.sql,
        tables=tuple(str(table.name) for table in tables),
        rules=(*joins, *definitions),
        findings=candidate.findings,
        objection=candidate.objection,
        candidates=candidates,
    )
