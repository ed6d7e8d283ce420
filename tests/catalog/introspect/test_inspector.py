"""What is read of a database is what SQLAlchemy's inspector reads of it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from coderag.catalog.introspect.introspect import inspect_database
from coderag.sql.records import CreateTable, Facts
from tests.catalog.introspect import test_mariadb, test_postgres, test_sqlite
from tests.catalog.introspect.servers import MariaDb, Postgres
from tests.workspace import SHOP

sqlalchemy: Any = pytest.importorskip("sqlalchemy")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.dev("sqlalchemy"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of what it does not know
]

Described = dict[str, Any]


def described(facts: Facts) -> dict[str, Described]:
    """Return what facts and an inspector both tell, by table."""
    tables = [operation.table for operation in facts.operations if isinstance(operation, CreateTable)]
    primary_keys = {table.name.name: table.primary_key for table in tables}
    return {
        table.name.name: {
            "columns": [(column.name, column.nullable) for column in table.columns],
            "comment": table.comment,
            "comments": {column.name: column.comment for column in table.columns if column.comment},
            "primary key": table.primary_key,
            "unique": set(table.unique),
            "foreign keys": {
                (key.columns, key.table.name, key.referenced or primary_keys[key.table.name])
                for key in table.foreign_keys
            },
        }
        for table in tables
    }


@contextmanager
def inspector(url: str) -> Iterator[Any]:
    """Yield SQLAlchemy's inspector of a database."""
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        yield sqlalchemy.inspect(connection)


def inspected(found: Any, names: list[str], *, comments: bool = True) -> dict[str, Described]:
    """Return what an inspector tells of tables."""
    return {name: _inspected(found, name, comments=comments) for name in names}


def _inspected(found: Any, name: str, *, comments: bool) -> Described:
    columns = found.get_columns(name)
    indexes = [index for index in found.get_indexes(name) if index["unique"]]
    # An index of expressions has None among its columns; one of some rows, or of beginnings of texts, says so.
    partial = {
        index["name"]
        for index in indexes
        if None in index["column_names"]
        or any(key.endswith(("_where", "_length")) for key in index.get("dialect_options", {}))
    }
    unique = {
        tuple(index["column_names"])
        for index in (*indexes, *found.get_unique_constraints(name))
        if index["name"] not in partial
    }
    return {
        "columns": [(column["name"], column["nullable"]) for column in columns],
        "comment": (found.get_table_comment(name)["text"] or "") if comments else "",
        "comments": {column["name"]: column["comment"] for column in columns if column.get("comment")},
        "primary key": tuple(found.get_pk_constraint(name)["constrained_columns"]),
        "unique": unique,
        "foreign keys": {
            (tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
            for key in found.get_foreign_keys(name)
        },
    }


def test_a_postgres_database(postgres: Postgres) -> None:
    url = postgres.database("inspected", test_postgres.SCHEMA)
    found = described(inspect_database(url, schemas=["public"]))
    with inspector(url.replace("postgresql://", "postgresql+psycopg://")) as other:
        names = [*other.get_table_names(), *other.get_view_names()]
        assert sorted(found) == sorted(names)
        assert found == inspected(other, names)


def test_a_mariadb_database(mariadb: MariaDb) -> None:
    url = mariadb.database("inspected", *test_mariadb.SCHEMA)
    found = described(inspect_database(url))
    with inspector(url.replace("mysql://", "mysql+pymysql://")) as other:
        names = other.get_table_names()
        wanted = inspected(other, names)
        assert {name: found[name] for name in names} == wanted
        assert sorted(found.keys() - wanted.keys()) == other.get_view_names()


@pytest.mark.parametrize("schema", ["own", "shop"])
def test_a_sqlite_file(tmp_path: Path, schema: str) -> None:
    script = test_sqlite.SCHEMA if schema == "own" else (SHOP / "schema/schema.sql").read_text(encoding="utf-8")
    # The inspector looks for constraints with expressions that comments and the sizes of types confuse.
    script = re.sub(r"CREATE VIRTUAL TABLE[^;]+;|--[^\n]*|\(80\)", "", script)
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    found = described(inspect_database(str(path)))
    with inspector(f"sqlite:///{path}") as other:
        names = other.get_table_names()
        wanted = inspected(other, names, comments=False)
        for name in names:
            # SQLite keeps comments in the text alone, and lets an inspector call its primary keys NULL.
            keys = wanted[name]["primary key"]
            wanted[name]["columns"] = [(one, nullable and one not in keys) for one, nullable in wanted[name]["columns"]]
            wanted[name] |= {key: found[name][key] for key in ("comment", "comments")}
        assert {name: found[name] for name in names} == wanted
