"""`coderag mcp`: a server for coding agents on standard input and output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.cli.exit_codes import FOUND
from coderag.cli.parser.arguments import did_you_mean
from coderag.errors import CoderagError, QueryError, RootError
from coderag.extras import Extra, how_to_install
from coderag.files.git_address import is_git_address

if TYPE_CHECKING:
    from coderag.serve.workspace import Workspace

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Serve until the agent ends."""
    if find_spec("mcp") is None:
        raise CoderagError(f"the Python package mcp is not installed; {how_to_install(Extra.MCP)}")
    from coderag.serve.descriptors import claim_standard_streams
    from coderag.serve.mcp.opening import Opening
    from coderag.serve.tools import offered

    _check_model(options)
    tools = _chosen(options, tuple(offered(options.model)))
    for root in options.root:
        if not (Path(root).is_dir() or is_git_address(root)):
            raise RootError(f"{root!r} does not exist; give the folder of a repository")
    if sys.stdin.isatty():
        print("coderag: an agent starts this command and talks to it; Ctrl-D ends it", file=sys.stderr)
    descriptors = claim_standard_streams()
    from coderag.serve.mcp.server import serve  # takes most of a second

    serve(Opening(partial(_opened, options)), descriptors, tools=tools, structured=options.structured)
    return FOUND


def _check_model(options: argparse.Namespace) -> None:
    """Raise LanguageModelError for a line that names no language model, before an agent waits for its answers."""
    if options.model:
        from coderag.ask.models.http_model import open_model

        open_model(options.model)


def _chosen(options: argparse.Namespace, known: Sequence[str]) -> tuple[str, ...]:
    """Return the tools to offer, in the order of `known`; raises QueryError for an unknown one."""
    for name in options.tools or ():
        if name not in known:
            raise QueryError(f"unknown tool {name!r}, there are {', '.join(known)}{did_you_mean(name, known)}")
    return tuple(name for name in known if options.tools is None or name in options.tools)


def _opened(options: argparse.Namespace) -> Workspace:
    """Return the workspace of the roots; raises RootError, also for one that is not there, or not for its caller."""
    from coderag.cli.groups import callers
    from coderag.cli.opening import roots_for_caller  # all that answers is imported while the agent waits
    from coderag.serve.workspace import Workspace

    if not (options.root or options.index):
        _check_here()
    return Workspace(roots_for_caller(options), callers=callers(options), language_model=options.model)


def _check_here() -> None:
    """Raise RootError where an agent was started outside of any repository, in a folder that holds too much."""
    from coderag.cli.roots import is_marked, root_around

    folder = root_around(Path.cwd())
    if not is_marked(folder) and folder in (Path.home(), Path(folder.anchor)):
        raise RootError(f"{folder} is no repository; start the agent in one, or give its folder with --root")
