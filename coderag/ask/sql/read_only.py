"""SQL to the one SELECT that it is, or why it is not: nothing that writes, locks, waits, reads files or has parameters.

What is returned is what was parsed and nothing else: the tokens with white space between them. Comments go, as
databases take some of them for SQL: MySQL executes /*! ... */. The transaction that it runs in cannot write either.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from coderag.ask.sql.functions import COMPUTING
from coderag.errors import QueryError
from coderag.limits import SQL, check_text
from coderag.sql.check.parse import NO_SQL
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.parsing import quiet_sqlglot

__all__ = ["limited", "objection", "read_only"]

WRITES = "it does more than read"
LOCKS = "it locks rows"
FILES = "it reads or writes files"
PARAMETERS = "it has parameters or variables"
# What no part of a query may be, with the reason; what has no reason of its own writes.
REFUSED: dict[type[exp.Expr], str] = {
    **dict.fromkeys((exp.DDL, exp.DML, exp.Into, exp.Command, exp.Drop, exp.Alter, exp.TruncateTable), WRITES),
    **dict.fromkeys((exp.Set, exp.Pragma, exp.Attach, exp.Detach, exp.Use, exp.Kill, exp.Cache), WRITES),
    **dict.fromkeys((exp.Transaction, exp.Commit, exp.Rollback, exp.Analyze, exp.Install, exp.LoadData), WRITES),
    exp.Lock: LOCKS,
    **dict.fromkeys((exp.Copy, exp.ReadCSV, exp.ReadParquet, exp.ToFile), FILES),
    **dict.fromkeys((exp.Parameter, exp.SessionParameter, exp.Placeholder, exp.PropertyEQ), PARAMETERS),
    **dict.fromkeys((exp.Hint, exp.Operator, exp.NextValueFor, exp.Secret), WRITES),
}
ASKING = ("AI", "ML", "Generate", "Predict")  # how functions that ask a service are called by sqlglot
PATH_SIGNS = frozenset("./:*\\")  # in the name of a table: DuckDB reads a file of that name


def read_only(sql: str, dialect: Dialect) -> str:
    """Return the text of a query that only reads, without comments; raises QueryError for anything else."""
    text, reason = _read(sql, dialect)
    if reason:
        raise QueryError(f"only a single SELECT is run: {reason}")
    return text


def objection(sql: str, dialect: Dialect) -> str:
    """Return why a text is not a query that only reads, "" if it is one."""
    return _read(sql, dialect)[1]


def limited(text: str, dialect: Dialect, *, rows: int) -> str:
    """Return a query that gives so many rows at most; `text` is what `read_only` returned."""
    tree = _parsed(text, dialect)[0]
    limit = tree.args.get("limit")
    if limit is None:
        return f"{text}\nLIMIT {rows}"
    number = limit.args.get("expression") or limit.args.get("count")
    if isinstance(number, exp.Literal) and number.is_int and int(number.name) <= rows:
        return text
    assert isinstance(tree, exp.Query)
    return tree.limit(rows).sql(dialect.sqlglot)


def _read(sql: str, dialect: Dialect) -> tuple[str, str]:
    check_text(SQL, sql)
    if "\0" in sql:
        return "", "it holds a zero character"
    try:
        text = _without_comments(sql, dialect)
        trees = _parsed(text, dialect)
    except NO_SQL as error:
        return "", f"it cannot be read: {next(iter(str(error).splitlines()), '') or type(error).__name__}"
    if len(trees) != 1:
        return "", f"there are {len(trees)} statements"
    if not isinstance(trees[0], exp.Select | exp.SetOperation):
        return "", "it begins with something else" if isinstance(trees[0], exp.Query) else WRITES
    return text, next(filter(None, (_reason(node, dialect) for node in trees[0].walk())), "")


def _parsed(text: str, dialect: Dialect) -> list[exp.Expr]:
    with quiet_sqlglot():
        return [one for one in sqlglot.parse(text, read=dialect.sqlglot or None) if one is not None]


def _without_comments(sql: str, dialect: Dialect) -> str:
    """Return the tokens of a text as they are written, with the lines kept that they were on."""
    parts: list[str] = []
    at = 0
    for token in sqlglot.tokenize(sql, read=dialect.sqlglot or None):
        gap = sql[at : token.start]
        if gap and parts:
            parts.append(gap if gap.isspace() else "\n" if "\n" in gap else " ")
        parts.append(sql[token.start : token.end + 1])
        at = token.end + 1
    return "".join(parts).rstrip("; \n\t")


def _reason(node: exp.Expr, dialect: Dialect) -> str:
    """Return why a part may not be in a query that only reads, "" if it may."""
    for kind, reason in REFUSED.items():
        if isinstance(node, kind):
            return reason
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
        return f"{_name(node.expression)} is a function of a schema, which may do anything"
    if isinstance(node, exp.Func) and not _computes(node):
        return f"{_name(node)} is no function that is known to read only"
    if isinstance(node, exp.Table) and dialect.name == "duckdb" and PATH_SIGNS & set(node.name):
        return FILES
    return ""


def _computes(function: exp.Func) -> bool:
    if isinstance(function, exp.Anonymous | exp.AnonymousAggFunc):
        return function.name.casefold() in COMPUTING
    return isinstance(function, exp.GenerateSeries) or not type(function).__name__.startswith(ASKING)


def _name(function: exp.Expr) -> str:
    return function.name if isinstance(function, exp.Anonymous) else str(function.key).upper()
