"""Files of a project without those that only upgrade, in strings of code, a schema that other files state.

A program that creates its tables from models or from a file of SQL often has code as well that brings older databases
there: its statements change tables that this code never creates, so it is no account of the schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

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
)

__all__ = ["without_upgrades"]

TOOL = "code"
ENDINGS = tuple(".go .php .js .mjs .cjs .ts .tsx .py .java .kt .cs .rs .rb .swift .dart".split())
MAX_UNKNOWN = 0.25  # of the tables that a folder's statements touch and do not create, for these to be the schema
MIN_STATED = 1 / 3  # of the tables that they touch, for other files to state the schema


def without_upgrades(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of which none only upgrades in code what others state; those that do declare nothing."""
    folders: defaultdict[str, list[SchemaFile]] = defaultdict(list)
    stated: set[str] = set()
    for file in files:
        if _is_code(file):
            folders[file.path.rpartition("/")[0]].append(file)
        else:
            stated |= _created(file)
    upgrades = {id(file) for members in folders.values() if _upgrade(members, stated) for file in members}
    return [_emptied(file) if id(file) in upgrades else file for file in files]


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


def _emptied(file: SchemaFile) -> SchemaFile:
    return replace(file, facts=replace(file.facts, operations=(), series=None))
