"""PostgreSQL, through psycopg."""

from __future__ import annotations

import os
import socket
from typing import Any

from coderag.catalog.introspect.drivers.connection import Link, connect_in_time, load_driver, said
from coderag.catalog.introspect.url import DatabaseUrl
from coderag.errors import DatabaseError
from coderag.extras import Extra

__all__ = ["open_postgres"]

OLDEST = 12_00_00  # partitions and computed columns are told of since then
# What somebody else is changing is left out rather than waited for; what is refused is asked for again in parts.
LOCK_SECONDS = 0.1


def open_postgres(url: DatabaseUrl, *, timeout: float) -> Link:
    """Return a connection in a read-only transaction that sees one state of the database.

    A password that the address lacks is looked for as every program of PostgreSQL does: PGPASSWORD, ~/.pgpass.
    """
    psycopg = load_driver("psycopg", extra=Extra.POSTGRES, title="PostgreSQL")
    errors = (psycopg.Error, UnicodeError)
    given = {"host": url.host, "port": url.port, "dbname": url.database, "user": url.user, "password": url.password}
    arguments = {key: value for key, value in given.items() if value}
    arguments |= {"application_name": "coderag", **dict(url.parameters)}
    arguments["connect_timeout"] = max(2, round(timeout) + 1)  # that a thread ends that nobody waits for any more
    # Prepared statements do not go with all connection pools; a transaction of our own goes with all.
    connection = connect_in_time(
        url,
        lambda: psycopg.connect(**arguments, autocommit=True, prepare_threshold=None),
        timeout=timeout,
        errors=errors,
    )
    if connection.info.server_version < OLDEST:
        connection.close()
        raise DatabaseError(f"{url.name} is too old: PostgreSQL {OLDEST // 10_000} and newer are read")
    limit = round(timeout * 1000)
    try:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute(f"SET LOCAL statement_timeout = {limit}")
            cursor.execute(f"SET LOCAL lock_timeout = {min(round(LOCK_SECONDS * 1000), limit)}")
            # Names come without their schema where it is the first one that the user's names are looked for in.
            cursor.execute("SELECT set_config('search_path', quote_ident(coalesce(current_schema(), 'public')), true)")
    except errors as error:
        connection.close()
        raise DatabaseError(f"{url.name} cannot be read: {said(error, url)}") from None
    return Link(
        dialect="postgres",
        cursor=connection.cursor,
        close=connection.close,
        errors=errors,
        parameter="%({})s",
        array=list,
        stop=lambda: _hang_up(connection),
        alive=lambda: not connection.closed,
        savepoints=True,
        percent=True,
        alone={"binary": True},  # which takes a protocol that knows one statement
    )


def _hang_up(connection: Any) -> None:
    """Shut the socket down, which libpq takes for a server that went away; closed, its number could be another's."""
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already
