"""What a database itself says to a query, without running it."""

from __future__ import annotations

from dataclasses import dataclass

from coderag.catalog.introspect.errors import StatementError
from coderag.catalog.introspect.introspect import DEFAULT_TIMEOUT
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import DatabaseUrl, parse_url
from coderag.errors import DatabaseError
from coderag.sql.statements.dialect import Dialect, find_dialect
from coderag.sql.statements.lexer import scan
from coderag.sql.statements.parsing import quiet_sqlglot

__all__ = ["Explanation", "explain"]

READING = frozenset({"SELECT", "WITH", "FROM", "TABLE", "VALUES", "("})  # what a statement that reads begins with
EXPLAIN = {"sqlite": "EXPLAIN QUERY PLAN "}
DEFAULT_EXPLAIN = "EXPLAIN "


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a database would run a query, or why it would not."""

    plan: str = ""
    error: str = ""
    position: int = -1  # of the sign in the query that the error is about, where the database says so


def explain(url: str | DatabaseUrl, sql: str, *, timeout: float = DEFAULT_TIMEOUT) -> Explanation:
    """Return a database's plan of a query, or its objection, in a transaction that cannot write and is undone.

    Raises DatabaseError for anything but one statement that only reads, and for a database that does not answer.
    """
    address = parse_url(url) if isinstance(url, str) else url
    with open_session(address, timeout=timeout) as session:
        if reason := _objection(sql, find_dialect(session.dialect)):
            raise DatabaseError(f"only a single SELECT is explained: {reason}")
        before = EXPLAIN.get(session.dialect, DEFAULT_EXPLAIN)
        try:
            rows = session.rows(before + sql)
        except StatementError as error:
            return Explanation(error=str(error), position=max(-1, error.position - len(before)))
    lines = ("  ".join(str(value) for value in row.values() if value is not None) for row in rows)
    return Explanation(plan="\n".join(lines))


def _objection(sql: str, dialect: Dialect) -> str:
    """Return why a text is more than one statement that reads, "" if it is not."""
    import sqlglot
    from sqlglot import exp

    tokens = scan(sql, dialect).tokens
    if not tokens or tokens[0].key not in READING:
        return "it begins with something else"
    try:
        with quiet_sqlglot():
            statements = [one for one in sqlglot.parse(sql, read=dialect.sqlglot) if one is not None]
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError, AttributeError, TypeError, LookupError) as error:
        # Besides its own errors sqlglot raises those of Python for some of what is no SQL.
        return f"it cannot be read: {next(iter(str(error).splitlines()), '') or type(error).__name__}"
    if len(statements) != 1:
        return f"there are {len(statements)} statements"
    if statements[0].find(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into, exp.Command):
        return "it does more than read"
    return ""
