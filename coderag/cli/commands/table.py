"""`coderag table`: all that is known of a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from coderag.api.schema_records import facts_record
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import table_conditions
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Screen, Style, screen, shorten, table, visible
from coderag.search.context.about import Reference, TableFacts
from coderag.search.context.ddl import column_note, place, table_label
from coderag.sql.records import Column, Table
from coderag.text.counted import counted

__all__ = ["run"]

MAX_QUERIES = 5
MAX_HISTORY = 30


def run(options: argparse.Namespace) -> int:
    """Print all that is known of the tables of a name; 1 when there is none."""
    index = open_for_caller(options)
    tables = index.table(options.name, table_conditions(options))
    if options.json:
        print_records((facts_record(table_facts) for table_facts in tables), options.format)
        return FOUND if tables else NOTHING
    if not tables:
        from coderag.sql.check.known_tables import closest

        alike = closest(options.name, index.catalog.names)
        note(f"no table is named {options.name!r}" + (f"; did you mean {' or '.join(alike)}?" if alike else ""))
        return NOTHING
    shown = screen(options.color)
    for number, table_facts in enumerate(tables):
        print("\n".join([*([""] if number else []), *_lines(table_facts, shown)]))
    return FOUND


def _lines(facts: TableFacts, shown: Screen) -> Iterator[str]:
    one = facts.table
    where = f"  {shown.paint(visible(place(one.sources[0])), Style.PATH)}" if one.sources else ""
    yield f"{shown.paint(visible(str(one.name)), Style.TITLE)}{where}"
    for line in (table_label(one), _metadata(one)):
        if line:
            yield f"  {visible(line)}"
    yield ""
    rows = [_column_row(one, column) for column in one.columns]
    if rows:
        head, *rest = table([("Column", "Type", "Key", "About"), *rows])
        yield from (shown.paint(head, Style.DIM), *(shorten(line, shown.width) for line in rest))
    yield from _section("Joins", [_reference(reference) for reference in facts.references], shown)
    yield from _section("Unique", [", ".join(names) for names in one.unique if len(names) > 1], shown)
    yield from _section("Checks", list(one.checks), shown)
    yield from _section("Views over it", [_placed(str(view.name), view) for view in facts.views], shown)
    routines = [f"{each.kind} {each.name}  {place(each.source)}" for each in facts.routines]
    yield from _section("Routines", routines, shown)
    queries = [f"{query.question or query.text}  {place(query.source)}" for query in facts.queries[:MAX_QUERIES]]
    if len(facts.queries) > MAX_QUERIES:
        queries.append(f"and {counted(len(facts.queries) - MAX_QUERIES, 'more query')}".replace("querys", "queries"))
    yield from _section("Example queries", queries, shown)
    terms = [f"{each.term}: {each.text}  {place(each.source)}" for each in facts.definitions]
    yield from _section("Definitions", terms, shown)
    changes = [f"{change.text}  {place(change.source)}" for change in one.history[-MAX_HISTORY:]]
    yield from _section("History", changes, shown)
    also = [place(source) for source in one.sources[1:]]
    yield from _section("Also in", also, shown)


def _metadata(one: Table) -> str:
    facts = (
        ("dialect", one.dialect),
        ("environment", one.environment),
        ("domain", one.domain),
        ("known from", ", ".join(one.origins)),
        ("labels", ", ".join(one.labels)),
        ("file changed", one.modified[:10]),
        ("rows changed", one.updated),
    )
    return ", ".join(f"{name} {value}" for name, value in facts if value)


def _column_row(one: Table, column: Column) -> tuple[str, str, str, str]:
    keys = ["PK"] if column.name in one.primary_key else []
    keys += ["FK"] if any(column.name in key.columns for key in one.foreign_keys) else []
    keys += ["unique"] if (column.name,) in one.unique else []
    notes = [] if column.nullable else ["not null"]
    notes += [f"default {column.default}"] if column.default else []
    notes += [said] if (said := column_note(one, column, values=True)) else []
    return visible(column.name), visible(column.type), ", ".join(keys), visible("; ".join(notes))


def _reference(reference: Reference) -> str:
    arrow = "→" if reference.outward else "←"
    columns, others = ", ".join(reference.columns), ", ".join(reference.other_columns)
    return f"{columns} {arrow} {reference.table} ({others})  {reference.evidence}"


def _placed(name: str, one: Table) -> str:
    return f"{name}  {place(one.sources[0])}" if one.sources else name


def _section(title: str, lines: list[str], shown: Screen) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"  {shown.paint(title, Style.DIM)}"
    yield from (f"    {shorten(visible(' '.join(line.split())), shown.width)}" for line in lines)
