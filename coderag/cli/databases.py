"""Databases given to `coderag index`: their schema is introspected and kept in the index, or forgotten."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.api.roots import Root
from coderag.cli.opening import note
from coderag.errors import QueryError
from coderag.limits import ADDRESSES
from coderag.text.counted import counted

if TYPE_CHECKING:
    from coderag.catalog.introspect.url import DatabaseUrl

__all__ = ["databases_in", "keep_databases"]

SUFFIXES = frozenset({".db", ".db3", ".ddb", ".duckdb", ".sqlite", ".sqlite3"})


def databases_in(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which of some arguments are databases, and which are folders or addresses of git repositories."""
    if not any("://" in argument or "." in argument or "$" in argument for argument in arguments):
        return [], list(arguments)
    from coderag.catalog.introspect.url import is_database_url
    from coderag.files.git_address import is_git_address

    databases = [
        argument
        for argument in arguments
        if not is_git_address(argument)
        and ("://" in argument or is_database_url(argument) or _is_database_file(argument))
    ]
    return databases, [argument for argument in arguments if argument not in databases]


def _is_database_file(argument: str) -> bool:
    """Tell whether an argument is a file named like a database; whether it is one shows when it is opened."""
    path = Path(argument)
    return path.suffix.lower() in SUFFIXES and path.is_file()


def keep_databases(addresses: Sequence[str], placed: Sequence[Root], options: argparse.Namespace) -> None:
    """Keep the schemas of some databases in the index of the only root, or forget them.

    Raises DatabaseError, and QueryError for more than one root and for what cannot be forgotten; nothing changed then.
    """
    from coderag.catalog.introspect.url import parse_url

    if options.forget and not addresses:
        raise QueryError("--forget names no database; give its address as it was given before")
    if not addresses:
        return
    if len(addresses) > ADDRESSES.most:
        raise QueryError(f"{len(addresses):,} databases are given; give at most {ADDRESSES.most:,}")
    if len(placed) != 1:
        raise QueryError("a database belongs to the index of one folder; give one ROOT beside it")
    database_urls = [parse_url(address) for address in addresses]
    if options.forget:
        _forget([database_url.name for database_url in database_urls], placed[0])
    else:
        _ask(database_urls, placed[0], options)


def _forget(names: Sequence[str], root: Root) -> None:
    """Remove databases from an index that has all of them."""
    from coderag.index.storage.database_snapshots import has_snapshot, read_snapshots, remove_snapshot

    if unknown := [name for name in names if not has_snapshot(root.folder, name)]:
        known = ", ".join(read_snapshot.name for read_snapshot in read_snapshots(root.folder)) or "none"
        raise QueryError(f"{unknown[0]} is not in the index at {root.folder}; known there: {known}")
    for name in dict.fromkeys(names):
        remove_snapshot(root.folder, name)
        note(f"{name} is forgotten")


def _ask(urls: Sequence[DatabaseUrl], root: Root, options: argparse.Namespace) -> None:
    """Introspect databases, all of them before anything is written."""
    from coderag.catalog.introspect.introspect import inspect_database
    from coderag.index.storage.database_snapshots import write_snapshot
    from coderag.index.storage.folder.database_files import paths_inside

    snapshots = [(url, inspect_database(url, samples=options.samples, timeout=options.timeout)) for url in urls]
    for url, facts in snapshots:
        write_snapshot(root.folder, url.name, facts, inside=paths_inside(root.root, url.path))
        if not options.quiet:
            lost = f", {counted(len(facts.unparsed), 'thing')} could not be read" if facts.unparsed else ""
            note(f"asked {url.name}: {counted(facts.statements, 'thing')} declared{lost}")
