"""`coderag sql`, its arguments and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import (
    Number,
    Parsers,
    Text,
    add_count,
    add_groups,
    add_opening,
    add_output,
    command,
)
from coderag.extras import Extra, how_to_install
from coderag.limits import NAME, QUERY_SECONDS, ROWS, SQL

__all__ = ["add_sql"]

EXAMPLES = """\
examples:
  coderag sql "SELECT language, count(*) FROM files GROUP BY ALL"
  coderag sql "SELECT path, name, lines FROM untested_functions ORDER BY lines DESC LIMIT 20"
  coderag sql "FROM unread_tables" --format markdown
  coderag sql "SELECT * FROM hot_spots ORDER BY heat DESC" -k 10
  coderag sql "FROM relations" -o relations.parquet
  coderag sql --file report.sql --json
  coderag sql --tables
  coderag sql --tables functions

The dialect is that of DuckDB. A query reads the index and nothing else.
"""
NEEDS = f"It needs an extra; {how_to_install(Extra.DUCKDB)}\n"


def add_sql(commands: Parsers) -> None:
    """Add `coderag sql`."""
    parser = command(
        commands,
        "sql",
        module="sql",
        summary="query the index as tables: files, symbols, edges, tables, commits",
        epilog=EXAMPLES + NEEDS,
    )
    parser.add_argument(
        "query", nargs="?", type=Text(SQL), metavar="SQL", help='one SELECT, or "-" for stdin; with --tables a table'
    )
    parser.add_argument("--file", "-f", type=Text(NAME), metavar="FILE", help="a file that holds the query")
    parser.add_argument("--tables", action="store_true", help="list the tables, or the columns of one")
    add_count(parser, things="rows", default=None, limit=ROWS, shown=f"1000; to a file {int(ROWS.most):,}")
    parser.add_argument(
        "--timeout",
        type=Number(QUERY_SECONDS),
        default=30.0,
        metavar="SECONDS",
        help="stop a query that takes longer (default: 30)",
    )
    parser.add_argument("--output", "-o", type=Text(NAME), metavar="FILE", help="where to write it (default: stdout)")
    add_groups(parser)
    add_opening(parser)
    add_output(
        parser,
        formats=("text", "markdown", "csv", "json", "jsonl", "parquet"),
        described="default: by the name of the output, else text",
    )
