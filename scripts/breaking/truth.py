"""An application to what breaks in it: each column renamed in the database alone, and the application's tests run."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from pathlib import Path

from coderag.chunking.chunk import MAX_CHUNK_BYTES
from coderag.syntax.language import detect
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, read_outline
from scripts.breaking.applications import Application, Failure, ToolError
from scripts.breaking.records import APPS, BREAKS, Broken, Site, Truth

__all__ = ["columns_of", "copied", "digest_of", "find_truth"]

LEFT_OUT = shutil.ignore_patterns("node_modules", "__pycache__", ".coderag", ".pytest_cache", BREAKS, "*.db")
BOOKKEEPING = ("alembic_version", "knex_", "sqlite_")  # tables of the tools, by how their names begin
HOLE = re.compile(r"\$\{[^}]*\}")  # of a template string
MIGRATED = "migrated.db"  # beside the copy
VARIABLE = "AFTER_MIGRATIONS"


@contextmanager
def copied(name: str) -> Iterator[Path]:
    """Give a copy of an application that is deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / name
        shutil.copytree(APPS / name, copy, ignore=LEFT_OUT)
        yield copy


def digest_of(name: str) -> str:
    """Return a digest of the application's files, so that a truth that is older than they are is noticed."""
    digest = hashlib.sha256()
    with copied(name) as copy:
        for path in sorted(copy.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(copy).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def find_truth(
    app: Application, *, columns: Iterable[str] = (), modules: Path | None = None, watch: Callable[[str], None]
) -> Truth:
    """Rename columns, all or some, one after the other; raises ToolError where the tests fail without that too."""
    wanted = list(columns)
    found, digest = {}, digest_of(app.name)
    with copied(app.name) as copy:
        app.prepare(copy, modules)
        if failures := app.run(copy, {}):
            raise ToolError(f"{app.name}: {len(failures)} tests fail before anything is renamed: {failures[0]}")
        known = columns_of(app, copy)
        if strange := sorted(set(wanted) - set(known)):
            raise ToolError(f"{app.name} has no column {', '.join(strange)}")
        for column in wanted or known:
            table, _, name = column.partition(".")
            rename = f"ALTER TABLE {table} RENAME COLUMN {name} TO {name}_renamed;"
            _check(copy, rename)
            found[column] = _broken(app, copy, _run_after(app, copy, rename))
            watch(f"{column}: {len(found[column].sites)} sites, {len(found[column].tests)} tests")
        versions = ", ".join(_version(command, copy) for command in app.versions)
    return Truth(date.today().isoformat(), versions, digest, found)


def columns_of(app: Application, copy: Path) -> list[str]:
    """Return the columns that the migrations leave, as "table.column"; those of views are not tables' columns."""
    _run_after(app, copy, f"VACUUM INTO '{copy.parent / MIGRATED}';")
    connection = sqlite3.connect(copy.parent / MIGRATED)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found = [
        f"{table}.{row[1]}"
        for table in tables
        if not table.startswith(BOOKKEEPING)
        for row in connection.execute(f"PRAGMA table_info({table})")
    ]
    connection.close()
    return found


def _check(copy: Path, sql: str) -> None:
    """Try a statement on the migrated database and take it back; raises ToolError where the database refuses it."""
    connection = sqlite3.connect(copy.parent / MIGRATED, isolation_level=None)
    try:
        connection.execute("BEGIN")
        connection.execute(sql)
        connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise ToolError(f"{sql}: {error}") from error
    finally:
        connection.close()


def _run_after(app: Application, copy: Path, sql: str) -> list[Failure]:
    script = copy.parent / "after.sql"
    script.write_text(sql + "\n", encoding="utf-8")
    return app.run(copy, {VARIABLE: str(script)})


def _broken(app: Application, copy: Path, failures: Iterable[Failure]) -> Broken:
    sites, tests = set(), set()
    for failure in failures:
        tests.add(_test(copy, Path(failure.path).resolve(), failure.title))
        for stack in failure.stacks:
            site = next((site for path, line in stack if (site := _site(app, copy, Path(path), line))), None)
            if site is not None:
                sites.add(site)
    return Broken(frozenset(sites), frozenset(tests))


def _site(app: Application, copy: Path, path: Path, line: int) -> Site | None:
    """Return the application's function at a line; None for tests and for what others wrote."""
    if not path.is_relative_to(copy) or "node_modules" in path.parts:
        return None
    relative = path.relative_to(copy).as_posix()
    return None if app.is_test(relative) else Site(relative, _definition_at(path, line))


def _test(copy: Path, path: Path, title: str) -> Site:
    """Return a test by its qualified name, or by its title where that is no function; a title may have been put in."""
    names = [
        definition.qualified_name
        for definition in _definitions(path)
        if title in (definition.name, definition.qualified_name) or re.fullmatch(_pattern(definition.name), title)
    ]
    return Site(path.relative_to(copy).as_posix(), names[0] if names else title)


def _pattern(name: str) -> str:
    return ".*".join(re.escape(part) for part in HOLE.split(name))


def _definition_at(path: Path, line: int) -> str:
    around = [definition for definition in _definitions(path) if definition.first_row < line <= definition.last_row + 1]
    innermost = min(around, key=lambda one: one.last_row - one.first_row, default=None)
    return innermost.qualified_name if innermost else ""


@cache
def _definitions(path: Path) -> tuple[Definition, ...]:
    language = detect(path.name)
    if language is None:
        raise ToolError(f"the language of {path} is not known")
    return read_outline(Lines(path.read_bytes()), language, split_above=MAX_CHUNK_BYTES).definitions


def _version(command: tuple[str, ...], folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
