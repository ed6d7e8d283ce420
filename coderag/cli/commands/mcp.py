"""`coderag mcp`: a server for coding agents on standard input and output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from coderag.cli.caller import callers, roots_for_caller
from coderag.cli.exit_codes import FOUND
from coderag.cli.opening import note
from coderag.cli.parser.arguments import did_you_mean
from coderag.cli.roots import is_marked, root_around
from coderag.errors import CoderagError, QueryError, RootError
from coderag.extras import Extra, how_to_install

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Serve until the agent ends."""
    if find_spec("mcp") is None:
        raise CoderagError(f"the Python package mcp is not installed; {how_to_install(Extra.MCP)}")
    from coderag.serve.mcp.descriptors import claim_standard_streams
    from coderag.serve.tools import TOOLS
    from coderag.serve.workspace import Workspace

    tools = _chosen(options, tuple(TOOLS))
    if not (options.root or options.index):
        _check_here()
    workspace = Workspace(roots_for_caller(options), callers=callers(options))
    if sys.stdin.isatty():
        note("an agent starts this command and talks to it; Ctrl-D ends it")
    descriptors = claim_standard_streams()
    from coderag.serve.mcp.server import serve  # takes most of a second

    serve(workspace, descriptors, tools=tools, structured=options.structured)
    return FOUND


def _chosen(options: argparse.Namespace, known: Sequence[str]) -> tuple[str, ...]:
    """Return the tools to offer, in the order of `known`; raises QueryError for an unknown one."""
    for name in options.tools or ():
        if name not in known:
            raise QueryError(f"unknown tool {name!r}, there are {', '.join(known)}{did_you_mean(name, known)}")
    return tuple(name for name in known if options.tools is None or name in options.tools)


def _check_here() -> None:
    """Raise RootError where an agent was started outside of any repository, in a folder that holds too much."""
    folder = root_around(Path.cwd())
    if not is_marked(folder) and folder in (Path.home(), Path(folder.anchor)):
        raise RootError(f"{folder} is no repository; start the agent in one, or give its folder with --root")
