"""The commands, their arguments and their help; nothing here imports what is slow to import."""

from __future__ import annotations

from coderag._version import __version__
from coderag.cli.parser.agents import add_doctor, add_install, add_uninstall
from coderag.cli.parser.arguments import COMMAND, Parser, layout
from coderag.cli.parser.completion import add_completion
from coderag.cli.parser.evaluate import add_eval
from coderag.cli.parser.graph import add_graph, add_impact, add_map, add_path, add_refs
from coderag.cli.parser.index import add_clean, add_index_command, add_languages, add_status, add_watch
from coderag.cli.parser.schema import add_check_sql, add_erd, add_schema, add_table, add_tables
from coderag.cli.parser.search import add_at, add_outline, add_search, add_symbols
from coderag.cli.parser.serve import add_mcp

__all__ = ["make_parser"]

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


def make_parser() -> Parser:
    """Return the parser of every command; what it returns names the module to run as `module`."""
    parser = Parser(
        prog="coderag",
        description="Index repositories and databases; find the right function, and the right tables, offline.",
        epilog=EXAMPLES,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coderag {__version__}")
    commands = parser.add_subparsers(metavar=COMMAND, required=True)
    for add in (
        *(add_index_command, add_search, add_at, add_outline, add_symbols),
        *(add_refs, add_impact, add_path, add_graph, add_map),
        *(add_schema, add_tables, add_table, add_erd, add_check_sql),
        *(add_eval, add_status, add_watch, add_clean, add_languages),
        *(add_mcp, add_install, add_uninstall, add_doctor),
        add_completion,
    ):
        add(commands)
    return parser
