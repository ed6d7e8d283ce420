"""A database that is open for questions: each ends in rows, or in an error that says what went wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from coderag.catalog.introspect.catalog import PARAMETER
from coderag.catalog.introspect.drivers.connection import Link, said
from coderag.catalog.introspect.drivers.duckdb import open_duckdb
from coderag.catalog.introspect.drivers.mysql import open_mysql
from coderag.catalog.introspect.drivers.postgres import open_postgres
from coderag.catalog.introspect.drivers.sqlite import open_sqlite
from coderag.catalog.introspect.errors import SlowDatabaseError, StatementError
from coderag.catalog.introspect.url import DatabaseUrl
from coderag.errors import DatabaseError
from coderag.limits import TIMEOUT, check_number

__all__ = ["Session", "Table", "open_session"]

GRACE_SECONDS = 0.5  # a server ends a statement first, as it says why
OPENERS: Mapping[str, Callable[..., Link]] = {
    "postgres": open_postgres,
    "mysql": open_mysql,
    "mariadb": open_mysql,
    "sqlite": open_sqlite,
    "duckdb": open_duckdb,
}


@dataclass(frozen=True, slots=True)
class Table:
    """What a statement answers: the names of its columns, of which several may be equal, and rows of values."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


class Session:
    """An open database, which cannot be written to."""

    def __init__(self, link: Link, url: DatabaseUrl, timeout: float) -> None:
        self._link = link
        self._timeout = timeout
        self.url = url
        self.dialect = link.dialect

    def rows(self, text: str, parameters: Mapping[str, Sequence[str]] | None = None) -> list[dict[str, Any]]:
        """Return the rows of a statement, each by the names of its columns; raises like `table`."""
        answer = self.table(text, parameters)
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]

    def table(self, text: str, parameters: Mapping[str, Sequence[str]] | None = None) -> Table:
        """Return the answer to a statement.

        Raises StatementError when the database refuses it, SlowDatabaseError when it takes too long, DatabaseError when
        the connection is lost.
        """
        started = time.monotonic()
        alarm = threading.Timer(self._timeout + GRACE_SECONDS, self._link.stop)
        alarm.daemon = True
        alarm.start()
        try:
            return self._table(text, parameters or {})
        except self._link.errors as error:
            if time.monotonic() - started >= self._timeout:
                raise SlowDatabaseError(
                    f"{self.url.name} took longer than {self._timeout:g} s over one question"
                ) from None
            if not self._link.alive():
                raise DatabaseError(f"{self.url.name} is gone: {said(error, self.url)}") from None
            raise StatementError(said(error, self.url), position=_position(error)) from None
        finally:
            alarm.cancel()

    def close(self) -> None:
        """Close the connection; the transaction ends with it."""
        self._link.close()

    def _table(self, text: str, parameters: Mapping[str, Sequence[str]]) -> Table:
        with self._link.cursor() as cursor:
            if not self._link.savepoints:
                return self._answer(cursor, text, parameters)
            cursor.execute("SAVEPOINT question")
            try:
                return self._answer(cursor, text, parameters)
            except self._link.errors:
                if self._link.alive():
                    cursor.execute("ROLLBACK TO SAVEPOINT question")
                raise

    def _answer(self, cursor: Any, text: str, parameters: Mapping[str, Sequence[str]]) -> Table:
        if parameters:
            used = {name: self._link.array(parameters[name]) for name in PARAMETER.findall(text)}
            text = text.replace("%", "%%") if self._link.percent else text
            cursor.execute(PARAMETER.sub(lambda match: self._link.parameter.format(match[1]), text), used)
        else:
            cursor.execute(text, **self._link.alone)
        if cursor.description is None:
            return Table()
        names = tuple(one[0] for one in cursor.description)
        return Table(names, tuple(tuple(map(_decoded, row)) for row in cursor.fetchall()))


@contextmanager
def open_session(url: DatabaseUrl, *, timeout: float) -> Iterator[Session]:
    """Open a database for reading; `timeout` is for connecting, and for each question.

    Raises DatabaseError where that fails.
    """
    check_number(TIMEOUT, timeout)
    session = Session(OPENERS[url.dialect](url, timeout=timeout), url, timeout)
    try:
        yield session
    finally:
        session.close()


def _decoded(value: object) -> object:
    """Return text where a driver gives bytes: PostgreSQL's SQL_ASCII, MySQL's binary strings."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _position(error: Exception) -> int:
    """Return where in a statement PostgreSQL found its error, counted from 0; -1 if nobody says."""
    place = getattr(getattr(error, "diag", None), "statement_position", None)
    return int(place) - 1 if place else -1
