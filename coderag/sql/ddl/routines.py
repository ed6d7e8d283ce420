"""CREATE FUNCTION, PROCEDURE, TRIGGER and PACKAGE to routines; their bodies are scanned for tables, not parsed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from coderag.sql.ddl.found import About, Found
from coderag.sql.ddl.tables.column_comments import table_comment
from coderag.sql.ddl.tables.expressions import bare_type
from coderag.sql.lineage.usage import usage_of_text
from coderag.sql.records import Column, CreateRoutine, Name, ObjectKind, Routine, Usage
from coderag.sql.statements.cursor import Cursor
from coderag.sql.statements.lexer import END, STRING, WORD, string_value

__all__ = ["ROUTINE_KINDS", "read_routine"]

ROUTINE_KINDS = {
    "FUNCTION": ObjectKind.FUNCTION,
    "AGGREGATE": ObjectKind.FUNCTION,
    "MACRO": ObjectKind.FUNCTION,
    "PROCEDURE": ObjectKind.PROCEDURE,
    "PROC": ObjectKind.PROCEDURE,
    "TRIGGER": ObjectKind.TRIGGER,
    "PACKAGE": ObjectKind.PACKAGE,
}
MODES = frozenset("IN OUT INOUT VARIADIC NOCOPY".split())
UNNAMED = frozenset("( [ = . PRECISION VARYING WITH WITHOUT".split())  # what follows the first word of a type
ENDS_OF_PARAMETERS = frozenset("AS WITH FOR RETURNS".split())
NO_TABLES = frozenset("DATABASE SCHEMA ALL SERVER".split())  # that a trigger may be on
NEXT = "\n;\n"  # between texts that are read one after the other
MAX_SCANNED = 400_000  # characters of a body
ENDS_OF_RETURNS = frozenset(
    """
    AS IS BEGIN LANGUAGE DETERMINISTIC NOT READS CONTAINS MODIFIES SQL COMMENT IMMUTABLE STABLE VOLATILE STRICT CALLED
    SECURITY WITH RETURN PARALLEL COST ROWS WINDOW LEAKPROOF EXECUTE RETURNS_NULL PIPELINED RESULT_CACHE AUTHID DECLARE
    HANDLER RUNTIME_VERSION PACKAGES IMPORTS OPTIONS SET NO CALLER OWNER USING SELECT EXTERNAL FINAL ALLOW DISALLOW
    SPECIFIC INHERIT IF NULL
    """.split()
)


def read_routine(cursor: Cursor, about: About, *, first: int, kind: ObjectKind, modifiers: Collection[str]) -> Found:
    """Read a routine from behind the word for its kind."""
    found = Found()
    cursor.accept("BODY")
    if_missing = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    if name is None:
        found.lose(cursor, "the name of the routine could not be read", first=first, table=False)
        return found
    routine = Routine(name, kind, source=cursor.within(first, cursor.end).source())
    if kind is ObjectKind.TRIGGER:
        routine = replace(routine, table=_watched(cursor))
    elif kind is not ObjectKind.PACKAGE:
        parameters, returns = tuple(_parameters(cursor)), _returns(cursor)
        routine = replace(routine, parameters=parameters, returns=returns, language=_language(cursor))
    comment = _declared_comment(cursor) or table_comment(about.before, "", about.after)
    routine = replace(routine, usage=_usage(cursor, kind), comment=comment)
    replaces = not if_missing and bool({"REPLACE", "ALTER"}.intersection(modifiers))
    found.operations.append(CreateRoutine(routine, replace=replaces))
    return found


def _usage(cursor: Cursor, kind: ObjectKind) -> Usage:
    """Return what a body touches; one in quotes is read without them."""
    if cursor.done:
        return Usage()
    start = cursor.token.start
    quoted = [
        token
        for token in cursor.tokens[cursor.index : cursor.end]
        if token.kind is STRING and (token.text[0] == "$" or (kind is not ObjectKind.TRIGGER and "\n" in token.text))
    ]
    backslash = "backslash" in cursor.script.dialect.escapes
    texts = [string_value(token, backslash=backslash) for token in quoted]
    texts.append(cursor.script.text[start : quoted[0].start if quoted else None])
    return usage_of_text(NEXT.join(texts)[:MAX_SCANNED])


def _returns(cursor: Cursor) -> str:
    """Read what a function returns, if it says so right here."""
    if not cursor.accept_any({"RETURNS", "RETURN"}):
        return ""
    first = cursor.index
    angles = 0
    while not cursor.done and cursor.token.kind is not STRING:
        key = cursor.key
        in_type = angles or (key == "WITH" and cursor.ahead(1).key in ("TIME", "LOCAL"))
        if key in ENDS_OF_RETURNS and not in_type:
            break
        angles += (key == "<") - (key == ">" and angles > 0)
        cursor.skip()
    return cursor.text(first)


def _language(cursor: Cursor) -> str:
    """Return the language that a routine says it is written in."""
    for index in range(cursor.index, cursor.end - 1):
        if cursor.tokens[index].key == "LANGUAGE":
            token = cursor.tokens[index + 1]
            return (string_value(token) if token.kind is not WORD else token.text).lower()
        if cursor.tokens[index].key == "BEGIN":
            break
    return ""


def _declared_comment(cursor: Cursor) -> str:
    """Return the COMMENT 'x' among the options of a routine."""
    for index in range(cursor.index, cursor.end - 1):
        key = cursor.tokens[index].key
        if key == "BEGIN":
            break
        if key == "COMMENT":
            at = cursor.within(index + 1, cursor.end)
            at.accept("=")
            return at.string() or ""
    return ""


def _parameters(cursor: Cursor) -> Iterator[Column]:
    """Yield the parameters of a routine, in parentheses or, as T-SQL allows, without."""
    inside = cursor.group()
    if inside is None:
        if not cursor.key.startswith("@"):
            return
        start = end = cursor.index
        while end < cursor.end and (cursor.tokens[end].key not in ENDS_OF_PARAMETERS or _is_variable(cursor, end - 1)):
            end = cursor.after(end)
        inside = cursor.within(start, end)
        cursor.index = end
    for item in inside.items():
        if (parameter := _parameter(item)) is not None:
            yield parameter


def _is_variable(cursor: Cursor, index: int) -> bool:
    """Tell whether a token is a T-SQL variable: an AS behind it ends no list."""
    return cursor.tokens[index].key.startswith("@")


def _parameter(item: Cursor) -> Column | None:
    """Read a parameter: mode, name, type and default in the orders that dialects have."""
    source = item.source()
    while item.key in MODES and item.ahead(1) is not END and item.ahead(1).key not in ("=", ":"):
        item.index += 1
    if item.done or item.key == "*":
        return None
    start = item.index
    name = item.identifier() or ""
    if item.done and item.script.dialect.name == "duckdb":  # of a macro
        return Column(name, source=source)
    item.accept("AS")
    while item.key in MODES:
        item.index += 1
    if item.done or item.key in UNNAMED:  # PostgreSQL: a type without a name
        item.index, name = start, ""
    written = _parameter_type(item)
    return Column(name, written, default=_parameter_default(item), source=source)


def _parameter_type(item: Cursor) -> str:
    first = item.index
    while not item.done and item.key not in ("DEFAULT", "=", "OUT", "OUTPUT", "READONLY", "NOT", "NULL"):
        if item.key == ":" and item.ahead(1).key == "=":
            break
        item.skip()
    return bare_type(item.text(first))


def _parameter_default(item: Cursor) -> str:
    while not item.done:
        if item.accept(":", "=") or item.accept_any({"=", "DEFAULT"}):
            first = item.index
            while not item.done and item.key not in ("OUT", "OUTPUT", "READONLY"):
                item.skip()
            return item.text(first)
        item.skip()
    return ""


def _watched(cursor: Cursor) -> Name | None:
    """Read the table that a trigger watches: the one after ON, before its body begins."""
    for index in range(cursor.index, cursor.end):
        key = cursor.tokens[index].key
        if key in ("BEGIN", "AS", "DECLARE", "EXECUTE"):
            return None
        if key == "ON":
            at = cursor.within(index + 1, cursor.end)
            table = at.name()
            if table is None or table.name.upper() in NO_TABLES:
                return None
            cursor.index = at.index
            return table
    return None
