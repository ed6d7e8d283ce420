"""The commands, their arguments and their help; nothing here imports what is slow to import."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from coderag._version import __version__
from coderag.cli.parser.arguments import COMMAND, Parser, layout

__all__ = ["make_parser"]

# The commands in the order of help: the module of this package and the function in it that adds one.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "index": ("index", "add_index_command"),
    "merge": ("index", "add_merge"),
    "push": ("remote", "add_push"),
    "pull": ("remote", "add_pull"),
    "export": ("stores", "add_export"),
    "search": ("search", "add_search"),
    "ask": ("ask", "add_ask"),
    "sessions": ("ask", "add_sessions"),
    "at": ("search", "add_at"),
    "outline": ("search", "add_outline"),
    "symbols": ("search", "add_symbols"),
    "log": ("search", "add_log"),
    "refs": ("graph", "add_refs"),
    "impact": ("graph", "add_impact"),
    "path": ("graph", "add_path"),
    "graph": ("graph", "add_graph"),
    "map": ("graph", "add_map"),
    "schema": ("schema", "add_schema"),
    "tables": ("schema", "add_tables"),
    "table": ("schema", "add_table"),
    "erd": ("schema", "add_erd"),
    "check-sql": ("schema", "add_check_sql"),
    "check-answer": ("answers", "add_check_answer"),
    "sql": ("sql", "add_sql"),
    "eval": ("evaluate", "add_eval"),
    "status": ("index", "add_status"),
    "watch": ("index", "add_watch"),
    "helper": ("helper", "add_helper"),
    "clean": ("index", "add_clean"),
    "languages": ("index", "add_languages"),
    "mcp": ("serve", "add_mcp"),
    "lsp": ("serve", "add_lsp"),
    "serve": ("serve", "add_serve"),
    "install": ("agents", "add_install"),
    "uninstall": ("agents", "add_uninstall"),
    "doctor": ("agents", "add_doctor"),
    "completion": ("completion", "add_completion"),
}
EXAMPLES = """\
examples:
  coderag index                                  index the repository around the current folder
  coderag search "where are payments retried?"   ask in words
  coderag search Session.get -k 3                or give a symbol
  coderag search "parse date" --language go --path 'src/**' --path '!**/gen/*'
  coderag at src/app.py:42                       what is defined and used at a line
  coderag outline src/app.py                     what a file defines
  coderag symbols PaymentGateway                 where a name is defined
  coderag index postgresql://reader@localhost/shop   add a database to the index
  coderag schema "monthly revenue by region"     the tables, keys and joins that its SQL needs
  coderag table orders                           everything that is known of a table
  coderag check-sql report.sql                   would this query run on the schema?

Exit codes: 0 found, 1 nothing found, 2 usage or a failure.
"""


def make_parser(command: str = "") -> Parser:
    """Return the parser of every command; what it returns names the module to run as `module`.

    Where `command` is one, the parser knows only that: to make them all takes ten times as long.
    """
    parser = Parser(
        prog="coderag",
        description="Index repositories and databases; find the right function, and the right tables, offline.",
        epilog=EXAMPLES,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coderag {__version__}")
    commands = parser.add_subparsers(metavar=COMMAND, required=True)
    for name in [command] if command in COMMANDS else COMMANDS:
        module, function = COMMANDS[name]
        getattr(import_module(f"coderag.cli.parser.{module}"), function)(commands)
    return parser
