"""`coderag lsp`: a server for editors on standard input and output."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from coderag.cli.exit_codes import FOUND
from coderag.cli.groups import callers
from coderag.cli.opening import roots_for_caller
from coderag.errors import CoderagError, RootError
from coderag.extras import Extra, how_to_install
from coderag.serve.workspace import Workspace

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Serve until the editor ends."""
    if find_spec("pygls") is None:
        raise CoderagError(f"the Python package pygls is not installed; {how_to_install(Extra.LSP)}")
    for root in options.root:
        if not Path(root).is_dir():
            raise RootError(f"{root!r} does not exist; give the folder of a repository")
    from coderag.serve.descriptors import claim_standard_streams
    from coderag.serve.lsp.server import serve

    if sys.stdin.isatty():
        print("coderag: an editor starts this command and talks to it; Ctrl-D ends it", file=sys.stderr)
    descriptors = claim_standard_streams()
    serve(lambda folders: _opened(options, folders), descriptors)
    return FOUND


def _opened(options: argparse.Namespace, folders: list[str]) -> Workspace:
    """Return the workspace of the roots that were given, else of the folders that the editor has open."""
    if not (options.root or options.index):
        from coderag.cli.roots import is_marked

        options = argparse.Namespace(**{**vars(options), "root": folders or ["."]})  # the next time it may be others
        for folder in map(Path, options.root):
            if not is_marked(folder) and folder in (Path.home(), Path(folder.anchor)):
                raise RootError(f"{folder} is no repository; open one in the editor, or give it with --root")
    return Workspace(roots_for_caller(options), callers=callers(options))
