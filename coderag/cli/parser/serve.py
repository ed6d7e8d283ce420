"""The commands that let other programs ask, their arguments and their help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Number, Parsers, Text, Words, add_groups, add_model, add_place, command
from coderag.limits import IDLE, NAME, PORT, SERVERS

__all__ = ["add_lsp", "add_mcp", "add_serve"]

MCP_EXAMPLES = """\
examples:
  coderag mcp                          serve the repository around the current folder
  coderag mcp --root ~/src/app --root ~/src/lib
  coderag mcp --tools search,symbol    offer an agent only these
  coderag mcp --groups backend         answer as a caller in this group may see it
  coderag mcp --model ollama:qwen3     offer the tool ask too, whose answers this model writes

An agent starts this command and talks to it over standard input and output. It ends with the agent. An index that is
missing is built in the background, and what changed is read before each answer.
"""

SERVE_EXAMPLES = """\
examples:
  coderag serve                        the repository around the current folder, on http://127.0.0.1:8420
  coderag serve --root ~/src/app --root ~/src/lib --port 0
  coderag serve --groups-from keys     lines HASH GROUP,GROUP: the SHA-256 of a token, and what it may see
  coderag serve --background           without a terminal; --stop ends it
  coderag serve --store postgresql://reader@db.internal/coderag#shop/main   from a database, without files
  curl -H "Authorization: Bearer TOKEN" 'http://127.0.0.1:8420/api/search?q=order+total&k=3'

Prints the address with a token, without which nothing is answered. /api/openapi.json describes the endpoints, whose
answers are those of the commands with --json; /mcp serves agents, /metrics Prometheus. Ctrl-C ends it.
"""
DEFAULT_PORT = 8420

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
    add_model(parser, "offer the tool ask too: a language model writes its answers, as for coderag ask (default: none)")
    add_groups(parser)
    add_place(parser)


def add_serve(commands: Parsers) -> None:
    """Add `coderag serve`."""
    parser = command(
        commands,
        "serve",
        module="serve",
        summary="serve programs, people and agents over HTTP",
        epilog=SERVE_EXAMPLES,
    )
    parser.add_argument(
        "--host", type=Text(NAME), default="127.0.0.1", metavar="HOST", help="the address to bind (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=Number(PORT),
        default=DEFAULT_PORT,
        metavar="N",
        help=f"the port to bind, 0 for any that is free (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--background", action="store_true", help="go on without a terminal; one server for these roots and this port"
    )
    parser.add_argument("--stop", action="store_true", help="end the server of these roots and this port")
    parser.add_argument(
        "--idle",
        type=Number(IDLE),
        default=0,
        metavar="MINUTES",
        help="end after so long without a request (default: never)",
    )
    parser.add_argument(
        "--workers",
        type=Number(SERVERS),
        default=1,
        metavar="N",
        help="processes that answer, for many readers at once on several cores (default: 1)",
    )
    parser.add_argument(
        "--store",
        type=Text(NAME),
        metavar="URL",
        help="answer search, file and outline from a database that `coderag export` wrote; #NAME names the index",
    )
    parser.add_argument("--no-token", action="store_true", help="let in whoever asks; on a loopback address alone")
    parser.add_argument(
        "--groups-from",
        type=Text(NAME),
        metavar="FILE",
        help="further tokens, each with the access groups of its caller: lines of SHA-256 and groups",
    )
    add_model(parser, "the language model that writes answers to questions, as for coderag ask (default: none)")
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
