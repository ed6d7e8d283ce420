"""Whom a command answers: the groups of the caller, and the index as such a caller sees it."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterable
from contextlib import redirect_stderr

from coderag.api import Index
from coderag.cli.opening import open_index
from coderag.errors import AccessError

__all__ = ["VARIABLE", "as_seen", "callers", "for_owners", "open_for_caller"]

VARIABLE = "CODERAG_GROUPS"


def callers(options: argparse.Namespace) -> list[frozenset[str]]:
    """Return the groups of those who may all see what is answered, () where everything may be seen.

    Who starts a command sets a bound with CODERAG_GROUPS, and who writes its arguments can only narrow that.
    """
    told = os.environ.get(VARIABLE)
    of_variable = [] if told is None else [frozenset(filter(None, map(str.strip, told.split(","))))]
    return of_variable + ([] if options.groups is None else [frozenset(options.groups)])


def open_for_caller(options: argparse.Namespace) -> Index:
    """Return the index of the roots that a command was given, as its caller sees it; brought up to date before."""
    asking = callers(options)
    if not asking:
        return open_index(options)
    # What an update says counts files that the caller may not see.
    with redirect_stderr(io.StringIO()):
        index = open_index(options)
    return as_seen(index, asking)


def as_seen(index: Index, asking: Iterable[frozenset[str]]) -> Index:
    """Return what all of some callers see of an index."""
    for groups in asking:
        index = index.as_seen_by(groups)
    return index


def for_owners(command: str) -> None:
    """Raise AccessError where a command that shows all is started for some groups."""
    if VARIABLE in os.environ:
        raise AccessError(f'"coderag {command}" is for who may see all; {VARIABLE} is set')
