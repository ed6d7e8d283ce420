"""A bench to its sets: databases with their DDL, and the queries asked of them."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from coderag.sql.statements.dialect import find_dialect
from coderag.sql.statements.split import split

__all__ = ["Gold", "Truth", "databases", "sample", "set_names"]


@dataclass(frozen=True, slots=True)
class Gold:
    """A query that is right."""

    id: str
    file: str  # the DDL of its database
    dialect: str
    sql: str


@dataclass(frozen=True, slots=True)
class Truth:
    """What SQLite made of a database's DDL."""

    columns: Mapping[str, frozenset[str]]  # of each table; all in lower case
    connection: sqlite3.Connection

    def refusal(self, sql: str) -> str:
        """Return why SQLite does not prepare a query, "" where it does."""
        try:
            self.connection.execute("EXPLAIN " + sql)
        except sqlite3.Error as error:
            return str(error)
        return ""


def set_names(bench: Path) -> list[str]:
    """Return the names of a bench's sets."""
    return sorted(path.name for path in (bench / "ddl").iterdir() if path.is_dir())


def databases(bench: Path, name: str) -> dict[str, Truth]:
    """Return the databases of a set by the names of their files."""
    return {path.name: _truth(path.read_text("utf-8")) for path in sorted((bench / "ddl" / name).glob("*.sql"))}


def _truth(ddl: str) -> Truth:
    connection = sqlite3.connect(":memory:")
    data = ddl.encode()
    for statement in split(data, find_dialect("sqlite")):
        with suppress(sqlite3.Error):
            connection.execute(data[statement.start : statement.end].decode())
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {
        table.lower(): frozenset(
            str(row[0]).lower() for row in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
        )
        for table in tables
    }
    return Truth(columns, connection)


def sample(bench: Path, name: str, *, count: int, seed: int) -> list[Gold]:
    """Return `count` queries of a set, chosen by a seed."""
    files = {_squashed(path.stem): path.name for path in (bench / "ddl" / name).glob("*.sql")}
    with (bench / "items" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    found = [
        Gold(item["id"], files[_squashed(item["db_id"])], item.get("dialect", ""), item["gold_sql"])
        for item in items
        if _squashed(item["db_id"]) in files
    ]
    chosen = random.Random(f"{seed}:{name}").sample(found, min(count, len(found)))
    return sorted(chosen, key=lambda one: one.id)


def _squashed(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
