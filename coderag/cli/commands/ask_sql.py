"""`coderag ask --sql`: a question to SQL that only reads, what it rests on, and with `--run` its rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from coderag.api.index import Index
from coderag.api.records import json_line, plain
from coderag.ask.models.http_model import open_model
from coderag.ask.sql.records import Rule, SqlAnswer
from coderag.ask.sql.running import Result, run_query
from coderag.ask.sql.sql_for import sql_for
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import filters_of
from coderag.cli.groups import callers
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.text import visible
from coderag.errors import AccessError, QueryError
from coderag.search.query.query import check_question
from coderag.text.counted import counted

__all__ = ["run"]

FILES = ("sqlite:", "duckdb:")  # databases that are asked without credentials
CELL_CHARACTERS = 200  # of a value in a table for people
PLAIN = (str, int, float, bool, type(None))  # values that JSON has


def run(options: argparse.Namespace) -> int:
    """Print the SQL for a question; 1 if it is to be completed, or something speaks against it."""
    question = " ".join(options.question)
    check_question(question, k=1, evidence=options.evidence)
    if callers(options) and (options.url or options.run):
        raise AccessError("--url and --run ask a whole database, which is for who may see all")
    model = open_model(options.model) if options.model else None
    index = open_for_caller(options)
    database = options.url or (_known_database(index) if options.run else "")
    answer = sql_for(
        question,
        index,
        model=model,
        database=database or None,
        evidence=options.evidence,
        conditions=filters_of(options).tables,
    )
    result = (
        run_query(database, answer.sql, rows=options.rows, timeout=options.timeout) if _runs(options, answer) else None
    )
    if options.json:
        print(json_line(_record(answer, result)))
    else:
        for line in (*_lines(answer), *(_table(result) if result else ())):
            print(line)
    _note(options, result)
    return FOUND if answer.is_right else NOTHING


def _known_database(index: Index) -> str:
    """Return the database file that the schema came from, where it is the only one that is known."""
    known = index.asked
    if len(known) != 1 or not known[0].startswith(FILES):
        raise QueryError("--run needs --url URL: the address of the database, which is asked read-only")
    return known[0]


def _runs(options: argparse.Namespace, answer: SqlAnswer) -> bool:
    return bool(options.run) and answer.is_right


def _lines(answer: SqlAnswer) -> Iterator[str]:
    """Yield the answer as SQL: what is no query stands in comments."""
    if answer.note:
        yield _comment(answer.note)
    yield from (visible(line) for line in answer.sql.split("\n") if line.strip())
    if answer.tables:
        yield _comment(f"tables: {', '.join(answer.tables)}")
    for rule in answer.rules:
        yield _comment(_rule(rule))
    for fault in answer.candidates[0].faults if answer.candidates else ():
        yield _comment(f"wrong: {fault}")


def _comment(text: str) -> str:
    return f"-- {visible(' '.join(text.split()))}"


def _rule(rule: Rule) -> str:
    why = ", ".join(part for part in (rule.evidence, rule.place) if part)
    return f"{'join' if rule.evidence else 'rule'} {rule.text}{f' ({why})' if why else ''}"


def _table(result: Result) -> Iterator[str]:
    yield ""
    yield "\t".join(map(_cell, result.columns))
    for row in result.rows:
        yield "\t".join(map(_cell, row))


def _cell(value: object) -> str:
    text = "NULL" if value is None else " ".join(visible(str(value)).split())
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]} ..."


def _record(answer: SqlAnswer, result: Result | None) -> dict[str, Any]:
    record: dict[str, Any] = plain(answer) | {"is_right": answer.is_right}
    if result is not None:
        rows = [[value if isinstance(value, PLAIN) else str(value) for value in row] for row in result.rows]
        record["result"] = {"columns": list(result.columns), "rows": rows, "more": result.more, "sql": result.sql}
    return record


def _note(options: argparse.Namespace, result: Result | None) -> None:
    if options.run and result is None:
        note("nothing was run: the query is to be completed, or something speaks against it")
    elif result is not None:
        shown = counted(len(result.rows), "row")
        note(f"the first {shown}; --rows gives more" if result.more else shown)
