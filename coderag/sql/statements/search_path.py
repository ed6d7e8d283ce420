"""What unqualified names belong to from here on: USE, SET search_path, \\connect and their like."""

from __future__ import annotations

import re

from coderag.sql.ddl.found import Found
from coderag.sql.records import Source, UseDatabase
from coderag.sql.statements.cursor import Cursor

__all__ = ["read_connect", "read_use"]

USED = frozenset("DATABASE SCHEMA CATALOG NAMESPACE WAREHOUSE ROLE SECONDARY".split())
NO_PLACES = frozenset({"WAREHOUSE", "ROLE", "SECONDARY"})  # that Snowflake uses, too
SETTINGS = frozenset({"SEARCH_PATH", "CURRENT_SCHEMA", "SCHEMA"})
IMPLIED_SCHEMAS = frozenset({"$user", "pg_catalog", "pg_temp"})
ADMINISTRATORS = frozenset({"sys", "system", "as"})
NAMED = r"(?:\"[^\"\n]+\"|'[^'\n]+'|[^\s;'\"]+)"
PSQL_CONNECT = re.compile(rf"\\c(?:onnect)?\s+(?:-\S+\s+)?(?:\"dbname='(?P<quoted>[^']+)'\"|(?P<plain>{NAMED}))")
ORACLE_CONNECT = re.compile(r"(?i)conn(?:ect)?\s+(?P<user>[\w$#]+)(?:/|@|;|\s|\Z)")


def read_use(cursor: Cursor, *, first: int) -> Found:
    """Read USE, SET search_path or ALTER SESSION SET CURRENT_SCHEMA; nothing comes of other settings."""
    found = Found()
    source = cursor.source(first)
    if cursor.accept("USE"):
        what = cursor.accept_any(USED)
        used = cursor.name()
        if used is None or what in NO_PLACES:
            return found
        if what == "SCHEMA" or used.schema:
            found.operations.append(UseDatabase(used.schema, used.name, source))
        else:
            found.operations.append(UseDatabase(used.name, "", source))
        return found
    cursor.accept("ALTER", "SESSION")
    cursor.accept("SET")
    cursor.accept_any({"LOCAL", "SESSION"})
    cursor.accept("CURRENT")
    if cursor.accept_any(SETTINGS):
        cursor.accept_any({"TO", "="})
        names = [name for item in cursor.items() if (name := item.identifier()) is not None]
        schema = next((name for name in names if name.casefold() not in IMPLIED_SCHEMAS), "")
        found.operations.append(UseDatabase("", schema, source))
    return found


def read_connect(text: str, source: Source) -> UseDatabase | None:
    """Read a line for a client program: psql's \\connect, or SQL*Plus's CONNECT, whose users own a schema each."""
    if (match := PSQL_CONNECT.match(text)) is not None:
        name = (match["quoted"] or match["plain"]).strip("\"'")
        return UseDatabase(name, "", source) if name != "-" else None
    if (match := ORACLE_CONNECT.match(text)) is not None and match["user"].casefold() not in ADMINISTRATORS:
        return UseDatabase("", match["user"], source)
    return None
