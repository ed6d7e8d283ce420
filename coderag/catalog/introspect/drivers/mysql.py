"""MySQL and MariaDB, through PyMySQL."""

from __future__ import annotations

import os
import ssl
from typing import Any

from coderag.catalog.introspect.drivers.connection import Link, connect_in_time, load_driver, said
from coderag.catalog.introspect.url import PORTS, DatabaseUrl
from coderag.errors import DatabaseError
from coderag.extras import Extra

__all__ = ["open_mysql"]

PASSED_ON = frozenset({"unix_socket", "charset", "ssl_ca", "ssl_cert", "ssl_key"})
SWITCHES = frozenset({"ssl_disabled", "ssl_verify_cert", "ssl_verify_identity"})
MODES = frozenset({"ssl-mode", "ssl_mode", "sslmode"})
LOCK_SECONDS = 1  # what somebody else is changing is left out rather than waited for
GRACE_SECONDS = 1.0  # the server ends a statement first, as it says why


def open_mysql(url: DatabaseUrl, *, timeout: float) -> Link:
    """Return a connection in a read-only transaction; the dialect is mariadb where the server is one.

    A password that the address lacks is the variable MYSQL_PWD of the environment.
    """
    pymysql = load_driver("pymysql", extra=Extra.MYSQL, title="MySQL")
    # RuntimeError says that a way of logging in needs another package.
    errors = (pymysql.MySQLError, OSError, RuntimeError, ValueError)
    arguments = {
        "host": url.host or "localhost",
        "port": url.port or PORTS["mysql"],
        "user": url.user or None,
        "password": url.password or os.environ.get("MYSQL_PWD", ""),
        "database": url.database or None,
        "charset": "utf8mb4",
        "program_name": "coderag",
        "connect_timeout": timeout + GRACE_SECONDS,
        "read_timeout": timeout + GRACE_SECONDS,
        "write_timeout": timeout + GRACE_SECONDS,
        **_parameters(url),
    }
    connection = connect_in_time(url, lambda: pymysql.connect(**arguments), timeout=timeout, errors=errors)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT VERSION()")
            dialect = "mariadb" if "mariadb" in str(cursor.fetchone()[0]).lower() else "mysql"
            for statement in _settings(dialect, timeout):
                cursor.execute(statement)
    except errors as error:
        connection.close()
        raise DatabaseError(f"{url.name} cannot be read: {said(error, url)}") from None
    return Link(
        dialect=dialect,
        cursor=connection.cursor,
        close=connection.close,
        errors=errors,
        parameter="%({})s",
        array=tuple,
        stop=lambda: None,  # the driver's own limit ends what the server does not
        alive=lambda: bool(connection.open),
        percent=True,
    )


def _settings(dialect: str, timeout: float) -> tuple[str, ...]:
    limit = (
        f"max_statement_time = {timeout}" if dialect == "mariadb" else f"max_execution_time = {round(timeout * 1000)}"
    )
    return (
        f"SET SESSION {limit}",
        f"SET SESSION lock_wait_timeout = {LOCK_SECONDS}",
        "SET SESSION time_zone = '+00:00'",
        "SET SESSION sql_mode = ''",  # others change what quotes mean
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET SESSION TRANSACTION READ ONLY",  # a statement that ends the transaction would otherwise leave it
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    )


def _parameters(url: DatabaseUrl) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in url.parameters:
        if key in PASSED_ON:
            found[key] = value
        elif key in SWITCHES:
            found[key] = value.lower() in {"1", "true", "yes", "on"}
        elif key in MODES:
            found |= _mode(value.lower())
        else:
            known = ", ".join(sorted(PASSED_ON | SWITCHES | {"ssl-mode"}))
            raise DatabaseError(f"{url.name}: unknown parameter {key!r}; known are {known}")
    return found


def _mode(value: str) -> dict[str, Any]:
    if value in {"verify_ca", "verify-ca", "verify_identity", "verify-full"}:
        return {"ssl_verify_cert": True, "ssl_verify_identity": value in {"verify_identity", "verify-full"}}
    if value == "disabled":
        return {"ssl_disabled": True}
    if value != "required":
        return {}
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return {"ssl": context}
