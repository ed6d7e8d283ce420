"""fixtures/embedded/HALF/LANGUAGE/expected.toml to cases: functions, and the tables and columns that each uses."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["ACCESSES", "HALVES", "SET", "Case", "ColumnEdge", "TableEdge", "languages", "read_cases"]

SET = Path(__file__).resolve().parents[2] / "fixtures/embedded"
HALVES = ("dev", "test")
EXPECTED = "expected.toml"
ACCESSES = ("read", "write", "delete", "ddl", "call")
ALL_COLUMNS = "*"
EDGE_KEYS = frozenset({"table", "access", "reads", "writes", "may_read", "may_write", "optional"})
CASE_KEYS = frozenset({"file", "function", "kind", "edges", "none", "dynamic"})

Schema = Mapping[str, Sequence[str]]  # columns by table


class TableEdge(NamedTuple):
    """A table and what is done to it; or, with the access "call", a routine."""

    table: str  # "orders", "audit.events", in another database "warehouse:shipments"
    access: str


class ColumnEdge(NamedTuple):
    """A column and whether it is written."""

    table: str
    column: str
    write: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A function and the edges that start in it: those that must be there, and those that may."""

    language: str
    file: str
    function: str
    kind: str
    tables: frozenset[TableEdge]
    columns: frozenset[ColumnEdge]
    free_tables: frozenset[TableEdge]
    free_columns: frozenset[ColumnEdge]
    decoy: bool  # no edge may start in it
    dynamic: bool  # some table has a name that only the running program knows

    @property
    def place(self) -> tuple[str, str]:
        """Where it is: file and qualified name."""
        return self.file, self.function


def languages(half: str) -> list[str]:
    """Return the languages that a half has."""
    return sorted(path.parent.name for path in (SET / half).glob(f"*/{EXPECTED}"))


def read_cases(half: str, language: str, schema: Schema) -> list[Case]:
    """Return the cases of a language; `schema` gives the columns that "*" stands for.

    Raises ValueError for what has no meaning, and OSError where there is no such file.
    """
    path = SET / half / language / EXPECTED
    table = tomllib.loads(path.read_text("utf-8"))
    cases = [_case(language, one, schema) for one in table["case"]]
    places = [case.place for case in cases]
    twice = sorted({place for place in places if places.count(place) > 1})
    if twice:
        raise ValueError(f"{path}: judged twice: {twice}")
    return cases


def _case(language: str, table: Mapping[str, Any], schema: Schema) -> Case:
    where = f"{language}: {table['file']} {table['function']}"
    if unknown := sorted(set(table) - CASE_KEYS):
        raise ValueError(f"{where}: {unknown} means nothing")
    edges, decoy, dynamic = table.get("edges", []), table.get("none", False), table.get("dynamic", False)
    if decoy == bool(edges or dynamic):
        raise ValueError(f"{where}: either none = true, or edges, or dynamic = true")
    tables: set[TableEdge] = set()
    columns: set[ColumnEdge] = set()
    free_tables: set[TableEdge] = set()
    free_columns: set[ColumnEdge] = set()
    for edge in edges:
        if (unknown := sorted(set(edge) - EDGE_KEYS)) or edge["access"] not in ACCESSES:
            raise ValueError(f"{where}: {unknown or edge['access']} means nothing")
        optional = edge.get("optional", False)
        (free_tables if optional else tables).add(TableEdge(edge["table"], edge["access"]))
        must = {*_columns(edge, "reads", schema), *_columns(edge, "writes", schema)}
        (free_columns if optional else columns).update(must)
        free_columns |= {*_columns(edge, "may_read", schema), *_columns(edge, "may_write", schema)}
    return Case(
        language=language,
        file=table["file"],
        function=table["function"],
        kind=table["kind"],
        tables=frozenset(tables),
        columns=frozenset(columns),
        free_tables=frozenset(free_tables - tables),
        free_columns=frozenset(free_columns - columns),
        decoy=decoy,
        dynamic=dynamic,
    )


def _columns(edge: Mapping[str, Any], key: str, schema: Schema) -> Iterator[ColumnEdge]:
    write = key in {"writes", "may_write"}
    for name in _expanded(edge["table"], edge.get(key, []), schema):
        yield ColumnEdge(edge["table"], name, write)


def _expanded(table: str, names: Iterable[str], schema: Schema) -> Iterator[str]:
    known = schema.get(table, ())
    for name in names:
        if name == ALL_COLUMNS:
            yield from known
        elif known and name not in known:
            raise ValueError(f"{table} has no column {name}")
        else:
            yield name
