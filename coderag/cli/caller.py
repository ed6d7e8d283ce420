"""The index as the caller of a command sees it."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Collection
from contextlib import redirect_stderr, suppress
from pathlib import Path

from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.cli.groups import as_seen, callers, is_hidden
from coderag.cli.opening import note, open_index
from coderag.cli.output.progress import Bar
from coderag.cli.roots import given_roots, is_marked, root_around
from coderag.errors import IndexMissingError, QueryError, RootError
from coderag.text.counted import counted

__all__ = [
    "check_seen",
    "open_for_caller",
    "open_graph_for_caller",
    "roots_for_caller",
]


def open_for_caller(options: argparse.Namespace) -> Index:
    """Return the index of the roots that a command was given, as its caller sees it; brought up to date before."""
    asking = callers(options)
    if not asking:
        return open_index(options)
    roots_for_caller(options)
    # What an update says counts files that the caller may not see.
    with redirect_stderr(io.StringIO()):
        index = open_index(options)
    return as_seen(index, asking)


def open_graph_for_caller(options: argparse.Namespace) -> Index:
    """Return the same with the graph of each root: one that is being made is waited for, one that is missing is made.

    What callers of groups see tells nothing of the work on the whole.
    """
    index = open_for_caller(options)
    if options.no_refresh and not callers(options):
        _note_age(index)
    with Bar("Making the graph") as bar:
        index.graphs(making=bar.linking, waiting=lambda: note("waiting for the graph, which another process makes"))
    return index


def _note_age(index: Index) -> None:
    """Say that files changed since the graph was made of them."""
    stale = index.stale_paths()
    if stale != []:
        what = "files changed" if stale is None else f"{counted(len(stale), 'path')} changed"
        note(f"the graph is older than the files: {what} since; without --no-refresh they are read first")


def roots_for_caller(options: argparse.Namespace) -> list[Root]:
    """Return the roots that a command was given; raises RootError, also for one that its caller may not see."""
    asking = callers(options)
    for name in options.root if asking else ():
        _check_root(name, asking)
    placed = given_roots(options, options.root)
    for root in placed if asking else ():
        _check_root(str(root.root), asking)
    return placed


def _check_root(name: str, asking: Collection[frozenset[str]]) -> None:
    """Raise RootError for a root that the caller may not see, in the words for one that is missing."""
    if is_hidden(name, asking):
        raise RootError(f"{name!r} does not exist; give the folder of a repository")


def check_seen(file: str, options: argparse.Namespace) -> None:
    """Raise QueryError for a file that the caller may not see, in the words for one that is not indexed."""
    asking = callers(options)
    path = Path(os.path.realpath(file))
    root = root_around(path.parent)
    while root != root.parent and is_hidden(str(root), asking):
        root = root_around(root.parent)
    if not is_marked(root):  # the file may lie anywhere, and no one asked for an index of that
        raise IndexMissingError(f'there is no index around {file!r}; run "coderag index"')
    index = open_for_caller(argparse.Namespace(root=[str(root)], index=None, no_refresh=False, groups=options.groups))
    with suppress(QueryError):
        index.chunks(path.relative_to(root).as_posix())
        if not is_hidden(file, asking):  # a link that is hidden may lead to a file that is not
            return
    raise QueryError(f"{file} is not in the index, or not for its caller to see")
