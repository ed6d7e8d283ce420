"""A glob on names to the tables that it means."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.files.globs import parse_glob
from coderag.sql.records import Name, Table

__all__ = ["tables_named"]


def tables_named(tables: Iterable[Table], pattern: str) -> list[Table]:
    """Return the tables whose name fits a glob: alone, with its schema, or with its database; raises QueryError."""
    glob = parse_glob(pattern.casefold())
    return [table for table in tables if any(glob.matches(name.casefold()) for name in _names(table.name))]


def _names(name: Name) -> tuple[str, str, str]:
    return name.name, str(Name(name.name, name.schema)), str(name)
