"""The commands that let other programs ask, their arguments and their help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Parsers, Words, add_groups, add_place, command

__all__ = ["add_mcp"]

MCP_EXAMPLES = """\
examples:
  coderag mcp                          serve the repository around the current folder
  coderag mcp --root ~/src/app --root ~/src/lib
  coderag mcp --tools search,symbol    offer an agent only these
  coderag mcp --groups backend         answer as a caller in this group may see it

An agent starts this command and talks to it over standard input and output. It ends with the agent. An index that is
missing is built in the background, and what changed is read before each answer.
"""


def add_mcp(commands: Parsers) -> None:
    """Add `coderag mcp`."""
    parser = command(
        commands,
        "mcp",
        module="mcp",
        summary="serve coding agents over the Model Context Protocol",
        epilog=MCP_EXAMPLES,
    )
    parser.add_argument("--tools", type=Words(), metavar="LIST", help="the tools to offer (default: all)")
    parser.add_argument(
        "--structured", action="store_true", help="answer with data beside the text, for programs: twice the tokens"
    )
    add_groups(parser)
    add_place(parser)
