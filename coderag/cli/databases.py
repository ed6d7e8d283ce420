"""Databases given to `coderag index`: asked for their schema, which is kept in the index, or forgotten."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from coderag.cli.opening import note
from coderag.cli.text import counted
from coderag.errors import QueryError
from coderag.roots import Root

__all__ = ["ask_databases", "databases_in"]

SUFFIXES = frozenset({".db", ".db3", ".ddb", ".duckdb", ".sqlite", ".sqlite3"})


def databases_in(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which of some arguments are databases, and which are folders."""
    if not any("://" in one or "." in one or "$" in one for one in given):
        return [], list(given)
    from coderag.sql.live.url import is_database_url

    found = [one for one in given if "://" in one or is_database_url(one) or _is_database_file(one)]
    return found, [one for one in given if one not in found]


def _is_database_file(given: str) -> bool:
    """Tell whether an argument is a file called like a database; whether it is one shows when it is opened."""
    path = Path(given)
    return path.suffix.lower() in SUFFIXES and path.is_file()


def ask_databases(addresses: Sequence[str], placed: Sequence[Root], options: argparse.Namespace) -> None:
    """Keep in the index of the only root what some databases say; raises DatabaseError, and then nothing changed."""
    from coderag.index.snapshots import remove_snapshot, write_snapshot
    from coderag.sql.live.inspect import inspect_database
    from coderag.sql.live.url import parse_url

    if len(placed) != 1:
        raise QueryError("a database belongs to the index of one folder; give one ROOT beside it")
    folder = placed[0].folder
    found = [parse_url(one) for one in addresses]
    if options.forget:
        for url in found:
            known = remove_snapshot(folder, url.name)
            note(f"{url.name} is {'forgotten' if known else 'not in the index'}")
        return
    asked = [(url, inspect_database(url, samples=options.samples, timeout=options.timeout)) for url in found]
    for url, facts in asked:
        write_snapshot(folder, url.name, facts)
        if not options.quiet:
            lost = f", {counted(len(facts.lost), 'thing')} could not be read" if facts.lost else ""
            note(f"asked {url.name}: {counted(facts.statements, 'thing')} declared{lost}")
