"""`coderag tables`: the known tables and views, one per line."""

from __future__ import annotations

import argparse

from coderag.api.schema_records import table_record
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import table_conditions
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.text import Style, screen, shorten, table, visible
from coderag.search.context.ddl import place
from coderag.search.context.named import tables_named
from coderag.sql.records import Name, ObjectKind

__all__ = ["run"]

MAX_COMMENT = 60


def run(options: argparse.Namespace) -> int:
    """List the tables; 1 when there is none."""
    index = open_for_caller(options)
    tables = index.tables(table_conditions(options))
    if options.pattern:
        tables = tables_named(tables, options.pattern)
    tables = tables[: options.k]
    if options.json:
        print_records((table_record(one) for one in tables), options.format)
        return FOUND if tables else NOTHING
    if not tables:
        note("no table is known" if not len(index.catalog) else "no table is like this")
        return NOTHING
    shown = screen(options.color)
    rows = [("Table", "Database", "Columns", "Kind", "Declared in", "About")]
    rows += [
        (
            visible(str(Name(one.name.name, one.name.schema))),
            visible(one.name.database),
            str(len(one.columns)),
            "" if one.kind is ObjectKind.TABLE else str(one.kind),
            visible(place(one.sources[0]) if one.sources else ""),
            shorten(visible(" ".join(one.comment.split())), MAX_COMMENT),
        )
        for one in tables
    ]
    head, *rest = table(rows, right=(2,), indent="")
    print("\n".join([shown.paint(head, Style.DIM), *rest]))
    return FOUND
