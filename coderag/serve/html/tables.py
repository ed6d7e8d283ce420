"""The schema to pages: the list of tables, one table with who reads and writes each column, diagrams of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from coderag.api.index import Index
from coderag.errors import CoderagError, QueryError
from coderag.graph.drawing.layout import STYLE
from coderag.graph.queries.refs import Group, Reference, References, Role
from coderag.search.context.about import TableFacts
from coderag.search.context.domains import MOST_TOGETHER, Domain, domains_of
from coderag.search.context.domains_svg import domains_as_svg
from coderag.search.context.erd_svg import as_svg
from coderag.serve.html.code import code_lines
from coderag.serve.html.links import Links
from coderag.serve.html.searching import Row
from coderag.sql.records import Column, Name, Table
from coderag.text.counted import counted

__all__ = [
    "ColumnRow",
    "Overview",
    "TablePage",
    "TableRow",
    "diagram",
    "domain_with",
    "lines_of_sql",
    "neighbours",
    "overview",
    "table_page",
    "table_rows",
]

MOST_NEIGHBOURS = 14
READING = (Role.READERS, Role.QUERIES, Role.VIEWS, Role.ROUTINES)
WRITING = (Role.WRITERS, Role.DELETERS)
BOX = '<rect class="box"'


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in the list."""

    table: Table
    references: int  # foreign keys from it


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column, its keys, and who uses it."""

    column: Column
    primary: bool
    unique: bool
    refers_to: tuple[Name, ...]
    readers: tuple[Reference, ...]
    writers: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class TablePage:
    """What the page of a table shows."""

    facts: TableFacts
    columns: tuple[ColumnRow, ...]
    groups: tuple[Group, ...]  # all that refers to it
    others: tuple[TableFacts, ...]  # further tables of the name
    picture: Markup
    neighbours: int
    query: tuple[Row, ...]  # of a view
    repository: str  # that the references are in


@dataclass(frozen=True, slots=True)
class Overview:
    """The domains of many tables."""

    domains: tuple[Domain, ...]
    picture: Markup


def table_rows(index: Index) -> list[TableRow]:
    """Return the tables by database, schema and name."""
    tables = sorted(index.tables(), key=lambda table: table.name.key)
    return [TableRow(table, len(table.foreign_keys)) for table in tables]


def table_page(index: Index, name: str, links: Links) -> TablePage:
    """Return what is known of a table; raises QueryError where there is none."""
    table = index.table(name)
    exact = [facts for facts in table if str(facts.table.name) == name] or table
    if not exact:
        raise QueryError(f"the table {name} is not in the index")
    facts = exact[0]
    references = _references(index, facts.table)
    groups = references.groups if references else ()
    columns = tuple(_column_row(facts.table, column, groups) for column in facts.table.columns)
    near = neighbours(index, facts)
    return TablePage(
        facts=facts,
        columns=columns,
        groups=groups,
        others=tuple(other for other in table if other is not facts),
        picture=diagram(near, links) if len(near) > 1 else Markup(""),
        neighbours=len(near) - 1,
        query=lines_of_sql(facts.table.query) if facts.table.query else (),
        repository=references.repository if references else "",
    )


def neighbours(index: Index, facts: TableFacts) -> list[Table]:
    """Return a table and those that it is joined to, at most as many as a picture shows."""
    by_key = {table.name.key: table for table in index.tables()}
    keys = dict.fromkeys(reference.table.key for reference in facts.references)
    near = [by_key[key] for key in keys if key in by_key and key != facts.table.name.key]
    return [facts.table, *near[:MOST_NEIGHBOURS]]


def diagram(tables: Sequence[Table], links: Links) -> Markup:
    """Return the ER diagram of some tables, each a link to its page."""
    boxes = [(links.table(str(table.name)), str(table.name)) for table in tables]
    return Markup("\n").join(_linked(as_svg(tables), boxes))


def overview(tables: Sequence[Table], links: Links) -> Overview:
    """Return a picture of the domains of tables that are too many for one, each a link to the diagram of its own."""
    domains = domains_of(tables, most=MOST_TOGETHER)
    boxes = [
        (links.domain(str(domain.tables[0].name)), f"{domain.name}, {counted(len(domain.tables), 'table')}")
        for domain in domains
    ]
    return Overview(tuple(domains), Markup("\n").join(_linked(domains_as_svg(domains), boxes)))


def domain_with(tables: Sequence[Table], name: str) -> Domain:
    """Return the domain that a table is in; raises QueryError where there is no such table."""
    for domain in domains_of(tables, most=MOST_TOGETHER):
        if any(str(table.name) == name for table in domain.tables):
            return domain
    raise QueryError(f"the table {name} is not in the index")


def lines_of_sql(text: str) -> tuple[Row, ...]:
    """Return the lines of a statement."""
    return tuple(Row(number, html) for number, html in enumerate(code_lines(text.split("\n"), "sql"), 1))


def _linked(svg: str, boxes: Sequence[tuple[str, str]]) -> Iterator[Markup]:
    """Yield the lines of a picture with a link around each box, by address and label; the page has its colours."""
    left = iter(boxes)
    inside = False
    # The picture escapes what tables are called; its own style would be refused by the page's policy.
    # What is linked inside of it has to be heard, so it is no image.
    for line in svg.replace(f"<style>{STYLE}</style>", "").replace('role="img"', 'role="group"', 1).split("\n"):
        if BOX in line:
            inside = True
            yield Markup('<a href="{}" aria-label="{}">').format(*next(left))
        yield Markup(line)
        if inside and line == "</g>":
            inside = False
            yield Markup("</a>")


def _references(index: Index, table: Table) -> References | None:
    """Return all that refers to a table, None if the graph is not there yet."""
    try:
        name = ".".join(filter(None, (table.name.schema, table.name.name)))
        references = index.refs(name, kinds=("table", "view"), shown=None)
    except CoderagError:
        return None
    database = table.name.database  # of several roots with their repository in front
    exact = [
        reference
        for reference in references
        if database in (reference.target.database, f"{reference.repository}/{reference.target.database}")
    ]
    return next(iter(exact or references), None)


def _column_row(table: Table, column: Column, groups: Sequence[Group]) -> ColumnRow:
    keys = [key for key in table.foreign_keys if column.name in key.columns]
    return ColumnRow(
        column=column,
        primary=column.name in table.primary_key,
        unique=(column.name,) in table.unique,
        refers_to=tuple(dict.fromkeys(key.table for key in keys)),
        readers=_users(column, groups, READING),
        writers=_users(column, groups, WRITING),
    )


def _users(column: Column, groups: Sequence[Group], roles: Sequence[Role]) -> tuple[Reference, ...]:
    return tuple(
        reference
        for group in groups
        if group.role in roles
        for reference in group.references
        if column.name in reference.members
    )
