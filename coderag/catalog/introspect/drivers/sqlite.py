"""SQLite files, through the standard library."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from urllib.parse import quote

from coderag.catalog.introspect.drivers.connection import Link, said
from coderag.catalog.introspect.url import DatabaseUrl
from coderag.errors import DatabaseError

__all__ = ["open_sqlite"]


def open_sqlite(url: DatabaseUrl, *, timeout: float) -> Link:
    """Return a connection to a file, opened for reading, in a transaction that sees one state of it."""
    if url.path is None or not url.path.is_file():
        raise DatabaseError(f"{url.name} cannot be opened: there is no such file")
    try:
        # What ends a statement that takes too long is another thread.
        connection = sqlite3.connect(
            f"file:{quote(str(url.path))}?mode=ro",
            uri=True,
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise DatabaseError(f"{url.name} cannot be opened: {said(error, url)}") from None
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # to attach a file that is missing would make it
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        for statement in ("PRAGMA query_only = 1", "PRAGMA trusted_schema = 0", "BEGIN", "SELECT 1 FROM sqlite_schema"):
            connection.execute(statement).fetchall()
    except sqlite3.Error as error:
        connection.close()
        raise DatabaseError(f"{url.name} cannot be read: {said(error, url)}") from None
    return Link(
        dialect="sqlite",
        cursor=lambda: closing(connection.cursor()),
        close=connection.close,
        errors=(sqlite3.Error, sqlite3.Warning),  # the latter, before Python 3.12, of several statements
        parameter=":{}",
        array=json.dumps,
        stop=connection.interrupt,
        alive=lambda: True,
    )
