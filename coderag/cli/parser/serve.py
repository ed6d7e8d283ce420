"""The commands that let other programs ask, their arguments and their help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Parsers, Words, add_groups, add_place, command

__all__ = ["add_lsp", "add_mcp"]

MCP_EXAMPLES = """\
examples:
  coderag mcp                          serve the repository around the current folder
  coderag mcp --root ~/src/app --root ~/src/lib
  coderag mcp --tools search,symbol    offer an agent only these
  coderag mcp --groups backend         answer as a caller in this group may see it

An agent starts this command and talks to it over standard input and output. It ends with the agent. An index that is
missing is built in the background, and what changed is read before each answer.
"""

LSP_EXAMPLES = """\
examples:
  coderag lsp                          serve the folders that the editor has open
  coderag lsp --root ~/src/app         serve this repository, whatever is open

An editor starts this command beside the server of the language and talks to it over standard input and output. It adds
what that server does not know: tables in strings of SQL, who reads and calls what, and search by meaning.
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


def add_lsp(commands: Parsers) -> None:
    """Add `coderag lsp`."""
    parser = command(
        commands,
        "lsp",
        module="lsp",
        summary="serve editors over the Language Server Protocol",
        epilog=LSP_EXAMPLES,
    )
    add_groups(parser)
    add_place(parser)
