"""`coderag helper`, its arguments and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Parsers, add_output, add_place, command

__all__ = ["add_helper"]

HELPER_EXAMPLES = """\
examples:
  coderag helper status            is there a helper, and which indexes has it open?
  coderag helper stop              end that of the repository around here; the next command starts another
  coderag helper stop --all        end those of all repositories
  CODERAG_HELPER=0 coderag search "parse date"     answer without one, and start none

The first command that asks an index leaves a helper behind, which answers the next ones with a quarter of the work
and ends ten minutes after the last one. It answers nobody but you, and what it answers is what the command would have.
"""


def add_helper(commands: Parsers) -> None:
    """Add `coderag helper`."""
    parser = command(
        commands,
        "helper",
        module="helper",
        summary="see or end the process that answers commands faster",
        epilog=HELPER_EXAMPLES,
    )
    parser.add_argument(
        "action",
        choices=("status", "stop", "run"),
        nargs="?",
        default="status",
        metavar="ACTION",
        help="status (the default), stop, or run: be the helper until it is stopped",
    )
    add_place(parser)
    parser.add_argument("--all", action="store_true", help="with stop: end the helpers of all roots")
    add_output(parser)
