"""A .sql file of a dbt project to operations: models, snapshots, macros, analyses and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from coderag.frameworks.dbt.guesses import DBT
from coderag.frameworks.dbt.jinja import render
from coderag.sql.records import (
    AddQuery,
    Column,
    CreateRoutine,
    CreateTable,
    ExampleQuery,
    Facts,
    Lineage,
    Name,
    ObjectKind,
    Origin,
    Routine,
    SchemaOperation,
    Source,
    Table,
    Unparsed,
    Usage,
)

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["read_model"]

MACRO = re.compile(r"\{%-?\s*macro\s+(?P<name>\w+)\s*\((?P<parameters>(?:[^){]|\{(?!%))*+)\)")
MACRO_END = re.compile(r"\{%-?\s*endmacro")
SNAPSHOT = re.compile(r"\{%-?\s*snapshot\s+(\w+)")
LINE_COMMENT = re.compile(r"\s*+(?:--|\{#)\s?(.*)")
KINDS = {"table": ObjectKind.TABLE, "incremental": ObjectKind.TABLE, "materialized_view": ObjectKind.MATERIALIZED_VIEW}
# What the warehouse is cannot be seen; these together read what models are written in.
DIALECTS = ("", "snowflake", "bigquery", "postgres")
MAX_PARSED = 200_000  # characters


def read_model(data: bytes, *, path: str, dialect: str = "") -> Facts:
    """Return what a file of templated SQL declares."""
    text = data.decode("utf-8", "replace")
    folders = PurePosixPath(path).parts[:-1]
    whole = Source("", 1, max(text.rstrip().count("\n") + 1, 1))
    if macros := list(_macros(text)):
        return Facts(dialect=dialect, guess=DBT, statements=len(macros), operations=tuple(macros))
    name = PurePosixPath(path).name.partition(".")[0]
    if snapshot := SNAPSHOT.search(text):
        name = snapshot[1]
    rendered = render(text)
    usage, columns, lineage = _read_query(rendered.sql, tuple(rendered.references), dialect)
    operation: SchemaOperation
    if "tests" in folders or "analyses" in folders or "analysis" in folders:
        question = _comment(text) or name.replace("_", " ")
        operation = AddQuery(ExampleQuery(text.strip(), question=question, usage=usage, source=whole))
    else:
        table = Table(
            name=Name(str(rendered.config.get("alias") or name), str(rendered.config.get("schema") or "")),
            kind=ObjectKind.TABLE if snapshot else KINDS.get(str(rendered.config.get("materialized")), ObjectKind.VIEW),
            columns=tuple(Column(column, source=whole) for column in columns),
            comment=_comment(text),
            query=text.strip(),
            usage=usage,
            lineage=lineage,
            origins=(Origin.DBT,),
            sources=(whole,),
        )
        operation = CreateTable(table, replace=True)
    unparsed = (
        () if columns or lineage else (Unparsed(1, name, "its columns are made by macros; only YAML can name them"),)
    )
    return Facts(dialect=dialect, guess=DBT, statements=1, unparsed=unparsed, operations=(operation,))


def _macros(text: str) -> Iterator[CreateRoutine]:
    at = 0
    while (match := MACRO.search(text, at)) and (end := MACRO_END.search(text, match.end())):
        at = end.end()
        body = text[match.end() : end.start()]
        first = text.count("\n", 0, match.start()) + 1
        last = text.count("\n", 0, at) + 1
        parameters = [one.partition("=") for one in match["parameters"].split(",") if one.strip()]
        yield CreateRoutine(
            Routine(
                name=Name(match["name"]),
                parameters=tuple(Column(name.strip(), default=value.strip()) for name, _, value in parameters),
                language="jinja",
                usage=Usage(reads=tuple(render(body).references)),
                comment=_comment(body),
                source=Source("", first, last),
            )
        )


def _comment(text: str) -> str:
    """Return the comment that a text begins with."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if line.strip().startswith("{{") and not lines:
            continue
        if (match := LINE_COMMENT.match(line)) is None:
            break
        lines.append(match[1].rstrip().removesuffix("#}").rstrip())
    return " ".join(line for line in lines if line)


def _read_query(
    sql: str, references: Sequence[Name], dialect: str
) -> tuple[Usage, tuple[str, ...], tuple[Lineage, ...]]:
    """Return what a query touches, its columns as far as it names them, and what they come from."""
    from coderag.sql.lineage.lineage import lineage_of
    from coderag.sql.lineage.usage import usage_of

    tree = _parsed(sql, dialect)
    if tree is None:
        return Usage(reads=tuple(references)), (), ()
    usage, lineage = usage_of(tree), lineage_of(tree)
    known = {name.key for name in references}
    reads = [name for name in usage.reads if name.key in known]  # the rest is a stand-in of the template's
    read = {name.key for name in reads}
    reads += [name for name in references if name.key not in read]
    whole = tuple(name for name in usage.whole if name.key in known)
    usage = Usage(tuple(reads), whole=whole, columns=usage.columns, joins=usage.joins, calls=usage.calls)
    return usage, tuple(one.column for one in lineage if one.column and one.column != "*"), lineage


def _parsed(sql: str, dialect: str) -> exp.Expr | None:
    """Return the query as a tree, in the first dialect that reads it; None where none does."""
    from sqlglot import exp

    from coderag.sql.statements.parsing import parse_statements

    if len(sql) > MAX_PARSED or not sql.strip():
        return None
    for name in (dialect,) if dialect else DIALECTS:
        found = parse_statements(sql.strip().rstrip(";"), name)
        if found and isinstance(found[0], exp.Query):
            return found[0]
    return None
