"""`coderag ask`, its arguments and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import (
    Number,
    Parsers,
    Text,
    add_count,
    add_groups,
    add_list,
    add_opening,
    add_output,
    add_paths,
    command,
)
from coderag.limits import BUDGET, NAME, QUESTION

__all__ = ["add_ask"]

EXAMPLES = """\
examples:
  coderag ask "where are failed payments retried?"
  coderag ask "who calls Cart.total, and what breaks if orders.total changes?"
  coderag ask "revenue by month and country"     tables, joins and SQL to begin with
  coderag ask "what are the main parts?"
  coderag ask "how do I restore a backup?" --trace
  coderag ask "where is tax computed?" --json | jq .verdict

Every statement is what an indexed file says, with the number of its source; no language model is asked.
Exit code 1 and "not found" when the evidence carries no answer.
"""


def add_ask(commands: Parsers) -> None:
    """Add `coderag ask`."""
    parser = command(
        commands,
        "ask",
        module="ask",
        summary="answer a question from the indexed files, each statement with its source",
        epilog=EXAMPLES,
    )
    parser.add_argument("question", nargs="+", type=Text(QUESTION), metavar="QUESTION", help="a question in words")
    add_count(parser, things="statements for each part of the question", default=5, old="")
    parser.add_argument(
        "--budget",
        type=Number(BUDGET),
        default=2000,
        metavar="TOKENS",
        help="tokens of the sources' texts together (default: 2000)",
    )
    parser.add_argument(
        "--pipeline",
        type=Text(NAME),
        metavar="NAME|STAGES",
        help="naive, advanced, modular, or stages with commas (default: that of coderag.toml, else modular)",
    )
    parser.add_argument("--trace", action="store_true", help="show what each stage did, and why it stopped there")
    add_paths(parser, 'only sources in files that match; "!" in front excludes')
    add_list(parser, "database", "only tables of these databases, and files that declare, change or query them")
    add_groups(parser)
    add_opening(parser)
    add_output(parser, formats=("text", "json"))
