"""The text of a tree-sitter query to its patterns, each with the kinds of nodes that every match of it has.

A pattern cannot match in a tree that lacks one of these kinds, so a query for such a tree may leave it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Pattern", "query_patterns"]

TOKEN = re.compile(r';[^\n]*|"(?:\\.|[^"\\])*"|[()\[\]?*+]|[^\s()\[\]?*+;"]+[?!]?')
KIND = re.compile(r"[A-Za-z]\w*")
OPENING = frozenset("([")
OPTIONAL = frozenset("?*")
NOT_KINDS = frozenset({"MISSING"})


class Pattern(NamedTuple):
    """A pattern of a query."""

    text: str
    kinds: frozenset[str]  # of named and unnamed nodes; supertypes, which no node has, may be among them


class _Open(NamedTuple):
    """A bracket that is open."""

    is_required: bool  # False for an alternation and a predicate: none of what they hold is in every match
    kinds: set[str]


def query_patterns(query: str) -> Iterator[Pattern]:
    """Yield the patterns of a query that compiles, in order."""
    tokens = [match for match in TOKEN.finditer(query) if not match[0].startswith(";")]
    words = [match[0] for match in tokens]
    opened = [_Open(True, set())]
    starts: list[int] = []
    kinds: list[set[str]] = []
    for place, word in enumerate(words):
        top = opened[-1]
        if len(opened) == 1 and (word in OPENING or word[0] == '"'):
            starts.append(tokens[place].start())
            kinds.append(set())
            top = opened[0] = _Open(True, kinds[-1])
        if word == "(":
            first = words[place + 1]
            opened.append(_Open(not first.startswith("#"), set()))
            if KIND.fullmatch(first) and first not in NOT_KINDS:
                opened[-1].kinds.add(first)
        elif word == "[":
            opened.append(_Open(False, set()))
        elif word in ")]":
            closed = opened.pop()
            if closed.is_required and not _is_optional(words, place + 1):
                opened[-1].kinds.update(closed.kinds)
        elif word[0] == '"' and "\\" not in word and not _is_optional(words, place + 1):
            top.kinds.add(word[1:-1])
    for (start, end), found in zip(pairwise([*starts, len(query)]), kinds, strict=True):
        yield Pattern(query[start:end], frozenset(found))


def _is_optional(words: Sequence[str], place: int) -> bool:
    """Tell whether the quantifiers and captures at a place allow that what is before them is not there."""
    for word in words[place:]:
        if word in OPTIONAL:
            return True
        if word != "+" and not word.startswith("@"):
            return False
    return False
