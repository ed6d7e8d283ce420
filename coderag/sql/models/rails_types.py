"""Rails' names of types to those of a database."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from coderag.sql.model import CreateTable, Operation

__all__ = ["native_type", "with_native_types"]

TABLE = Path(__file__).with_name("rails_types.toml")
PARTS = re.compile(r"(?P<name>\w+)(?P<size>\([^)]*\))?(?P<rest>.*)", re.DOTALL)
MEDIUM_BYTES, LONG_BYTES = 65_535, 16_777_215  # what TEXT and MEDIUMTEXT of MySQL hold at most


def with_native_types(operations: Sequence[Operation], dialect: str) -> list[Operation]:
    """Return the operations of a schema.rb with the types that its columns have in the database."""
    return [
        replace(
            one,
            table=replace(
                one.table,
                columns=tuple(replace(column, type=native_type(column.type, dialect)) for column in one.table.columns),
            ),
        )
        if isinstance(one, CreateTable) and not one.table.query
        else one
        for one in operations
    ]


def native_type(kind: str, dialect: str) -> str:
    """Return what a type of Rails is in a dialect, with its size; one that is not Rails' own stays."""
    parts = PARTS.fullmatch(kind)
    if parts is None:
        return kind
    name, size, rest = parts["name"], parts["size"] or "", parts["rest"]
    if dialect == "mysql" and name in {"text", "binary"} and size[1:-1].isdecimal():
        return _sized(name, int(size[1:-1])) + rest
    native = _types().get(dialect, _types()["other"]).get(name, name)
    return f"{native.partition('(')[0] if size else native}{size}{rest}"


def _sized(name: str, size: int) -> str:
    """Return the type of MySQL that holds so many bytes; what is short enough is a VARBINARY."""
    if name == "binary" and size <= MEDIUM_BYTES:
        return f"varbinary({size})"
    length = "long" if size > LONG_BYTES else "medium" if size > MEDIUM_BYTES else ""
    return length + ("text" if name == "text" else "blob")


@cache
def _types() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
