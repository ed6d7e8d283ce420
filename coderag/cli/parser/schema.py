"""The commands about databases, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    JSON_FORMATS,
    Number,
    Parsers,
    Text,
    add_count,
    add_filters,
    add_groups,
    add_list,
    add_opening,
    add_output,
    add_since,
    command,
)
from coderag.limits import BUDGET, EVIDENCE, GLOB, NAME, QUESTION, SQL
from coderag.types import OtherDatabases

__all__ = ["add_check_sql", "add_erd", "add_schema", "add_table", "add_tables"]

SCHEMA_EXAMPLES = """\
examples:
  coderag schema "monthly revenue by region"
  coderag schema "active customers" --evidence "active: ordered within 90 days"
  coderag schema "top products" --database shop --budget 2000
  coderag schema "late invoices" --format markdown
  coderag schema "late invoices" --prompt | llm      a prompt that asks a language model for the SQL
  coderag schema --of-index "long functions that write to orders and have no test" --prompt | llm
  echo '{"question": "late invoices", "k": 5}' | coderag schema --batch

Prints the whole schema of the leading database if it fits the budget, else its best tables.
A token is counted as four characters. "coderag check-sql" checks the SQL that a model answers.
"""
CHECK_EXAMPLES = """\
examples:
  coderag check-sql report.sql
  coderag check-sql "SELECT nmae FROM customers"
  coderag schema "late invoices" --prompt | llm | coderag check-sql -
  echo "SELECT nmae FROM customers" | coderag check-sql -
  coderag check-sql report.sql --url postgresql://reader@localhost/shop

Of an answer with a fenced block of SQL only the block is checked. Exit code 1 when there is an error.
"""
ERD_EXAMPLES = """\
examples:
  coderag erd                              all tables, as Mermaid
  coderag erd orders customers             these, and what connects them
  coderag erd "who paid for an order?"     those that a question is about
  coderag erd --output schema.svg
"""
BATCH_SCHEMA_HELP = (
    'read JSON lines {"question", "k"?, "paths"?, "evidence"?, "database"?, "environment"?, "groups"?, "budget"?, '
    '"other_databases"?} '
    "from stdin, write one JSON object per line"
)


def add_schema(commands: Parsers) -> None:
    """Add `coderag schema`."""
    parser = command(
        commands,
        "schema",
        module="schema",
        summary="give the tables, keys, joins and examples that the SQL for a question needs",
        epilog=SCHEMA_EXAMPLES,
    )
    parser.add_argument(
        "question", nargs="*", type=Text(QUESTION, empty=True), metavar="QUESTION", help="a question in words"
    )
    parser.add_argument(
        "--budget", type=Number(BUDGET), default=8000, metavar="TOKENS", help="token budget (default: 8000)"
    )
    add_count(parser, things="tables in detail, where the whole schema exceeds the budget", default=20)
    parser.add_argument(
        "--evidence",
        type=Text(EVIDENCE, empty=True),
        default="",
        metavar="TEXT",
        help="additional knowledge: definitions, formulas",
    )
    parser.add_argument(
        "--other-databases",
        choices=[str(choice) for choice in OtherDatabases],
        default=str(OtherDatabases.NAME),
        help="name other databases, or show them in detail as far as the budget allows (default: name)",
    )
    parser.add_argument(
        "--prompt", action="store_true", help="print a prompt that asks a language model for the SQL of the question"
    )
    parser.add_argument("--no-samples", action="store_true", help="leave out known values of columns")
    parser.add_argument("--explain", action="store_true", help="say why each table is there")
    parser.add_argument(
        "--of-index",
        action="store_true",
        help='give the tables of the index itself, which "coderag sql" queries',
    )
    parser.add_argument("--batch", action="store_true", help=BATCH_SCHEMA_HELP)
    _add_schema_filters(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=("ddl", "markdown", *JSON_FORMATS))


def _add_schema_filters(parser: argparse.ArgumentParser, *, dialect: str = "only tables of these SQL dialects") -> None:
    add_filters(parser, kinds=("table", "view"), things="tables")
    add_list(parser, "schema", "only tables of these schemas")
    add_list(parser, "dialect", dialect)
    add_list(parser, "environment", "only tables of these environments, such as prod")
    add_list(parser, "domain", "only tables of these business domains")
    add_since(parser, "tables whose files changed")


def add_tables(commands: Parsers) -> None:
    """Add `coderag tables`."""
    parser = command(commands, "tables", module="tables", summary="list the tables and views")
    parser.add_argument(
        "pattern", nargs="?", type=Text(GLOB), metavar="GLOB", help='names like this: "order*", "sales.*"'
    )
    add_count(parser, things="tables", default=None)
    _add_schema_filters(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_table(commands: Parsers) -> None:
    """Add `coderag table`."""
    parser = command(
        commands,
        "table",
        module="table",
        summary="show everything that is known of a table: columns, keys, history, queries",
    )
    parser.add_argument(
        "name", type=Text(NAME), metavar="NAME", help="its name; in front its schema or database if several have it"
    )
    _add_schema_filters(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def add_erd(commands: Parsers) -> None:
    """Add `coderag erd`."""
    parser = command(
        commands, "erd", module="erd", summary="draw tables and their joins, as Mermaid or SVG", epilog=ERD_EXAMPLES
    )
    parser.add_argument(
        "what",
        nargs="*",
        type=Text(QUESTION),
        metavar="TABLE|QUESTION",
        help="tables, or a question (default: all tables)",
    )
    parser.add_argument("--output", "-o", type=Text(NAME), metavar="FILE", help="where to write it (default: stdout)")
    add_count(parser, things="tables for a question", default=8)
    _add_schema_filters(parser)
    add_groups(parser)
    add_opening(parser)
    add_output(
        parser, formats=("mermaid", "svg", *JSON_FORMATS), described="default: by the name of the output, else mermaid"
    )


def add_check_sql(commands: Parsers) -> None:
    """Add `coderag check-sql`."""
    parser = command(
        commands,
        "check-sql",
        module="check_sql",
        summary="check SQL against the schema: names, joins, types, functions",
        epilog=CHECK_EXAMPLES,
    )
    parser.add_argument("file", type=Text(SQL), metavar="FILE|SQL", help='a file of SQL, "-" for stdin, or a statement')
    parser.add_argument(
        "--url", type=Text(NAME), metavar="URL", help="a database that also explains the query, read-only"
    )
    parser.add_argument("--allow-writes", action="store_true", help="let statements write")
    _add_schema_filters(parser, dialect="the dialect of the SQL, if it is not that of the tables")
    add_groups(parser)
    add_opening(parser)
    add_output(parser)
