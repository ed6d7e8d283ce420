"""Statements to what they touch: tables read and written, columns, joins and routines called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from coderag.sql.lineage.scopes import STAR, ColumnsOf, Scope, narrowed, written_name
from coderag.sql.records import ColumnUse, Name, Usage
from coderag.sql.statements.lexemes import SKIPPED

if TYPE_CHECKING:
    from sqlglot import exp


__all__ = ["Touched", "resolved", "touched_by", "usage_of", "usage_of_text", "without_tables"]


class Touched(NamedTuple):
    """What a statement touches, and how."""

    usage: Usage
    deleted: tuple[Name, ...]  # of the tables that it writes, those whose rows it deletes
    filled: tuple[Name, ...]  # and those that it puts whole rows into: INSERT without a list of columns; or deletes
    starred: tuple[Name, ...]  # tables all of whose columns come back: SELECT *, RETURNING *


def without_tables(usage: Usage, names: Collection[str]) -> Usage:
    """Return a usage without the tables of some folded names, and without the columns and joins of these alone."""

    def kept(tables: Iterable[Name]) -> tuple[Name, ...]:
        return tuple(table for table in tables if table.name.casefold() not in names)

    columns = (
        replace(column, tables=kept(column.tables))
        for column in usage.columns
        if kept(column.tables) or not column.tables
    )
    return replace(
        usage,
        reads=kept(usage.reads),
        writes=kept(usage.writes),
        deletes=kept(usage.deletes),
        whole=kept(usage.whole),
        columns=tuple(columns),
        joins=tuple(join for join in usage.joins if len(kept((join.left, join.right))) > 1),
    )


def usage_of(tree: exp.Expr, *, columns_of: ColumnsOf | None = None) -> Usage:
    """Return what a parsed statement touches; of one nested too deeply, what could be found.

    `columns_of` gives a table's columns, casefolded, or None if they are not known.
    """
    return touched_by(tree, columns_of=columns_of).usage


def touched_by(tree: exp.Expr, *, columns_of: ColumnsOf | None = None) -> Touched:
    """Return what a parsed statement touches, as `usage_of`, and of which tables rows are deleted or taken whole."""
    from coderag.sql.lineage.lineage import StatementReader

    reader = StatementReader(columns_of)
    with suppress(RecursionError):
        reader.statement(tree, Scope())
    usage = reader.usage()
    for text in reader.commands:
        usage = _both(usage, usage_of_text(text))
    touched = (reader.deleted, reader.filled, reader.starred)
    return Touched(usage, *(tuple(names.values()) for names in touched))


def resolved(usage: Usage, columns_of: ColumnsOf) -> Usage:
    """Return a usage whose columns belong to the tables that have them.

    `columns_of` gives a table's columns, casefolded, or None if they are not known. A column that none of its
    candidates has is left out: it is an alias, a variable or a string in double quotes.
    """
    columns: dict[ColumnUse, None] = {}
    for use in usage.columns:
        if not use.tables:
            columns[use] = None
        elif tables := narrowed(use.column, use.tables, columns_of):
            columns[ColumnUse(use.column, tables, use.write)] = None
    return replace(usage, columns=tuple(columns))


def _both(usage: Usage, other: Usage) -> Usage:
    return Usage(
        reads=_merged(usage.reads, other.reads),
        writes=_merged(usage.writes, other.writes),
        deletes=_merged(usage.deletes, other.deletes),
        whole=_merged(usage.whole, other.whole),
        columns=tuple(dict.fromkeys((*usage.columns, *other.columns))),
        joins=tuple(dict.fromkeys((*usage.joins, *other.joins))),
        calls=tuple({name.casefold(): name for name in reversed((*usage.calls, *other.calls))}.values())[::-1],
    )


def _merged(one: Iterable[Name], other: Iterable[Name]) -> tuple[Name, ...]:
    found: dict[tuple[str, str, str], Name] = {}
    for name in (*one, *other):
        found.setdefault(name.key, name)
    return tuple(found.values())


# Text that no parser understands

PART = r'(?:"(?:[^"\n]|""){1,128}"|`[^`\n]{1,128}`|\[[^\]\n]{1,128}\]|[^\W\d][\w$#]*)'
NAME = rf"{PART}(?:\s*\.\s*{PART}|\.\.{PART}){{0,3}}"
PARTS = re.compile(PART)
FUNCTION = re.compile(r"\s*\(")
CTE = re.compile(
    rf"(?:\bWITH(?:\s+RECURSIVE)?\s+|,\s*)({PART})\s*(?:\([^()]*\)\s*)?\bAS\s*(?:(?:NOT\s+)?MATERIALIZED\s*)?"
    r"\(\s*(?:SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|\()",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    rf"""\b(?:
          (?P<delete>DELETE\s+(?:FROM\s+)?(?:ONLY\s+)?)
        | (?P<insert>(?:INSERT|REPLACE|MERGE)\s+(?:(?:IGNORE|LOW_PRIORITY|DELAYED|OVERWRITE|INTO|TABLE)\s+)+)
        | (?P<truncate>TRUNCATE\s+(?:TABLE\s+)?(?:ONLY\s+)?)
        | (?P<update>UPDATE\s+(?:ONLY\s+)?)
        | (?P<call>(?:CALL|PERFORM|EXEC(?:UTE)?(?:\s+(?:PROCEDURE|FUNCTION))?)\s+(?:@\w+\s*=\s*)?)
        | (?P<read>(?:FROM|JOIN|USING|APPLY)\s+(?:ONLY\s+|LATERAL\s+|TABLE\s+)?)
    )(?P<name>{NAME})""",
    re.IGNORECASE | re.VERBOSE,
)
FOLLOWING = re.compile(rf"(?:\s+(?:AS\s+)?(?P<alias>{PART}))?(?P<more>\s*,\s*(?P<next>{NAME}))?", re.IGNORECASE)
# A FROM that belongs to a function or a cursor, an UPDATE or DELETE that belongs to another clause.
OTHER_FROM = re.compile(
    r"(?:\b(?:EXTRACT|SUBSTRING|TRIM|OVERLAY)\s*\([^()]*|\b(?:DISTINCT|FETCH|NEXT|PRIOR|ABSOLUTE|PORTION\s+OF\s+\S{1,80})\s+)$",
    re.IGNORECASE,
)
OTHER_WRITE = re.compile(r"\b(?:FOR|ON|DO|THEN|OR|AFTER|BEFORE|KEY|OF)\s+$", re.IGNORECASE)
LOOK_BEHIND = 100  # characters
KEYWORDS = frozenset(
    """select from where set values on using join inner left right full cross natural outer group order having limit
    union except intersect minus into as when then else end begin loop is not null only table lateral unnest returning
    output default immediate function procedure new old inserted deleted excluded dual for if while return with exists
    fetch offset window qualify straight_join apply pivot unpivot tablesample option force use ignore of cascade
    restrict distinct all any some and or in between like case do declare cursor row rows each statement execute
    """.split()
)


def usage_of_text(text: str) -> Usage:
    """Return the tables that a text of SQL names after FROM, JOIN, INTO and the like, and the routines it calls.

    This is for bodies in procedural languages, which no parser takes apart; columns are not found.
    """
    bare = SKIPPED.sub(lambda match: " " * (match.end() - match.start()), text)
    ctes = {_bare(match[1]).casefold() for match in CTE.finditer(bare)}
    reads: dict[tuple[str, str, str], Name] = {}
    writes: dict[tuple[str, str, str], Name] = {}
    calls: dict[str, str] = {}
    aliases: dict[str, Name] = {}
    updated: list[Name] = []
    position = 0
    while (match := CLAUSE.search(bare, position)) is not None:
        position = match.end()
        name, before = _name(match["name"]), bare[max(0, match.start() - LOOK_BEHIND) : match.start()]
        if match["call"]:
            if _is_stored(name, set()):
                calls.setdefault(str(name).casefold(), str(name))
        elif match["read"]:
            if OTHER_FROM.search(before):
                continue
            listed, position = _listed(bare, match)
            for one, alias in listed:
                if _is_stored(one, ctes):
                    reads.setdefault(one.key, one)
                    aliases.setdefault(alias.casefold(), one)
        elif _is_stored(name, ctes) and not OTHER_WRITE.search(before):
            updated.append(name)
    for name in updated:
        written = name if name.schema else aliases.get(name.name.casefold(), name)
        writes.setdefault(written.key, written)
    return Usage(reads=tuple(reads.values()), writes=tuple(writes.values()), calls=tuple(calls.values()))


def _listed(text: str, found: re.Match[str]) -> tuple[list[tuple[Name, str]], int]:
    """Return the tables of a list in FROM with their aliases, and where the list ends; a function is left out."""
    listed: list[tuple[Name, str]] = []
    written, position = found["name"], found.end()
    while not FUNCTION.match(text, position) and (name := _name(written)).name.casefold() not in KEYWORDS:
        after = FOLLOWING.match(text, position)
        if after is None:  # never: every part of it may be missing
            break
        alias = _bare(after["alias"] or "")
        if alias.casefold() in KEYWORDS:
            return [*listed, (name, "")], position
        listed.append((name, alias))
        if not after["next"]:
            break
        written, position = after["next"], after.end()
    return listed, position


def _name(written: str) -> Name:
    return written_name([_bare(part) for part in PARTS.findall(written)])


def _bare(part: str) -> str:
    if part[:1] == '"':
        return part[1:-1].replace('""', '"')
    return part[1:-1] if part[:1] in {"`", "["} else part


def _is_stored(name: Name, ctes: set[str]) -> bool:
    if name.name == STAR:  # the hole of a template
        return False
    return bool(name.schema) or (name.name.casefold() not in KEYWORDS and name.name.casefold() not in ctes)
