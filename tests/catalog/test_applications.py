"""Layouts of real applications to their databases: each folder of fixtures/applications with its schema beside it.

`expected.sql` states the only database, whatever it is called; `expected/NAME.sql` state each one under its name. What
stands there counts: a column without a type may have any, and is then compared by its name alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.catalog.fold import fold
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import Column, ForeignKey, ObjectKind, SchemaFile, Table
from coderag.sql.settings import Settings
from tests.workspace import REPOSITORY

APPLICATIONS = REPOSITORY / "fixtures/applications"
CASES = sorted(path.name for path in APPLICATIONS.iterdir())
EXPECTED = ("expected.sql", "expected")
ONLY = "the only database"

Tables = dict[str, Table]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_application_has_its_schema(case: str, tmp_path: Path) -> None:
    root = tmp_path / case
    shutil.copytree(APPLICATIONS / case, root, ignore=shutil.ignore_patterns(*EXPECTED))
    expected = dict(_expected(APPLICATIONS / case))
    with Index.build(root, encoder="none", workers=0, graph=False) as index:
        found = _by_database(index.tables())
    if list(expected) == [ONLY]:
        assert len(found) == 1, f"{len(found)} databases: {', '.join(found)}"
        found = {ONLY: next(iter(found.values()))}
    assert sorted(found) == sorted(expected)
    for database, tables in expected.items():
        assert list(_shown(found[database], tables)) == list(_shown(tables, tables)), database


def _expected(folder: Path) -> Iterator[tuple[str, Tables]]:
    if (only := folder / "expected.sql").exists():
        yield ONLY, _stated(only)
    for path in sorted((folder / "expected").rglob("*.sql")):
        yield path.relative_to(folder / "expected").with_suffix("").as_posix(), _stated(path)


def _stated(path: Path) -> Tables:
    """Return the tables of a file; SQLite's reader takes columns without types."""
    facts = parse_file(path.read_bytes(), path=path.name, dialect="sqlite")
    assert not facts.unparsed, facts.unparsed
    return next(iter(_by_database(fold([SchemaFile(path.name, facts)], Settings()).tables).values()), {})


def _by_database(tables: Iterable[Table]) -> dict[str, Tables]:
    found: dict[str, Tables] = {}
    for table in tables:
        mine = found.setdefault(table.name.database, {})
        name = ".".join(filter(None, (table.name.schema, table.name.name)))
        mine[name if table.kind is ObjectKind.TABLE else f"{name} ({table.kind})"] = table
    return found


def _shown(tables: Tables, expected: Tables) -> Iterator[str]:
    """Yield a line for each table, column and key, with the types that are expected."""
    for name, table in sorted(tables.items()):
        yield name
        typed = {column.name for column in expected[name].columns if column.type} if name in expected else set()
        yield from (f"  {_column(column, typed=column.name in typed)}" for column in table.columns)
        if table.primary_key:
            yield f"  primary key {', '.join(table.primary_key)}"
        yield from sorted(f"  {_key(key)}" for key in table.foreign_keys)


def _column(column: Column, *, typed: bool) -> str:
    return f"{column.name} {column.type.lower()}{'' if column.nullable else ' not null'}" if typed else column.name


def _key(key: ForeignKey) -> str:
    return f"{', '.join(key.columns)} to {key.table.name} ({', '.join(key.referenced)})"
