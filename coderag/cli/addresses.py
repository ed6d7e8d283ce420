"""Addresses of git repositories among the roots of a command: to the folders of their clones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from coderag.api.remote_roots import Fetch, cloned_root
from coderag.cli.groups import for_owners
from coderag.cli.output.notes import note
from coderag.files.git_address import is_git_address, parse_git_address

__all__ = ["folders_of"]


def folders_of(options: argparse.Namespace, roots: Sequence[str], *, fetch: bool) -> list[str]:
    """Return the roots with a folder in place of each address; raises RootError, and CloneError where none can be had.

    Raises AccessError where a command is started for some groups: rules that a clone lacks may hide what it holds.
    """
    if any(map(is_git_address, roots)):
        for_owners("--root ADDRESS")
    fetching = Fetch.ALWAYS if fetch else Fetch.NEVER if getattr(options, "no_refresh", False) else Fetch.WHEN_OLD
    telling = None if getattr(options, "quiet", False) else note
    return [
        str(cloned_root(parse_git_address(root), fetching=fetching, telling=telling)) if is_git_address(root) else root
        for root in roots
    ]
