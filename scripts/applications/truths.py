"""The files that state a whole schema to its tables: by a real database, or by what is written in them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.applications.book import Application, BookError, matching
from scripts.applications.records import Reference, Table, plain

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy import Engine

__all__ = ["tables_of", "true_tables"]

SCRATCH = "coderag_judge"  # the database on the server, made and dropped
CREATE = re.compile(r'^\s*create_table "([^"]+)"(.*?) do \|t\|(.*?)^\s*end$', re.MULTILINE | re.DOTALL)
COLUMN = re.compile(
    r'^\s*t\.(?!index|check_constraint|unique_constraint|exclusion_constraint)\w+ "([^"]+)"', re.MULTILINE
)
REFERENCE = re.compile(r'^\s*add_foreign_key "([^"]+)", "([^"]+)"(.*)$', re.MULTILINE)
EXTENSION = re.compile(r"^CREATE EXTENSION\b[^;]*;", re.MULTILINE | re.IGNORECASE)
ID = re.compile(r"\bid: false\b")
KEY = re.compile(r'primary_key: (?:"([^"]+)"|\[([^\]]*)\])')
BY = re.compile(r'\bcolumn: "([^"]+)"')
SINGULAR = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("statuses", "status"),
    ("s", ""),
)


def true_tables(application: Application, *, postgres: str = "") -> dict[str, Table]:
    """Return the tables that an application really has; raises BookError where its files cannot be read or run."""
    files = matching(application.tree, application.files)
    if not files:
        raise BookError(f"{application.name}: none of {', '.join(application.files)} is in {application.tree}")
    if application.truth == "json":
        return _written(files[0])
    if application.truth == "schema.rb":
        return {name: table for path in files for name, table in _of_schema_rb(path.read_text()).items()}
    if application.truth == "sqlite":
        return _run_in_sqlite(files)
    if not postgres:
        raise BookError(f"{application.name}: its files run in PostgreSQL; give a server with --postgres URL")
    return _run_in_postgres(files, postgres)


def tables_of(texts: Sequence[str]) -> set[str]:
    """Return the names that texts create tables by, in whatever language: only to leave them out of a comparison."""
    found = re.compile(r"create[ _]table(?: if not exists)?[ (]+[\"'`\[]?([\w.]+)", re.IGNORECASE)
    return {plain(name) for text in texts for name in found.findall(text)}


def _written(path: Path) -> dict[str, Table]:
    return {
        plain(name): Table(
            frozenset(map(plain, table["columns"])),
            tuple(map(plain, table["pk"])),
            frozenset(Reference(tuple(map(plain, columns)), plain(to)) for columns, to, *_ in table["fks"]),
        )
        for name, table in json.loads(path.read_text())["tables"].items()
    }


def _of_schema_rb(text: str) -> dict[str, Table]:
    """Return the tables of a schema.rb, which Rails writes in one form."""
    references: dict[str, set[Reference]] = {}
    for table, to, options in REFERENCE.findall(text):
        by = BY.search(options)
        references.setdefault(table, set()).add(Reference((by[1] if by else f"{_singular(to)}_id",), plain(to)))
    found = {}
    for name, options, body in CREATE.findall(text):
        key = _key_of(options)
        named = () if ID.search(options) or "," in "".join(key) else key
        columns = frozenset(map(plain, COLUMN.findall(body))) | frozenset(named)
        found[plain(name)] = Table(columns, () if ID.search(options) else key, frozenset(references.get(name, ())))
    return found


def _key_of(options: str) -> tuple[str, ...]:
    stated = KEY.search(options)
    if not stated:
        return ("id",)
    return (stated[1],) if stated[1] else tuple(re.findall(r'"([^"]+)"', stated[2]))


def _singular(name: str) -> str:
    for ending, instead in SINGULAR:
        if name.endswith(ending):
            return name.removesuffix(ending) + instead
    return name


def _run_in_sqlite(files: Sequence[Path]) -> dict[str, Table]:
    import sqlalchemy
    from sqlalchemy.pool import StaticPool

    with closing(sqlite3.connect(":memory:")) as connection:
        for path in files:
            _run(path, connection.executescript, sqlite3.Error)
        made: Callable[[], Any] = lambda: connection  # noqa: E731 - what is typed needs a name
        return _inspected(sqlalchemy.create_engine("sqlite://", creator=made, poolclass=StaticPool))


def _run_in_postgres(files: Sequence[Path], server: str) -> dict[str, Table]:
    import psycopg
    import sqlalchemy

    with _scratch(server) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            for path in files:
                _run(path, lambda text: _execute(connection, text), psycopg.Error)
        engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url))
        try:
            return _inspected(engine)
        finally:
            engine.dispose()


def _execute(connection: psycopg.Connection[Any], text: str) -> None:
    """Run a file; an extension that the server lacks is left out, and what needs its types fails."""
    import psycopg

    for extension in EXTENSION.findall(text):
        with suppress(psycopg.Error):
            connection.execute(extension.encode())
    connection.execute(EXTENSION.sub("", text).encode())


@contextmanager
def _scratch(server: str) -> Iterator[str]:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{SCRATCH}"')
        connection.execute(f'CREATE DATABASE "{SCRATCH}"')
        try:
            yield psycopg.conninfo.make_conninfo(server, dbname=SCRATCH)
        finally:
            connection.execute(f'DROP DATABASE "{SCRATCH}" WITH (FORCE)')


def _run(path: Path, execute: Callable[[str], object], error: type[Exception]) -> None:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("\\"))  # lines for psql
    try:
        execute(text)
    except error as trouble:
        raise BookError(f"{path}: {trouble}") from trouble


def _inspected(engine: Engine) -> dict[str, Table]:
    import sqlalchemy

    inspector = sqlalchemy.inspect(engine)
    hidden = {"information_schema", "pg_catalog", "pg_toast"}
    found = {}
    for schema in [name for name in inspector.get_schema_names() if name not in hidden]:
        for name in inspector.get_table_names(schema=schema):
            found[plain(name)] = Table(
                frozenset(plain(column["name"]) for column in inspector.get_columns(name, schema=schema)),
                tuple(map(plain, inspector.get_pk_constraint(name, schema=schema)["constrained_columns"])),
                frozenset(
                    Reference(tuple(map(plain, key["constrained_columns"])), plain(key["referred_table"]))
                    for key in inspector.get_foreign_keys(name, schema=schema)
                ),
            )
    return found
