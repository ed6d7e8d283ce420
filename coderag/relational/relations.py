"""relations.toml to records: the tables and views of an index, their columns, and what these say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from coderag.graph.records import Certainty, EdgeKind, NodeKind
from coderag.record import record
from coderag.sql.records import Column, Database, Evidence, ForeignKey, Name, ObjectKind, Schema, Table
from coderag.types import Content

__all__ = ["Attribute", "Relation", "index_schema", "needed_tables", "relations"]

FILE = Path(__file__).with_name("relations.toml")
DATABASE = "index"
DIALECT = "duckdb"
WORD = re.compile(r"\w+")
# The table and column that a column refers to by its name; where both ends are the same, it is the key of its table.
KEYS: Mapping[str, tuple[str, str]] = {
    "file_id": ("files", "file_id"),
    "source_file_id": ("files", "file_id"),
    "target_file_id": ("files", "file_id"),
    "chunk_id": ("chunks", "chunk_id"),
    "parent_id": ("chunks", "chunk_id"),
    "symbol_id": ("symbols", "symbol_id"),
    "source_id": ("symbols", "symbol_id"),
    "target_id": ("symbols", "symbol_id"),
    "query_id": ("symbols", "symbol_id"),
    "column_id": ("symbols", "symbol_id"),
    "table_id": ("tables", "table_id"),
    "referenced_table_id": ("tables", "table_id"),
    "commit_id": ("commits", "commit_id"),
}
CERTAINTIES = tuple(map(str, Certainty))
VALUES: Mapping[tuple[str, str], tuple[str, ...]] = {  # of columns with few
    ("symbols", "kind"): tuple(map(str, NodeKind)),
    ("edges", "kind"): tuple(map(str, EdgeKind)),
    ("edges", "certainty"): CERTAINTIES,
    ("relations", "kind"): tuple(map(str, EdgeKind)),
    ("table_access", "access"): ("reads", "writes", "deletes", "derives"),
    ("files", "content"): tuple(map(str, Content)),
    ("foreign_keys", "evidence"): tuple(map(str, Evidence)),
}
OWN_KEYS = {"files": "file_id", "chunks": "chunk_id", "symbols": "symbol_id", "tables": "table_id"} | {
    "columns": "column_id",
    "queries": "query_id",
    "commits": "commit_id",
}


@record
class Attribute:
    """A column of a relation."""

    name: str
    type: str  # of DuckDB
    about: str


@record
class Relation:
    """A table of an index, or a view of others."""

    name: str
    about: str
    columns: tuple[Attribute, ...]
    sql: str = ""  # of a view
    is_stored: bool = False  # of a view: whether its rows are kept as long as the database

    @property
    def is_view(self) -> bool:
        """Whether it is computed from other relations."""
        return bool(self.sql)


@cache
def relations() -> Mapping[str, Relation]:
    """Return the tables, and behind them the views, by name; a view stands behind what it needs."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Relation(
            name,
            entry["about"],
            tuple(Attribute(column, *described) for column, described in entry["columns"].items()),
            entry.get("sql", "").strip(),
            entry.get("is_stored", False),
        )
        for name, entry in read.items()
    }


def needed_tables(sql: str) -> list[str]:
    """Return the relations that a text may name and those that their views need, each behind what it needs.

    Any word counts, also one of a string: a table too many takes time, and one too few would be an error.
    """
    known = relations()
    needed: set[str] = set()
    waiting = _named(sql)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting |= _named(known[name].sql)
    return [name for name in known if name in needed]


def _named(sql: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(sql)} & relations().keys()


def index_schema() -> Schema:
    """Return the relations as a schema, for text-to-SQL over an index."""
    found = tuple(_table(relation) for relation in relations().values())
    return Schema((Database(DATABASE, DIALECT, tables=len(found)),), found)


def _table(relation: Relation) -> Table:
    key = OWN_KEYS.get(relation.name, "")
    return Table(
        Name(relation.name, "", DATABASE),
        ObjectKind.VIEW if relation.is_view else ObjectKind.TABLE,
        tuple(
            Column(column.name, column.type, comment=column.about, values=VALUES.get((relation.name, column.name), ()))
            for column in relation.columns
        ),
        primary_key=(key,) if key else (),
        foreign_keys=tuple(_foreign_keys(relation)),
        comment=relation.about,
        dialect=DIALECT,
    )


def _foreign_keys(relation: Relation) -> Iterable[ForeignKey]:
    for column in relation.columns:
        if column.name not in KEYS:
            continue
        table, referenced = KEYS[column.name]
        if table != relation.name or referenced != column.name:
            yield ForeignKey((column.name,), Name(table, "", DATABASE), (referenced,), evidence=Evidence.DECLARED)
