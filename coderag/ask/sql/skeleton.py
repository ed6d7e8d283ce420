"""A question to a SELECT to be completed: the tables, join conditions, columns and values that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.search.context.pack import ContextJoin
from coderag.search.context.schema_context import SchemaContext
from coderag.sql.records import Name, Table

__all__ = ["skeleton"]

WORD = re.compile(r"\w+")
COUNTING = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b", re.IGNORECASE)
MAX_TABLES, MAX_COLUMNS, MAX_VALUES = 3, 6, 3
NEAR = 0.8  # of the best table's score: less and a table is left out, unless it joins others
SURE_COLUMNS = 3  # of those that a question is about, whose tables are needed
VALUE_CHARACTERS = 3  # of a value that a question may name: shorter ones are words


def skeleton(context: SchemaContext) -> str:
    """Return a SELECT of what a question names, "" if no table is known."""
    tables, joins = _joined(context)
    if not tables:
        return ""
    spelling = context.spelling
    lines = [f"SELECT {', '.join(_columns(context, tables))}", f"  FROM {spelling.full_name(tables[0].name)}"]
    for table, conditions in zip(tables[1:], joins, strict=True):
        lines.append(f"  JOIN {spelling.full_name(table.name)} ON {' AND '.join(conditions)}")
    if wanted := _values(context, tables):
        lines.append(f" WHERE {' AND '.join(wanted)}")
    return "\n".join(lines)


def _joined(context: SchemaContext) -> tuple[list[Table], list[list[str]]]:
    """Return the best tables in an order in which each joins one before it, and the conditions of all but the first."""
    known = {table.table.name: table.table for table in context.tables}
    if not known:
        return [], []
    wanted = _wanted(context)
    tables: list[Name] = wanted[:1]
    conditions: list[list[str]] = []
    for name in wanted[1:]:
        for step, join in _way(tables, name, context.joins):
            if step not in tables and step in known and len(tables) < MAX_TABLES:
                tables.append(step)
                conditions.append(_conditions(context, join))
    return [known[name] for name in tables], conditions


def _wanted(context: SchemaContext) -> list[Name]:
    """Return the tables that the question names by their whole name, else those that are nearly as good as the best."""
    words = {_singular(word) for word in WORD.findall(context.question.casefold())}
    parts = {table.table.name: table.table.name.name.casefold().split("_") for table in context.tables}
    named = [name for name, own in parts.items() if {_singular(part) for part in own} <= words]
    best = context.tables[0].score
    near = [table.table.name for table in context.tables if table.score >= NEAR * best]
    if COUNTING.search(context.question):
        return (named or near)[:1]  # a join would count its rows
    of_columns = [table.name for table, _ in context.columns[:SURE_COLUMNS] if table.name in parts]
    return list(dict.fromkeys([*(named or near), *of_columns]))[:MAX_TABLES]


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _way(begins: Sequence[Name], end: Name, joins: Sequence[ContextJoin]) -> list[tuple[Name, ContextJoin]]:
    """Return the shortest steps from some tables to another, [] if there is no way."""
    ways: dict[Name, list[tuple[Name, ContextJoin]]] = {name: [] for name in begins}
    waiting = list(begins)
    for name in waiting:
        if name == end:
            return ways[name]
        for join in joins:
            other = join.right if join.left == name else join.left if join.right == name else None
            if other is not None and other not in ways and not join.shared:
                ways[other] = [*ways[name], (other, join)]
                waiting.append(other)
    return []


def _conditions(context: SchemaContext, join: ContextJoin) -> list[str]:
    spelling = context.spelling
    left, right = spelling.full_name(join.left), spelling.full_name(join.right)
    pairs = zip(join.left_columns, join.right_columns, strict=False)
    return [f"{left}.{spelling.quoted(one)} = {right}.{spelling.quoted(other)}" for one, other in pairs]


def _columns(context: SchemaContext, tables: Sequence[Table]) -> list[str]:
    if COUNTING.search(context.question):
        return ["COUNT(*)"]
    names = [table.name for table in tables]
    matching = {table.table.name: table.matching for table in context.tables}
    ranked = [(table.name, column) for table, column in context.columns if table.name in names]
    asked = [(name, column) for name, column in ranked if column in matching.get(name, ())]
    spelling = context.spelling
    chosen = [f"{spelling.full_name(name)}.{spelling.quoted(column)}" for name, column in asked or ranked[:3]]
    return chosen[:MAX_COLUMNS] or ["*"]


def _values(context: SchemaContext, tables: Sequence[Table]) -> list[str]:
    """Return conditions for the known values of columns that the question names."""
    words = set(WORD.findall(context.question.casefold()))
    found = [
        f"{context.spelling.full_name(table.name)}.{context.spelling.quoted(column.name)} = '{value}'"
        for table in tables
        for column in table.columns
        for value in column.values
        if len(value) >= VALUE_CHARACTERS and value.isalnum() and value.casefold() in words
    ]
    return found[:MAX_VALUES]
