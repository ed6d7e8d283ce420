"""A query that only reads to its rows, in a transaction that cannot write, with limits of rows and time."""

from __future__ import annotations

from coderag.ask.sql.read_only import limited, read_only
from coderag.ask.sql.records import Rows
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import DatabaseUrl, parse_url
from coderag.record import record
from coderag.sql.statements.dialect import find_dialect

__all__ = ["ROWS", "SECONDS", "Result", "run_query"]

ROWS = 100
SECONDS = 10.0


@record
class Result:
    """What a query answers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    more: bool = False  # there are further rows
    sql: str = ""  # as it was run


def run_query(url: str | DatabaseUrl, sql: str, *, rows: int = ROWS, timeout: float = SECONDS) -> Result:
    """Return at most so many rows of a query.

    Raises QueryError for anything but one SELECT that only reads, DatabaseError for what the database refuses or does
    not answer within `timeout` seconds.
    """
    address = parse_url(url) if isinstance(url, str) else url
    with open_session(address, timeout=timeout) as session:
        dialect = find_dialect(session.dialect)
        text = limited(read_only(sql, dialect), dialect, rows=rows + 1)
        answer: Rows = session.table(text)
    return Result(answer.columns, answer.rows[:rows], len(answer.rows) > rows, text)
