"""`coderag check-answer`, its arguments and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Parsers, Text, add_groups, add_opening, add_output, command
from coderag.limits import NAME

__all__ = ["add_check_answer"]

CHECK_EXAMPLES = """\
examples:
  coderag check-answer answer.md
  llm "how are payments retried?" | coderag check-answer
  coderag check-answer answer.md --sources hits.json     what "coderag search --json" printed; [n] is the nth

Citations are [n], [Source n], path:line and path:line-line. No model is asked: names, quotes, numbers, SQL and
relations ("X calls Y") are compared with the cited lines, the graph and the schema. Exit code 1 when a claim is not
supported.
"""


def add_check_answer(commands: Parsers) -> None:
    """Add `coderag check-answer`."""
    parser = command(
        commands,
        "check-answer",
        module="check_answer",
        summary="check the citations of an answer: does the cited code support it?",
        epilog=CHECK_EXAMPLES,
    )
    parser.add_argument(
        "file", nargs="?", default="-", type=Text(NAME), metavar="FILE", help="the answer; default: stdin"
    )
    parser.add_argument(
        "--sources", type=Text(NAME), metavar="FILE", help="JSON of the sources that [n] means, or JSON lines"
    )
    add_groups(parser)
    add_opening(parser)
    add_output(parser)
