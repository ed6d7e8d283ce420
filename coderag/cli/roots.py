"""The roots of a command, and paths as the user can open them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from coderag.api.preloaded import leave_to_asker
from coderag.api.roots import Root, resolve_roots
from coderag.errors import QueryError, RootError
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.ownership import recorded_root
from coderag.index.storage.manifest import INDEX_FOLDER, MANIFEST

__all__ = ["Paths", "given_roots", "is_marked", "root_around", "single_root"]

# An index that was begun and never written says nothing: it would draw in all folders below it.
MARKS = (f"{INDEX_FOLDER}/{MANIFEST}", ".git")


def given_roots(options: argparse.Namespace, roots: Sequence[str], *, fetch: bool = False) -> list[Root]:
    """Return the roots a command was given, and those of its list of repositories.

    Without any, that of the index given; else the one around the current folder.
    The address of a git repository means its clone, which is made on first use, and fetched when it is old; with
    `fetch` always, with --no-refresh never. Raises RootError, also when the index given is that of another root.
    """
    if getattr(options, "repositories", None):
        from coderag.cli.repositories import listed_folders  # few commands have a list

        roots = [*roots, *listed_folders(options)]
    if any(":" in root for root in roots):
        from coderag.cli.addresses import folders_of  # few roots are addresses

        leave_to_asker()  # git may need keys
        roots = folders_of(options, roots, fetch=fetch)
    owner = _owner(options.index) if options.index else ""
    if not roots and owner:
        return resolve_roots([owner], index=options.index)
    placed = resolve_roots(roots or [root_around(Path.cwd())], index=options.index)
    if owner and len(placed) == 1 and not placed[0].root.samefile(owner):
        raise RootError(f"the index at {options.index} is that of {owner}; give another folder for {placed[0].root}")
    return placed


def single_root(options: argparse.Namespace, roots: Sequence[str], why: str, *, fetch: bool = False) -> Root:
    """Return the root of a command that works on one alone; raises QueryError, which says why, for several."""
    placed = given_roots(options, roots, fetch=fetch)
    if len(placed) != 1:
        raise QueryError(f"{why}; give one root")
    return placed[0]


def _owner(index: str) -> str:
    """Return the root that an index was built from, "" if the index or the root no longer exists."""
    root = recorded_root(IndexPath(Path(index).absolute()))
    return root if Path(root).is_dir() else ""


def root_around(folder: Path) -> Path:
    """Return the nearest folder from here upwards that is indexed or a repository, else the folder itself."""
    return next(filter(is_marked, (folder, *folder.parents)), folder)


def is_marked(folder: Path) -> bool:
    """Tell whether a folder is indexed or a repository."""
    return any((folder / mark).exists() for mark in MARKS)


class Paths:
    """Paths of hits as one would type them in the current folder."""

    def __init__(self, roots: Sequence[Root]) -> None:
        here = os.path.realpath(".")
        self._prefixes = {root.repository: _prefix(str(root.root), here) for root in roots}

    def of(self, path: str, repository: str) -> str:
        """Return the path of a file of a repository."""
        prefix = self._prefixes.get(repository, "")
        joined = f"{prefix}/{path}" if prefix else path
        return os.path.normpath(joined) if prefix.startswith("..") else joined


def _prefix(root: str, here: str) -> str:
    """Return what leads from here to a root: nothing, a folder, some "..", or else the whole path."""
    if root == here:
        return ""
    if Path(root).is_relative_to(here) or Path(here).is_relative_to(root):
        return os.path.relpath(root, here)
    return root
