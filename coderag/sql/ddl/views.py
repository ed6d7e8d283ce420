"""The query of a view or of CREATE TABLE ... AS to its columns and what they come from."""

from __future__ import annotations

import re

from msgspec.structs import replace

from coderag.sql.ddl.example_queries import parse_query
from coderag.sql.ddl.found import About, Found
from coderag.sql.lineage.usage import usage_of, usage_of_text
from coderag.sql.records import Column, Lineage, ObjectKind, Table
from coderag.sql.statements.cursor import Cursor

__all__ = ["read_view_query"]

APPENDING = frozenset({"mysql", "mariadb"})  # CREATE TABLE t (a int) SELECT b ...: b comes after a
TAIL = re.compile(
    r"(?i)\bWITH\s++(?:(?:CASCADED\s+|LOCAL\s+)?CHECK\s+OPTION(?:\s+CONSTRAINT\s+\S+)?|READ\s+ONLY|(?:NO\s+)?DATA"
    r"|NO\s+SCHEMA\s+BINDING|SCHEMABINDING)\s*+;?\s*+\Z"
)


def read_view_query(table: Table, query: Cursor, about: About, *, found: Found, first: int) -> Table:
    """Return a table with its query, and what that says of it; `first` is where the statement begins."""
    if query.done:
        found.lose(query, f"the query of {table.name} is missing", first=first, table=True)
        return table
    script = query.script
    text = TAIL.sub("", script.text[query.token.start : script.tokens[query.end - 1].end]).rstrip()
    tree = parse_query(text, about.dialect)
    if tree is None:
        found.lose(query, f"the query of {table.name} could not be parsed", first=first, table=False)
        return replace(table, query=text, usage=usage_of_text(text))
    from coderag.sql.lineage.lineage import lineage_of

    lineage = lineage_of(tree)
    if table.columns and table.kind is ObjectKind.TABLE and about.dialect.name in APPENDING:
        names = {column.name.casefold() for column in table.columns}
        added = tuple(Column(one.column) for one in lineage if one.column != "*" and one.column.casefold() not in names)
        return replace(table, query=text, usage=usage_of(tree), lineage=lineage, columns=table.columns + added)
    if len(lineage) == len(table.columns):
        pairs = zip(lineage, table.columns, strict=True)
        lineage = tuple(Lineage(column.name, one.sources) for one, column in pairs)
    columns = table.columns or tuple(Column(one.column) for one in lineage if one.column not in ("", "*"))
    return replace(table, query=text, usage=usage_of(tree), lineage=lineage, columns=columns)
