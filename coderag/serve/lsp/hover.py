"""A name in SQL, or a model of a mapper, to the table as a card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import dedent

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from coderag.api.index import Index
from coderag.errors import CoderagError
from coderag.graph.queries.locations import Location
from coderag.graph.queries.refs import Role
from coderag.graph.records import NodeKind
from coderag.search.context.about import TableFacts
from coderag.serve.lsp.data import column_of, meaning_at
from coderag.serve.lsp.documents import Document
from coderag.sql.records import Column, Name
from coderag.text.counted import counted
from coderag.text.visible import visible, visible_prose

__all__ = ["hover_at"]

USING = (Role.READERS, Role.WRITERS, Role.QUERIES)
USING_ROWS = (Role.ROW_READERS, Role.ROW_WRITERS)  # places that do not name the column
MAX_COLUMNS = 40
MAX_TABLES = 3  # of one name
MAX_REFERENCES = 12
MAX_TEXT = 400  # characters of a comment
MAX_LINES = 20  # of a query


def hover_at(index: Index, document: Document, offset: int) -> Hover | None:
    """Return the table or column at a character, None if there is none."""
    site = document.site(offset)
    if site is None:
        return _mapped(index, document, offset)
    meaning = meaning_at(index, site)
    if meaning is None:
        return None
    cards = []
    for facts in meaning.tables[:MAX_TABLES]:
        column = column_of(facts, meaning.column)
        cards.append(_table_card(facts) if column is None else _column_card(index, facts, column))
    extent = document.range(site.place.start + meaning.start, site.place.start + meaning.end)
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(cards)), extent)


def _mapped(index: Index, document: Document, offset: int) -> Hover | None:
    """Return the table that the model named at a character is mapped to, or the column that a field of it is."""
    if not document.path:
        return None
    line = document.text.count("\n", 0, offset)
    around = [one for one in document.definitions if one.first_row <= line <= one.last_row]
    word = document.word(offset)
    for definition in reversed(around):  # the innermost comes last
        locations = _mapped_to(index, document, definition.qualified_name)
        cards = list(_cards_of(index, document, locations, word="" if definition.name == word else word))
        if locations:
            markdown = "\n\n---\n\n".join(cards[:MAX_TABLES])
            return Hover(MarkupContent(MarkupKind.Markdown, markdown)) if cards else None
    return None


def _mapped_to(index: Index, document: Document, name: str) -> list[Location]:
    """Return the tables and columns that a definition of a document is mapped to."""
    try:
        references = index.refs(name, paths=[document.glob], repository=document.repository)
    except CoderagError:
        return []
    groups = [group for one in references for group in one.groups if group.role is Role.MAPS]
    return [reference.spot for group in groups for reference in group.references]


def _cards_of(index: Index, document: Document, locations: Sequence[Location], *, word: str) -> Iterator[str]:
    """Yield the cards of columns, and of tables or, where a word is given, of their columns of that name."""
    for spot in locations:
        table, _, column = spot.name.rpartition(".") if spot.kind is NodeKind.COLUMN else (spot.name, "", word)
        root = f"{document.repository}/" if len(index.roots) > 1 else ""
        for facts in index.table(f"{root}{spot.database}.{table}" if spot.database else table):
            if not column:
                yield _table_card(facts)
            elif (known := column_of(facts, column)) is not None:
                yield _column_card(index, facts, known)


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
        lines.append("\n".join(f"- {join}" for join in joins))
    if facts.queries:
        lines.append(f"```sql\n{_query(facts.queries[0].text)}\n```")
    return "\n\n".join(lines)


def _column_card(index: Index, facts: TableFacts, column: Column) -> str:
    lines = [f"**column `{visible(_name(facts.table.name))}.{visible(column.name)}`** {_type(column, facts)}"]
    if column.comment:
        lines.append(_short(column.comment))
    if column.values:
        lines.append("values: " + ", ".join(f"`{visible(value)}`" for value in column.values[:MAX_REFERENCES]))
    if usage := _usage(index, facts.table.name, column.name):
        lines.append(usage)
    joins = [
        _join(facts, number)
        for number, reference in enumerate(facts.references)
        if column.name.casefold() in map(str.casefold, reference.columns)
    ]
    return "\n\n".join(lines + ["\n".join(f"- {join}" for join in joins[:MAX_REFERENCES])] * bool(joins))


def _usage(index: Index, table: Name, column: str) -> str:
    """Return "read by 3 places, reads whole rows: 12" of a column; "" if nothing is known to use it."""
    try:
        references = index.refs(f"{_name(table)}.{column}", kinds=("column",), shown=0)
    except CoderagError:
        return ""
    totals = {group.role: group.total for reference in references[:1] for group in reference.groups}
    named = [f"{role} {counted(totals[role], 'place')}" for role in USING if role in totals]
    return ", ".join(named + [f"{role}: {counted(totals[role], 'place')}" for role in USING_ROWS if role in totals])


def _row(column: Column, facts: TableFacts) -> str:
    comment = " ".join(visible(column.comment).split()).replace("|", "\\|")
    return f"| `{visible(column.name)}` | {_type(column, facts)} | {comment[:MAX_TEXT]} |"


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
