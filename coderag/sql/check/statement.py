"""One statement to what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from coderag.sql.check.aliases import check_aliases
from coderag.sql.check.comparisons import check_types
from coderag.sql.check.findings import Code, Finding, finding
from coderag.sql.check.functions import check_functions
from coderag.sql.check.grouping import check_grouping
from coderag.sql.check.joins import check_joins
from coderag.sql.check.known_tables import KnownTables, closest
from coderag.sql.check.names import check_columns, check_tables
from coderag.sql.check.parse import NO_SQL, parsed
from coderag.sql.check.sources import name_of, sources_of
from coderag.sql.statements.dialect import Dialect

__all__ = ["check_statement"]

MISSING = re.compile(r"required keyword: '\w+' missing for <class '[^']*'>")
TOKEN = re.compile(r"<Token (?:[^<>]|<(?!Token ))*+>")
NO_STATEMENT = (exp.Alias, exp.Column, exp.Identifier, exp.Literal, exp.Paren)  # what garbage may be read as
WRITING = (
    *(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.TruncateTable),
    *(exp.Create, exp.Drop, exp.Alter, exp.Command),
)
# What is checked within some seconds; the time grows with the square of sources, and of columns in one condition.
MAX_CHARACTERS = 50_000
MAX_SOURCES = 300  # queries and tables
MAX_COLUMNS = 4_000


@dataclass(frozen=True, slots=True)
class Job:
    """What statements are checked against."""

    known: KnownTables
    dialect: Dialect
    routines: Sequence[str]
    writes: bool  # whether they are allowed
    made: list[str]  # names of tables that earlier statements of the text create


def check_statement(text: str, job: Job) -> Iterator[Finding]:
    """Yield what is wrong with a statement; the tables that it creates are added to those that the job knows."""
    known = job.known
    if len(text) > MAX_CHARACTERS:
        yield _too_large(f"it has {len(text):,} characters, of which {MAX_CHARACTERS:,} are checked", text)
        return
    try:
        statement = parsed(text, job.dialect)
    except NO_SQL as error:
        yield _syntax_error(error, text)
        return
    tree = statement.tree
    if isinstance(tree, NO_STATEMENT):
        yield finding(Code.SYNTAX, "this is no statement", text=text, extent=(0, len(text.rstrip())))
        return
    if not job.writes and (writing := _writing(tree)) is not None:
        head = text.split(None, 1)[0] if isinstance(tree, WRITING) else writing.key.upper()
        begin = max(text.upper().find(head.upper()), 0)
        message = f"{head.upper()} writes; only reading is allowed here"
        yield finding(Code.WRITES, message, text=text, extent=(begin, begin + len(head)))
    yield from check_functions(statement.tokens, job.dialect, job.routines, text=text)
    yield from check_tables(tree, known, job.made, text=text)
    if isinstance(tree, exp.Create) and (created := tree.find(exp.Table)) is not None:
        job.made.append(created.name)
    if excess := _excess(tree):
        yield _too_large(excess, text)
        return
    try:
        yield from list(_check_queries(tree, job, text))
    except RecursionError:
        yield _too_large("it is nested too deeply", text)
    if isinstance(tree, exp.Insert):
        yield from _check_inserted(tree, known, text)


def _check_queries(tree: exp.Expr, job: Job, text: str) -> Iterator[Finding]:
    """Yield what is wrong with the columns, joins and comparisons of a statement."""
    for query in _queries(tree):
        yield from check_aliases(query, job.dialect, text=text)
        for scope in _scopes(query):
            try:
                sources = sources_of(scope, job.known)
                yield from check_columns(scope, sources, job.known, job.dialect, text=text)
                yield from check_joins(scope, sources, text=text)
                yield from check_grouping(scope, sources, job.dialect, text=text)
                yield from check_types(scope, sources, job.dialect.name, text=text)
            except SqlglotError:
                continue  # two sources of one alias, here or in a query that is read from


def _scopes(query: exp.Query) -> list[Scope]:
    try:
        return traverse_scope(query)
    except SqlglotError:
        return []


def _excess(tree: exp.Expr) -> str:
    """Return what a statement has too much of to be looked at closely, "" for nothing."""
    for what, kinds, most in (
        ("queries and tables", (exp.Query, exp.Table), MAX_SOURCES),
        ("columns", (exp.Column,), MAX_COLUMNS),
    ):
        count = sum(1 for _ in islice(tree.find_all(*kinds), most + 1))
        if count > most:
            return f"it has more than {most:,} {what}"
    return ""


def _too_large(why: str, text: str) -> Finding:
    message = f"this statement is too large to be checked: {why}"
    return finding(Code.TOO_LARGE, message, text=text, extent=(0, len(text.split("\n", 1)[0])))


def _syntax_error(error: Exception, text: str) -> Finding:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        lines = text.split("\n")
        row, highlight = int(first.get("line") or 1), str(first.get("highlight") or "")
        end = sum(len(line) + 1 for line in lines[: row - 1]) + int(first.get("col") or 1)
        begin = max(end - max(len(highlight), 1), 0)
        what = TOKEN.sub("the end", str(first.get("description") or "cannot be parsed")).rstrip(".").lower()
        what = MISSING.sub("something is missing", what)
        message = f"{what}{f' at {highlight!r}' if highlight else ''}"
        return finding(Code.SYNTAX, message, text=text, extent=(begin, max(end, begin + 1)))
    why = "nested too deeply" if isinstance(error, RecursionError) else "a quote or comment is not closed"
    return finding(Code.SYNTAX, f"cannot be parsed: {why}", text=text, extent=(0, len(text.split("\n", 1)[0])))


def _writing(tree: exp.Expr) -> exp.Expr | None:
    """Return what in a statement writes: itself, or a part such as WITH x AS (DELETE ...) or SELECT ... INTO."""
    if isinstance(tree, exp.Command) and tree.name.upper() in {"EXPLAIN", "SHOW", "DESCRIBE"}:
        return None
    return tree.find(*WRITING, exp.Into)


def _queries(tree: exp.Expr) -> Iterator[exp.Query]:
    """Yield the queries of a statement: itself, the one that it inserts or creates from, what an UPDATE looks at."""
    if isinstance(tree, exp.Query):
        yield tree
    elif isinstance(tree, exp.Insert | exp.Create) and isinstance(tree.expression, exp.Query):
        yield tree.expression
    elif isinstance(tree, exp.Update | exp.Delete) and isinstance(tree.this, exp.Table):
        seen = [*tree.expressions] if isinstance(tree, exp.Update) else []
        query = exp.Select(expressions=[one.copy() for one in seen] or [exp.Literal.number(1)])
        query.set("from_", exp.From(this=tree.this.copy()))
        extra = tree.args.get("from_")
        if isinstance(extra, exp.From):
            query.append("joins", exp.Join(this=extra.this.copy(), kind="CROSS"))
        if (where := tree.args.get("where")) is not None:
            query.set("where", where.copy())
        if (ctes := tree.args.get("with_")) is not None:
            query.set("with_", ctes.copy())
        yield query


def _check_inserted(tree: exp.Insert, known: KnownTables, text: str) -> Iterator[Finding]:
    """Yield a finding for each column that is inserted and that the table has not."""
    if not isinstance(tree.this, exp.Schema) or not isinstance(tree.this.this, exp.Table):
        return
    table = known.table(name_of(tree.this.this))
    columns = known.columns(table) if table is not None else {}
    for one in tree.this.expressions if columns else ():
        if one.name.casefold() not in columns:
            names = [column.name for column in columns.values()]
            place = one.meta if "start" in one.meta else one.this.meta if isinstance(one.this, exp.Expr) else {}
            yield finding(
                Code.UNKNOWN_COLUMN,
                f"{tree.this.this.name} has no column {one.name}",
                text=text,
                extent=(place.get("start", 0), place.get("end", 0) + 1),
                suggestions=closest(one.name, names),
            )
