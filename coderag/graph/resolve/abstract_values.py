"""What a value is: the node of a definition or file itself, or one of the forms that are told apart here."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

__all__ = [
    "CLASS",
    "FORM",
    "INSTANCE",
    "OUTSIDE",
    "SELF",
    "SUPER",
    "Target",
    "Targets",
    "Variable",
    "class_of",
    "few",
    "is_instance",
]

FORM = 1 << 40
INSTANCE, SELF, CLASS, SUPER = FORM, 2 * FORM, 3 * FORM, 4 * FORM  # of a class: plus its node
OUTSIDE = 5 * FORM  # something that is not in the index
MAX_VALUES = 8  # a name that may be more is not known
T = TypeVar("T")


class Variable(NamedTuple):
    """A name that has bindings but no definition."""

    scope: int
    name: str


Target = int | Variable
Targets = tuple[Target, ...]


def class_of(value: int) -> int:
    """Return the class that a value is of, or is."""
    return value % FORM


def is_instance(value: int) -> bool:
    """Tell whether a value is an instance of a class of the index."""
    return value // FORM in (1, 2)


def few(found: list[T]) -> tuple[T, ...]:
    """Return what was found without repetition; nothing when it is too much to be of use."""
    if len(found) < 2:
        return tuple(found)
    once = tuple(dict.fromkeys(found))
    return once if len(once) <= MAX_VALUES else ()
