"""The text of a tree-sitter query to its patterns, each with the kinds of nodes that every match of it has.

A pattern cannot match in a tree that lacks one of these kinds, so a query for such a tree may leave it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Pattern", "query_patterns"]

# A comment, an opening bracket with its node's kind, or a closing one or a string with the quantifier that allows none.
TOKEN = re.compile(
    r"""
    ;[^\n]*
    | (?P<open> [(\[] ) (?: (?<=\() \s* (?P<first> [A-Za-z]\w*+ (?!/) | \# ) )?
    | (?P<close> [)\]] | "(?:\\.|[^"\\])*" ) (?P<optional> (?: \s* (?: \+ | @[\w.-]+ ) )* \s* [?*] )?
    """,
    re.VERBOSE,
)
NOT_KINDS = frozenset({"#", "MISSING"})


class Pattern(NamedTuple):
    """A pattern of a query."""

    text: str
    kinds: frozenset[str]  # of named and unnamed nodes; supertypes, which no node has, may be among them


class _Part(NamedTuple):
    """What stands in a bracket, or a string."""

    is_required: bool  # False for an alternation and a predicate: none of what they hold is in every match
    kinds: set[str]


def query_patterns(query: str) -> Iterator[Pattern]:
    """Yield the patterns of a query that compiles, in order."""
    starts: list[int] = []
    kinds: list[set[str]] = []
    opened: list[_Part] = []
    for match in TOKEN.finditer(query):
        opens, first, closes, optional = match.groups()
        if not opened and (opens or (closes and closes[0] == '"')):
            starts.append(match.start())
            kinds.append(set())
        if opens:
            opened.append(_Part(opens == "(" and first != "#", {first} - NOT_KINDS if first else set()))
        elif closes:
            is_string = closes[0] == '"'
            found = _string_kinds(closes) if is_string else opened.pop()
            if found.is_required and not optional:
                (opened[-1].kinds if opened else kinds[-1]).update(found.kinds)
    for (start, end), required in zip(pairwise([*starts, len(query)]), kinds, strict=True):
        yield Pattern(query[start:end], frozenset(required))


def _string_kinds(string: str) -> _Part:
    return _Part(True, {string[1:-1]} if "\\" not in string else set())
