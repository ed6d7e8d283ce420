"""`schema`: a question to the tables, joins, example queries and rules that its SQL needs; or all of one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coderag.errors import CoderagError, QueryError
from coderag.search.context.about import TableFacts
from coderag.search.context.ddl import column_note, place, table_label
from coderag.serve.answer import Answer
from coderag.serve.arguments import SchemaArguments, words
from coderag.serve.page import Page, cut
from coderag.serve.places import Places, freshness
from coderag.serve.workspace import View, Workspace
from coderag.sql.check.known_tables import closest
from coderag.sql.records import Column, Table
from coderag.text.visible import visible
from coderag.types import TableFilter

__all__ = ["schema"]

LAST_TOKENS = 60
LINE_CHARACTERS = 220
QUERIES = 5
USERS = 5  # of each kind, of code that uses a table


def schema(workspace: Workspace, arguments: SchemaArguments) -> Answer:
    """Return the context for a question, or all of a table; raises QueryError where there is no such table."""
    if bool(arguments.question.strip()) == bool(arguments.table.strip()):
        raise QueryError('schema: give "question" or "table"')
    view = workspace.view()
    if not len(view.index.catalog):
        raise QueryError(
            "there is no schema here: no indexed file declares tables, and no database was read "
            '("coderag index --database URL" reads one)'
        )
    conditions = TableFilter(databases=frozenset(words(arguments.database)))
    if arguments.question:
        return _context(view, arguments, conditions)
    return _table(workspace, view, arguments, conditions)


def _context(view: View, arguments: SchemaArguments, conditions: TableFilter) -> Answer:
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    context = view.index.schema_context(arguments.question, budget=page.tokens_left(), conditions=conditions)
    page.add(context.as_ddl())
    record = {
        "tables": [
            {
                "name": str(chosen.table.name),
                "columns": [column.name for column in chosen.table.columns],
                "source": place(chosen.table.sources[0]) if chosen.table.sources else "",
            }
            for chosen in context.tables
        ]
    }
    return Answer(page.finished([freshness(view)]), record)


def _table(workspace: Workspace, view: View, arguments: SchemaArguments, conditions: TableFilter) -> Answer:
    tables = view.index.table(arguments.table, conditions)
    if not tables:
        alike = closest(arguments.table, view.index.catalog.names)
        meant = f"; did you mean {' or '.join(map(visible, alike))}?" if alike else ""
        raise QueryError(f"no table is named {arguments.table!r}{meant}")
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    left = 0
    for facts in tables:
        for line in _lines(facts):
            left += not page.add(cut(visible(line), LINE_CHARACTERS))
    _add_users(page, workspace, view, arguments.table)
    last = [f"[{left} lines left out; raise the budget]"] if left else []
    return Answer(page.finished([*last, freshness(view)]), {"tables": [_record(facts) for facts in tables]})


def _lines(facts: TableFacts) -> Iterator[str]:
    """Yield what is known of a table, what matters most first."""
    table = facts.table
    where = f" {place(table.sources[0])}" if table.sources else ""
    dialect = f" ({table.dialect})" if table.dialect else ""
    yield f"{table.kind} {table.name}{dialect}{where}"
    if label := table_label(table):
        yield f"  {label}"
    yield from (f"  {_column(table, column)}" for column in table.columns)
    yield from (f"  unique ({', '.join(names)})" for names in table.unique if len(names) > 1)
    yield from (f"  check {check}" for check in table.checks)
    for reference in facts.references:
        arrow = "->" if reference.outward else "<-"
        other = f"{reference.table} ({', '.join(reference.other_columns)})"
        yield f"  join {', '.join(reference.columns)} {arrow} {other}, {reference.evidence}"
    for view in facts.views:
        yield f"  view {view.name} reads it{f' {place(view.sources[0])}' if view.sources else ''}"
    yield from (f"  {routine.kind} {routine.name} {place(routine.source)}" for routine in facts.routines)
    for query in facts.queries[:QUERIES]:
        yield f"  query {place(query.source)} {' '.join((query.question or query.text).split())}"
    for definition in facts.definitions:
        yield f"  term {definition.term}: {' '.join(definition.text.split())} {place(definition.source)}"


def _column(table: Table, column: Column) -> str:
    keys = [" primary key"] if column.name in table.primary_key else []
    keys += [" not null"] if not column.nullable and not keys else []
    keys += [f" default {column.default}"] if column.default else []
    note = column_note(table, column, values=True)
    return f"{column.name} {column.type}{''.join(keys)}{f'  -- {note}' if note else ''}"


def _add_users(page: Page, workspace: Workspace, view: View, name: str) -> None:
    """Add which code reads, writes and maps a table, if the graph is there."""
    try:
        view = workspace.with_graph(view)
        answers = view.index.refs(name, kinds=("table", "view"), shown=USERS)
    except CoderagError:
        return  # the graph is being made, and the table stands without
    places = Places(view)
    for references in answers[:1]:
        for group in references.groups:
            users = [
                f"{places.line(reference.path, reference.line, references.repository)} {visible(reference.spot.name)}"
                for reference in group.references
                if reference.path
            ]
            more = f" (+{group.total - len(users):,})" if group.total > len(users) else ""
            if users:
                page.add(f"  {group.role} {'; '.join(users)}{more}")


def _record(facts: TableFacts) -> dict[str, Any]:
    table = facts.table
    return {
        "name": str(table.name),
        "kind": str(table.kind),
        "dialect": table.dialect,
        "source": place(table.sources[0]) if table.sources else "",
        "columns": [
            {"name": column.name, "type": column.type, "nullable": column.nullable} for column in table.columns
        ],
        "primary_key": list(table.primary_key),
        "joins": [
            {"columns": list(each.columns), "table": str(each.table), "other_columns": list(each.other_columns)}
            for each in facts.references
        ],
    }
