"""`coderag sql`: a query over the index to its rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from coderag.api.index import Index
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import callers
from coderag.cli.opening import note, open_for_caller, open_graph_for_caller
from coderag.cli.output.files import chosen_format, output_path, write_output
from coderag.cli.output.records import print_records
from coderag.cli.output.rows import as_csv, as_json, as_json_lines, as_markdown, as_text
from coderag.cli.output.text import Style, screen, table, visible
from coderag.cli.parser.arguments import did_you_mean
from coderag.errors import AccessError, QueryError
from coderag.files.named_file import read_named
from coderag.limits import ROWS, SQL
from coderag.relational.relations import needed_tables, relations
from coderag.relational.result import Rows
from coderag.text.counted import counted

__all__ = ["run"]

DEFAULT_ROWS = 1_000
ENDINGS = {
    ".txt": "text",
    ".md": "markdown",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
}
WRITERS: Mapping[str, Callable[[Rows], str]] = {
    "markdown": as_markdown,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_json_lines,
}
OF_GRAPH = frozenset({"symbols", "edges", "tables", "columns", "foreign_keys", "queries"})
OF_HISTORY = frozenset({"commits", "changes"})


def run(options: argparse.Namespace) -> int:
    """Print the rows of a query; 1 when there are none.

    "select path from files"                         -> a table of at most DEFAULT_ROWS rows
    "select path from files", --output a.parquet -> the file a.parquet, and a note of how many rows are in it
    """
    if options.tables:
        return _list(options)
    sql = _query(options)
    form = chosen_format(
        options.output, "json" if options.json and not options.format else options.format, endings=ENDINGS
    )
    if form == "parquet" and not options.output:
        raise QueryError("Parquet is no text: give the file with --output")
    if options.output:
        output_path(options.output)
    needed = set(needed_tables(sql))
    index = open_graph_for_caller(options) if needed & OF_GRAPH else open_for_caller(options)
    k = options.k or (int(ROWS.most) if options.output else DEFAULT_ROWS)
    if form == "parquet":
        count = index.sql_to_parquet(sql, options.output, k=k, seconds=options.timeout)
        note(f"{counted(count, 'row')} in {options.output}")
        return FOUND if count else NOTHING
    rows = index.sql(sql, k=k, seconds=options.timeout)
    _write(rows, form, options)
    if needed & OF_HISTORY:
        _note_histories(index)
    if rows.is_cut:
        note(f"there are more than {k:,} rows; -k gives more")
    return FOUND if rows.rows else NOTHING


def _query(options: argparse.Namespace) -> str:
    """Return the query of the arguments; raises QueryError and AccessError."""
    if (options.query is None) == (options.file is None):
        raise QueryError('give one query: as SQL, as "-" for stdin, or with --file; "--tables" lists the tables')
    most = int(SQL.most)
    if options.query == "-" or options.file == "-":
        data, name = sys.stdin.buffer.read(most + 1), "stdin"
    elif options.file is None:
        return str(options.query)
    elif callers(options):  # what is wrong with a query says some of it
        raise AccessError('--file is for who may see all; give the SQL to "coderag sql -"')
    else:
        data, name = read_named(options.file, most + 1), options.file
    if len(data) > most:
        raise QueryError(f"{name} is larger than {most:,} bytes")
    if not data.strip():
        raise QueryError(f"{name} holds no SQL")
    return data.decode("utf-8-sig", "replace")


def _write(found: Rows, form: str, options: argparse.Namespace) -> None:
    if form in WRITERS:
        text = WRITERS[form](found)
    else:
        text = as_text(found, screen("never" if options.output else options.color))
    if options.output:
        write_output(options.output, text)
        note(f"{counted(len(found), 'row')} in {options.output}")
    elif found.rows or form != "text":
        if form == "csv" and sys.stdout.isatty():
            text = "\n".join(map(visible, text.split("\n")))
        print(text)
    if not found.rows:
        note("no row")


def _note_histories(index: Index) -> None:
    for repository, why in index.missing_histories().items():
        note(f"{repository}: not all of its history is known: {why}")


def _list(options: argparse.Namespace) -> int:
    """Print the tables, or the columns of one."""
    known = relations()
    if options.query and options.query.casefold() not in known:
        raise QueryError(f"there is no table {options.query!r}{did_you_mean(options.query, known)}")
    chosen = [known[options.query.casefold()]] if options.query else list(known.values())
    if options.json:
        print_records(chosen, options.format or "json")
        return FOUND
    shown = screen(options.color)
    if options.query:
        rows = [(column.name, column.type, column.about) for column in chosen[0].columns]
        print(f"{shown.paint(chosen[0].name, Style.NAME)}: {chosen[0].about}")
    else:
        rows = [(one.name, one.about, ", ".join(column.name for column in one.columns)) for one in chosen]
    print("\n".join(table(rows, indent="  " if options.query else "")))
    return FOUND
