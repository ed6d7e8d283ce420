"""A regular expression to texts that may keep it busy: what a repeat takes, many times, where it is looked for."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

__all__ = ["Attack", "attacks"]

CHARACTERS = "a1 _.,-A\n'\"/\\*([{<:;=#@$%é\t"  # what stands for a class are the first of these that are in it
WAYS = 3  # of writing an item of an expression
MANY = 10  # a repeat that may take so many is tried with many more
CATEGORIES = {"CATEGORY_DIGIT": r"\d", "CATEGORY_WORD": r"\w", "CATEGORY_SPACE": r"\s"}
CATEGORIES |= {name.replace("_", "_NOT_"): text.upper() for name, text in CATEGORIES.items()}

# The module that parses expressions has had no public name since Python 3.11.
parser: Any = importlib.import_module("re._parser")
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
Items = Sequence[tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Attack:
    """A text of any length: a beginning, and then one thing again and again."""

    before: str
    again: str

    def text(self, size: int) -> str:
        """Return it in about so many characters, and behind them what ends no expression."""
        return self.before + self.again * max(1, (size - len(self.before)) // len(self.again)) + "\0!"


def attacks(pattern: re.Pattern[str] | re.Pattern[bytes]) -> list[Attack]:
    """Return texts for each repeat: its inside many times behind what comes before it, and both together many times."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    items = parser.parse(text, pattern.flags & ~re.UNICODE)
    found = dict.fromkeys(Attack("", way) for way in _ways(items))
    for before, inside in _repeats(items, ""):
        found |= {Attack(before, inside): None, Attack("", before + inside): None}
    return [one for one in found if one.again]


def _repeats(items: Items, before: str) -> Iterator[tuple[str, str]]:
    """Yield for each repeat what may come before it, with each way of writing what it repeats."""
    for at, (kind, value) in enumerate(items):
        here = before + next(_ways(items[:at]))
        if str(kind) in REPEATS and value[1] >= MANY:
            yield from ((here, way) for way in _ways(value[2]))
        for inside in _inside(value):
            yield from _repeats(inside, here)


def _inside(value: Any) -> Iterator[Items]:
    """Yield the sequences of items that an item holds."""
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _inside(one)


def _ways(items: Items) -> Iterator[str]:
    """Yield ways of writing a sequence of items: the first of each, and then another one of one of them."""
    written = [list(islice(_written(str(kind), value), WAYS)) or [""] for kind, value in items]
    first = [ways[0] for ways in written]
    yield "".join(first)
    for at, ways in enumerate(written):
        for other in ways[1:]:
            yield "".join([*first[:at], other, *first[at + 1 :]])


def _written(kind: str, value: Any) -> Iterator[str]:
    """Yield ways of writing an item; what only looks around, or names a group again, is nothing to write."""
    if kind == "LITERAL":
        yield chr(value)
    elif kind in ("ANY", "NOT_LITERAL"):
        yield from (one for one in CHARACTERS if ord(one) != value)
    elif kind == "IN":
        yield from [one for one in CHARACTERS if _is_in(value, one)] or _named(value)
    elif kind == "BRANCH":
        yield from (next(_ways(inside)) for inside in value[1])
    elif kind == "SUBPATTERN":
        yield from _ways(value[3])
    elif kind == "ATOMIC_GROUP":
        yield from _ways(value)
    elif kind in REPEATS:
        yield from (way * max(1, value[0]) for way in _ways(value[2]))


def _is_in(members: Items, character: str) -> bool:
    """Return whether a class has a character."""
    negated = False
    for kind, value in members:
        if str(kind) == "NEGATE":
            negated = True
        elif (
            (str(kind) == "LITERAL" and ord(character) == value)
            or (str(kind) == "RANGE" and value[0] <= ord(character) <= value[1])
            or (str(kind) == "CATEGORY" and re.match(CATEGORIES[str(value)], character))
        ):
            return not negated
    return negated


def _named(members: Items) -> list[str]:
    """Return the characters that a class names."""
    return [chr(value if str(kind) == "LITERAL" else value[0]) for kind, value in members if value is not None]
