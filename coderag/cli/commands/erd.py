"""`coderag erd`: tables and their joins as a picture."""

from __future__ import annotations

import argparse

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import table_conditions
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.files import chosen_format, write_output
from coderag.cli.output.text import visible
from coderag.errors import QueryError
from coderag.limits import ITEMS
from coderag.search.context.erd_flowchart import as_mermaid_by_domain
from coderag.search.context.erd_svg import as_svg
from coderag.sql.records import Table
from coderag.text.counted import counted

__all__ = ["run"]

ENDINGS = {".mmd": "mermaid", ".mermaid": "mermaid", ".svg": "svg"}


def run(options: argparse.Namespace) -> int:
    """Draw the tables given, those that a question is about, or all; 1 when there is none."""
    drawing = options.format if options.format in ENDINGS.values() else None
    kind = chosen_format(options.output, drawing, endings=ENDINGS)
    if len(options.what) > ITEMS.most:
        raise QueryError(f"{len(options.what):,} tables are given; give at most {ITEMS.most:,}")
    index = open_for_caller(options)
    tables = _chosen(index, options)
    if not tables:
        note("there is no table to draw")
        return NOTHING
    drawn = as_svg(tables) if kind == "svg" else as_mermaid_by_domain(tables)
    if options.output:
        write_output(options.output, drawn)
        note(f"{counted(len(tables), 'table')} drawn in {options.output}, as {kind}")
    elif options.json:
        print(json_line({"format": kind, "tables": [str(table.name) for table in tables], "text": drawn}))
    else:
        print("\n".join(map(visible, drawn.split("\n"))))
    return FOUND


def _chosen(index: Index, options: argparse.Namespace) -> list[Table]:
    conditions = table_conditions(options)
    if not options.what:
        return index.tables(conditions)
    matches = [index.table(name, conditions) for name in options.what]
    if not all(matches):
        return index.tables_about(" ".join(options.what), k=options.k, conditions=conditions)
    named = [table_facts.table for facts in matches for table_facts in facts]
    if len(named) == 1 or len({table.name.database for table in named}) > 1:
        return named
    from coderag.search.context.schema_context import connected

    return connected(index.catalog, named)
