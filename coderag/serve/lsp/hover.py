"""A name in SQL, or a model of a mapper, to the table as a card."""

from __future__ import annotations

from textwrap import dedent

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from coderag.api.index import Index
from coderag.errors import CoderagError
from coderag.graph.queries.refs import Role
from coderag.search.context.about import TableFacts
from coderag.serve.lsp.data import column_of, meaning_at
from coderag.serve.lsp.documents import Document
from coderag.sql.records import Column, Name
from coderag.text.visible import visible, visible_prose

__all__ = ["hover_at"]

MAX_COLUMNS = 40
MAX_TABLES = 3  # of one name
MAX_REFERENCES = 12
MAX_TEXT = 400  # characters of a comment
MAX_LINES = 20  # of a query


def hover_at(index: Index, document: Document, offset: int) -> Hover | None:
    """Return the table or column at a character, None where there is none."""
    site = document.site(offset)
    if site is None:
        return _mapped(index, document, offset)
    meaning = meaning_at(index, site)
    if meaning is None:
        return None
    cards = []
    for facts in meaning.tables[:MAX_TABLES]:
        column = column_of(facts, meaning.column)
        cards.append(_table_card(facts) if column is None else _column_card(facts, column))
    extent = document.range(site.place.start + meaning.start, site.place.start + meaning.end)
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(cards)), extent)


def _mapped(index: Index, document: Document, offset: int) -> Hover | None:
    """Return the table that the model defined on a line is mapped to."""
    line = document.text.count("\n", 0, offset) + 1
    definition = next((one for one in document.definitions if one.row + 1 == line), None)
    if definition is None or not document.path:
        return None
    try:
        found = index.refs(definition.qualified_name, paths=[document.path])
    except CoderagError:
        return None
    names = [
        reference.spot.name
        for one in found
        for group in one.groups
        if group.role is Role.MAPS
        for reference in group.references
    ]
    facts = [each for name in names for each in index.table(name)][:MAX_TABLES]
    if not facts:
        return None
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(map(_table_card, facts))))


def _table_card(facts: TableFacts) -> str:
    table = facts.table
    lines = [f"**{table.kind} `{visible(_name(table.name))}`**"]
    if table.comment:
        lines.append(_short(table.comment))
    rows = [_row(column, facts) for column in table.columns[:MAX_COLUMNS]]
    lines.append("\n".join(["| column | type | |", "|---|---|---|", *rows]))
    if (left := len(table.columns) - MAX_COLUMNS) > 0:
        lines.append(f"… and {left} more columns")
    joins = [_join(facts, number) for number in range(min(len(facts.references), MAX_REFERENCES))]
    if joins:
        lines.append("\n".join(f"- {one}" for one in joins))
    if facts.queries:
        lines.append(f"```sql\n{_query(facts.queries[0].text)}\n```")
    return "\n\n".join(lines)


def _column_card(facts: TableFacts, column: Column) -> str:
    lines = [f"**column `{visible(_name(facts.table.name))}.{visible(column.name)}`** {_type(column, facts)}"]
    if column.comment:
        lines.append(_short(column.comment))
    if column.values:
        lines.append("values: " + ", ".join(f"`{visible(one)}`" for one in column.values[:MAX_REFERENCES]))
    joins = [
        _join(facts, number)
        for number, reference in enumerate(facts.references)
        if column.name.casefold() in map(str.casefold, reference.columns)
    ]
    return "\n\n".join(lines + ["\n".join(f"- {one}" for one in joins[:MAX_REFERENCES])] * bool(joins))


def _row(column: Column, facts: TableFacts) -> str:
    said = " ".join(visible(column.comment).split()).replace("|", "\\|")
    return f"| `{visible(column.name)}` | {_type(column, facts)} | {said[:MAX_TEXT]} |"


def _type(column: Column, facts: TableFacts) -> str:
    key = column.name.casefold() in map(str.casefold, facts.table.primary_key)
    words = (visible(column.type), "primary key" * key, "not null" * (not column.nullable and not key))
    return " ".join(filter(None, words)).replace("|", "\\|")


def _join(facts: TableFacts, number: int) -> str:
    one = facts.references[number]
    ours, theirs = ", ".join(one.columns), f"{_name(one.table)}({', '.join(one.other_columns)})"
    return f"`{visible(ours)}` {'→' if one.outward else '←'} `{visible(theirs)}`"


def _name(name: Name) -> str:
    """Return a name without its database, which is often the name of a folder."""
    return f"{name.schema}.{name.name}" if name.schema else name.name


def _query(text: str) -> str:
    lines = dedent(text.strip("\n")).split("\n")
    shown = "\n".join(visible_prose(line).replace("```", "'''") for line in lines[:MAX_LINES])
    return shown if len(lines) <= MAX_LINES else f"{shown}\n…"


def _short(text: str) -> str:
    text = visible_prose(" ".join(text.split()))
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
