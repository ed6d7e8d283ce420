"""What an expression may say: text with holes, of which some parts may be one of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = [
    "NOTHING",
    "Choice",
    "Flat",
    "Hole",
    "Text",
    "Value",
    "choice",
    "first_text",
    "holes_of",
    "literals_of",
    "variants",
]

MAX_VARIANTS = 10  # of one value that are read
MAX_PARTS = 400  # of one value
MAX_CHOICES = 40


class Text(NamedTuple):
    """Text of a literal, with the bytes of the literal in the file."""

    text: str
    start: int = -1
    end: int = -1


class Hole(NamedTuple):
    """What is known at run time only: as it is written, and the name of the parameter where it is one.

    The bytes are those of the expression; of a parameter, `start` is that of its function.
    """

    written: str = ""
    parameter: str = ""
    start: int = -1
    end: int = -1


class Choice(NamedTuple):
    """A part that is one of several, the most telling first; an empty one where the part may be missing."""

    values: tuple[Value, ...]


Part = Text | Hole | Choice
Value = tuple[Part, ...]
Flat = tuple[Text | Hole, ...]

NOTHING: Value = ()


def choice(values: Sequence[Value]) -> Value:
    """Return one of some values; what all begin with is taken out of the choice."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return distinct[0]
    if not distinct:
        return NOTHING
    shared = 0
    for parts in zip(*distinct, strict=False):
        if any(part != parts[0] for part in parts[1:]):
            break
        shared += 1
    left = sorted((value[shared:] for value in distinct), key=_telling)
    return (*distinct[0][:shared], Choice(tuple(left[:MAX_CHOICES])))


def _telling(value: Value) -> int:
    """Return what sorts values: those with text first, those with holes only behind them, the empty one last."""
    if not value:
        return 2
    return 0 if any(not isinstance(part, Hole) for part in value) else 1


def variants(value: Value) -> Iterator[Flat]:
    """Yield what a value may be: with the first of all choices, then each choice alone changed, last the shortest."""
    choices = _count(value)
    yield _flat(value, {}, default=0)
    if not choices:
        return
    given = 1
    for number, size in enumerate(choices):
        for picked in range(1, size):
            if given >= MAX_VARIANTS:
                break
            yield _flat(value, {number: picked}, default=0)
            given += 1
    yield _flat(value, {}, default=-1)


def _count(value: Value) -> list[int]:
    """Return how many values each choice has, in the order in which they are met."""
    sizes: list[int] = []
    waiting = list(reversed(value))
    while waiting and len(sizes) < MAX_CHOICES:
        part = waiting.pop()
        if isinstance(part, Choice):
            sizes.append(len(part.values))
            waiting += reversed([one for inner in part.values for one in inner])
    return sizes


def _flat(value: Value, picked: dict[int, int], *, default: int) -> Flat:
    """Return a value with a value for each choice; choices in others are numbered with them."""
    found: list[Text | Hole] = []
    number = 0
    waiting: list[tuple[Part, bool]] = [(part, True) for part in reversed(value)]
    while waiting and len(found) < MAX_PARTS:
        part, taken = waiting.pop()
        if not isinstance(part, Choice):
            if taken:
                found.append(part)
            continue
        index = picked.get(number, default)
        number += 1
        wanted = part.values[min(index, len(part.values) - 1)] if index >= 0 else part.values[-1]
        for inner in reversed(part.values):
            waiting += [(one, taken and inner is wanted) for one in reversed(inner)]
    return tuple(found)


def first_text(value: Value) -> str:
    """Return what a value begins with, "" if that is not known."""
    waiting = list(reversed(value))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Choice):
            waiting += reversed(part.values[0])
        elif isinstance(part, Hole):
            return ""
        elif part.text.strip():
            return part.text.lstrip()
    return ""


def literals_of(value: Value) -> Iterator[Text]:
    """Yield every text of a value, whichever choice it belongs to."""
    waiting = list(reversed(value))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Choice):
            waiting += reversed([one for inner in part.values for one in inner])
        elif isinstance(part, Text):
            yield part


def holes_of(value: Value) -> Iterator[Hole]:
    """Yield every hole of a value."""
    waiting = list(reversed(value))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Choice):
            waiting += reversed([one for inner in part.values for one in inner])
        elif isinstance(part, Hole):
            yield part
