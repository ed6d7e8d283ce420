"""Files of a project without those that only upgrade, in strings of code, a schema that other files state.

A program that creates its tables from models or from a file of SQL often has code as well that brings older databases
there: its statements change tables that this code never creates, so it is no account of the schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from coderag.sql.records import (
    AddColumn,
    AlterColumn,
    CreateTable,
    Drop,
    DropColumn,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaFile,
    SchemaOperation,
    SchemaProblem,
)

__all__ = ["without_upgrades"]

TOOL = "code"
ENDINGS = tuple(".go .php .js .mjs .cjs .ts .tsx .py .java .kt .cs .rs .rb .swift .dart".split())
MAX_UNKNOWN = 0.25  # of the tables that a folder's statements touch and do not create, for these to be the schema
MAX_ASIDE = 0.1  # tables that the code of a folder creates, of those that other files state, to be none of the schema
ASIDE_REASON = "made in code beside the schema that other files state, and left out"
LEDGERS = frozenset(  # tables in which tools write down which migrations have run
    """schema_migrations schema_migration schema_version schema_versions schema_info migrations migration
    migration_versions applied_migrations db_version""".split()
)
MIN_STATED = 1 / 3  # of the tables that they touch, for other files to state the schema


def without_upgrades(files: Sequence[SchemaFile]) -> tuple[list[SchemaFile], list[SchemaProblem]]:
    """Return files of which none only upgrades in code what others state, or adds few tables of its own to it.

    Those that do declare nothing, and are reported.
    """
    folders: defaultdict[str, list[SchemaFile]] = defaultdict(list)
    stated: set[str] = set()
    for file in files:
        if _is_code(file):
            folders[file.path.rpartition("/")[0]].append(file)
        else:
            stated |= _created(file)
    upgrades = {id(file) for members in folders.values() if _upgrade(members, stated) for file in members}
    asides = {id(file) for members in folders.values() for file in _asides(members, stated)}
    problems = [problem for file in files if id(file) in asides - upgrades for problem in _reported(file)]
    return [_emptied(file) if id(file) in upgrades | asides else file for file in files], problems


def _is_code(file: SchemaFile) -> bool:
    series = file.facts.series
    if not file.path.endswith(ENDINGS) or (series is not None and series.tool != TOOL):
        return False
    return series is not None or any(
        isinstance(operation, CreateTable) and Origin.DDL in operation.table.origins
        for operation in file.facts.operations
    )


def _upgrade(members: Iterable[SchemaFile], stated: set[str]) -> bool:
    """Tell whether the files of a folder change much that they do not create, and others state what they touch."""
    known: set[str] = set()
    unknown: set[str] = set()  # what is changed and not created before
    for file in sorted(members, key=lambda file: file.path):
        for operation in file.facts.operations:
            _note(operation, known, unknown)
    touched = known | unknown
    if not unknown or len(unknown) <= MAX_UNKNOWN * len(touched):
        return False
    return len(touched & stated) >= MIN_STATED * len(touched)


def _asides(members: Iterable[SchemaFile], stated: set[str]) -> list[SchemaFile]:
    """Return the files that create few tables beside a schema that other files state.

    These are a program's own books, tables that it needs for a moment, and steps that make again what is stated:
    `_temp_rooms` beside 150 tables of migrations.
    """
    files = [file for file in members if stated and file.facts.series is None]
    created = {name for file in files for name in _created(file)}
    return files if len(created) <= MAX_ASIDE * len(stated) else []


def _note(operation: SchemaOperation, known: set[str], unknown: set[str]) -> None:
    if isinstance(operation, CreateTable):
        known.add(operation.table.name.name.casefold())
        return
    if isinstance(operation, AddColumn | AlterColumn | DropColumn | RenameColumn):
        name = operation.table.name.casefold()
    elif isinstance(operation, Drop | Rename) and operation.kind is ObjectKind.TABLE:
        name = operation.name.name.casefold()
    else:
        return
    if name not in known:
        unknown.add(name)
    if isinstance(operation, Rename):
        known.discard(name)
        known.add(operation.to.name.casefold())


def _created(file: SchemaFile) -> set[str]:
    return {
        operation.table.name.name.casefold()
        for operation in file.facts.operations
        if isinstance(operation, CreateTable) and not operation.table.query
    }


def _reported(file: SchemaFile) -> Iterator[SchemaProblem]:
    """Yield that the tables of a file are left out; nobody misses those in which migrations are written down."""
    tables = [operation.table for operation in file.facts.operations if isinstance(operation, CreateTable)]
    missed = [table for table in tables if table.name.name.casefold() not in LEDGERS]
    if missed:
        names = ", ".join(dict.fromkeys(table.name.name for table in missed))
        yield SchemaProblem(file.path, missed[0].sources[0].start_line, f"{names}: {ASIDE_REASON}")


def _emptied(file: SchemaFile) -> SchemaFile:
    return replace(file, facts=replace(file.facts, operations=(), series=None))
