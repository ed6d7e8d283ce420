"""Whom a command answers: the groups of the caller, and what these may see."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from coderag.api.index import Index
from coderag.errors import AccessError

__all__ = ["VARIABLE", "as_seen", "callers", "for_owners", "is_hidden"]

VARIABLE = "CODERAG_GROUPS"


def callers(options: argparse.Namespace) -> list[frozenset[str]]:
    """Return the groups of those who may all see what is answered, () where everything may be seen.

    Who starts a command sets a bound with CODERAG_GROUPS, and who writes its arguments can only narrow that.
    """
    groups = os.environ.get(VARIABLE)
    of_variable = [] if groups is None else [frozenset(filter(None, map(str.strip, groups.split(","))))]
    return of_variable + ([] if options.groups is None else [frozenset(options.groups)])


def is_hidden(path: str, asking: Collection[frozenset[str]]) -> bool:
    """Tell whether access rules above a file or folder, or above what it leads to as a link, hide it by its path."""
    from coderag.index.reader.access_control import hides_path  # who sees all needs none of it

    places = {os.path.normpath(Path(path).absolute()), os.path.realpath(path)}
    return any(hides_path(Path(place), asking) for place in sorted(places))


def as_seen(index: Index, asking: Iterable[frozenset[str]]) -> Index:
    """Return what all of some callers see of an index."""
    for groups in asking:
        index = index.as_seen_by(groups)
    return index


def for_owners(command: str) -> None:
    """Raise AccessError where a command that shows all is started for some groups."""
    if VARIABLE in os.environ:
        raise AccessError(f'"coderag {command}" is for who may see all; {VARIABLE} is set')
