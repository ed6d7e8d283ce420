"""JSON lines of questions on stdin to JSON lines of schema context, one answer before the next question is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from coderag.api.index import Index
from coderag.api.schema_records import context_record, definition_record, query_record
from coderag.cli.json_lines import answer_each, check_texts, check_whole, given
from coderag.errors import QueryError
from coderag.index.catalog.catalog import Catalog
from coderag.search.query.query import check_question
from coderag.search.tables.tables import TableRanking
from coderag.types import TableFilter

__all__ = ["answer_questions"]

KNOWN = ("question", "k", "paths", "evidence", "database", "environment", "groups", "budget", "other_databases")
MAX_QUERIES = 5


def answer_questions(index: Index, *, conditions: TableFilter, k: int, other_databases: str) -> None:
    """Answer until stdin ends; a bad line gets {"error": why}, a line with a budget the packed context too."""
    defaults = {"k": k, "other_databases": other_databases}
    answer_each(lambda asked: _answer(index, defaults | asked, conditions), known=KNOWN, question="question")


def _check(asked: dict[str, Any]) -> None:
    """Raise QueryError for a field of another type than it should have."""
    check_whole(asked, "k", "budget")
    check_texts(asked, "paths", "groups")
    for name in ("evidence", "database", "environment", "other_databases"):
        if not isinstance(asked.get(name, ""), str):
            raise QueryError(f'"{name}" is {given(asked[name])}; give a text')


def _answer(index: Index, asked: dict[str, Any], conditions: TableFilter) -> dict[str, Any]:
    _check(asked)
    if asked.get("paths"):
        conditions = replace(conditions, paths=(*conditions.paths, *asked["paths"]))
    if asked.get("database"):
        conditions = replace(conditions, databases=frozenset({asked["database"]}))
    if asked.get("environment"):
        conditions = replace(conditions, environments=frozenset({asked["environment"]}))
    if "groups" in asked:
        index = index.as_seen_by(asked["groups"])
    question, evidence, k = asked["question"], asked.get("evidence", ""), asked["k"]
    check_question(question, k=k, evidence=evidence)
    if "budget" in asked:
        from coderag.search.context.render import as_ddl

        context = index.schema_context(
            question,
            budget=asked["budget"],
            k=k,
            evidence=evidence,
            conditions=conditions,
            other_databases=asked["other_databases"],
        )
        return context_record(context, samples=True) | {"text": as_ddl(context)}
    if not len(index.catalog):
        return {"tables": [], "columns": [], "queries": [], "definitions": []}
    return _ranked(index.catalog, index.table_ranking(question, k=k, evidence=evidence, conditions=conditions))


def _ranked(catalog: Catalog, ranking: TableRanking) -> dict[str, Any]:
    """Return the best tables and columns by name alone, which takes a tenth of the time."""
    names = catalog.names
    tables = []
    for table in ranking.tables:
        paths = catalog.paths(table.table)
        tables.append(
            {
                "name": names[table.table],
                "database": catalog.groups[int(catalog.group[table.table])],
                "path": paths[0] if paths else "",
                "score": round(table.score, 6),
            }
        )
    return {
        "tables": tables,
        "columns": [{"table": names[column.table], "column": column.column} for column in ranking.columns],
        "queries": [query_record(catalog.queries[query.query]) for query in ranking.queries[:MAX_QUERIES]],
        "definitions": [
            definition_record(catalog.definitions[definition.definition]) for definition in ranking.definitions
        ],
    }
