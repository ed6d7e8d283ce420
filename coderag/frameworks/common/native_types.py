"""Types as Rails, Knex, Ecto, Laravel and Sequelize call them to those of the database that their migrations run on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from coderag.sql.records import AddColumn, AlterColumn, Column, CreateTable, Origin, SchemaFile, SchemaOperation

__all__ = ["native_type", "with_native_types"]

TABLE = Path(__file__).with_name("native_types.toml")
PARTS = re.compile(r"(?P<name>\w+(?: precision)?)(?P<size>\([^)]*\))?(?P<rest>.*)", re.DOTALL)
MEDIUM_BYTES, LONG_BYTES = 65_535, 16_777_215  # what TEXT and MEDIUMTEXT of MySQL hold at most
SAME = {"mariadb": "mysql"}
UNSIGNED = frozenset({"mysql", ""})  # dialects that have it, or may
WITHOUT_SIZE = frozenset({"bytea"})


def with_native_types(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of which those of a tool have the types that its columns have in the database."""
    return [_with_native_types(file) for file in files]


def native_type(kind: str, tool: str, dialect: str) -> str:
    """Return what a type of a tool is in a dialect, with its size; one that is not the tool's own stays."""
    dialect = SAME.get(dialect, dialect)
    parts = PARTS.fullmatch(kind)
    if parts is None:
        return kind
    name, size, rest = parts["name"], parts["size"] or "", parts["rest"]
    if dialect == "mysql" and tool == "rails" and name in {"text", "binary"} and size[1:-1].isdecimal():
        return _sized(name, int(size[1:-1])) + rest
    if dialect not in UNSIGNED:
        rest = rest.replace(" unsigned", "")
    types = _types()[tool]
    native = types.get(dialect, types["other"]).get(name, name)
    if native in WITHOUT_SIZE:
        size = ""
    return f"{native.partition('(')[0] if size else native}{size}{rest}"


def _sized(name: str, size: int) -> str:
    """Return the type of MySQL that holds so many bytes; what is short enough is a VARBINARY."""
    if name == "binary" and size <= MEDIUM_BYTES:
        return f"varbinary({size})"
    length = "long" if size > LONG_BYTES else "medium" if size > MEDIUM_BYTES else ""
    return length + ("text" if name == "text" else "blob")


def _with_native_types(file: SchemaFile) -> SchemaFile:
    series = file.facts.series
    if series is None or series.tool not in _types():
        return file
    tool, dialect = series.tool, file.facts.dialect

    def native(kind: str) -> str:
        return native_type(kind, tool, dialect)

    operations = tuple(_with_types(operation, native) for operation in file.facts.operations)
    return replace(file, facts=replace(file.facts, operations=operations))


def _with_types(operation: SchemaOperation, native: Callable[[str], str]) -> SchemaOperation:
    def column_with(column: Column) -> Column:
        return replace(column, type=native(column.type)) if column.type else column

    match operation:
        # The others are SQL within a migration.
        case CreateTable(table=table) if Origin.MIGRATION in table.origins and not table.query:
            return replace(operation, table=replace(table, columns=tuple(map(column_with, table.columns))))
        case AddColumn(column=column):
            return replace(operation, column=column_with(column))
        case AlterColumn(type=str() as kind):
            return replace(operation, type=native(kind))
        case _:
            return operation


@cache
def _types() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
