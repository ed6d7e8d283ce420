"""A name in SQL to the table or column that it means there."""

from __future__ import annotations

import re

from coderag.api.index import Index
from coderag.record import record
from coderag.search.context.about import TableFacts
from coderag.serve.lsp.documents import Site
from coderag.sql.records import Column

__all__ = ["Meaning", "column_of", "meaning_at", "tables_named"]

NAME = r"(?:[\w$]+|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|\[[^\]\n]{1,80}\])"
QUALIFIED = re.compile(rf"{NAME}(?:\.{NAME})*")
PART = re.compile(NAME)
CLAUSE = re.compile(
    rf"\b(?:from|join|into|update|table|view|only|references|on)\s+(?:if\s+(?:not\s+)?exists\s+|only\s+)?"
    rf"(?P<name>{NAME}(?:\.{NAME})*)(?:\s+(?:as\s+)?(?P<alias>{NAME}))?"
    rf"(?P<more>(?:\s*,\s*{NAME}(?:\.{NAME})*(?:\s+(?:as\s+)?{NAME})?)*)",
    re.IGNORECASE,
)
LISTED = re.compile(rf"(?P<name>{NAME}(?:\.{NAME})*)(?:\s+(?:as\s+)?(?P<alias>{NAME}))?", re.IGNORECASE)
MAX_TEXT = 50_000  # characters of a statement that are looked at
QUOTES = '"`[]'


@record
class Meaning:
    """The tables that a name may mean, or whose column it is, and where the name stands in the text."""

    tables: tuple[TableFacts, ...]
    column: str  # "" for a table itself
    start: int
    end: int


def meaning_at(index: Index, site: Site) -> Meaning | None:
    """Return what the name at a place in SQL means, None if the schema has no such name."""
    text = site.place.text[:MAX_TEXT]
    written = next((one for one in QUALIFIED.finditer(text) if one.start() <= site.offset <= one.end()), None)
    if written is None:
        return None
    parts = [one for one in PART.finditer(text, written.start(), written.end()) if one.start() <= site.offset]
    start, end = parts[-1].span()
    names = [part[0].strip(QUOTES) for part in parts]
    known = tables_named(text)
    if table := _found(index, known.get(names[-1].casefold(), "") if len(names) == 1 else "") or _found(
        index, ".".join(names)
    ):
        return Meaning(table, "", start, end)
    if len(names) > 1:
        holders = _found(index, known.get(names[-2].casefold(), ".".join(names[:-1])))
    else:
        holders = tuple(facts for name in dict.fromkeys(known.values()) for facts in _found(index, name))
    having = tuple(facts for facts in holders if column_of(facts, names[-1]) is not None)
    return Meaning(having, names[-1], start, end) if having else None


def tables_named(text: str) -> dict[str, str]:
    """Return the tables of a statement by what they are called in it, in lower case: an alias, or their own name.

    "SELECT 1 FROM shop.orders AS o, users" -> {"o": "shop.orders", "orders": "shop.orders", "users": "users"}
    """
    tables: dict[str, str] = {}
    for clause in CLAUSE.finditer(text[:MAX_TEXT]):
        _add(tables, clause["name"], clause["alias"])
        for one in LISTED.finditer(clause["more"]):
            _add(tables, one["name"], one["alias"])
    return tables


def _add(found: dict[str, str], name: str, alias: str | None) -> None:
    parts = [one[0].strip(QUOTES) for one in PART.finditer(name)]
    for called in (parts[-1], (alias or "").strip(QUOTES)):
        if called:
            found.setdefault(called.casefold(), ".".join(parts))


def column_of(facts: TableFacts, name: str) -> Column | None:
    """Return a table's column of a name, in any case."""
    return next((column for column in facts.table.columns if column.name.casefold() == name.casefold()), None)


def _found(index: Index, name: str) -> tuple[TableFacts, ...]:
    return tuple(index.table(name)) if name else ()
