"""Abstract values: what an expression may be, as the number of a node and the form in which it is meant.

`Report` is the node of a class, `Report()` an instance of it, `self` in its methods an instance of it or of what
inherits from it. A value is one integer, form * FORM + node, as graphs hold millions of them.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeVar

__all__ = [
    "CLASS",
    "CLASSES",
    "FORM",
    "INSTANCE",
    "INSTANCES",
    "OF_CALLER",
    "OUTSIDE",
    "SELF",
    "SUPER",
    "Form",
    "Target",
    "Targets",
    "Variable",
    "class_of",
    "few",
    "is_instance",
]

FORM = 1 << 40


class Form(IntEnum):
    """How a value is meant, of the node that it holds."""

    NODE = 0  # the definition or file itself
    INSTANCE = 1  # an instance of exactly this class
    SELF = 2  # an instance of this class or of one that inherits from it: self
    CLASS = 3  # this class or one that inherits from it: cls
    SUPER = 4  # what this class inherits from
    OUTSIDE = 5  # something that is not in the index, of no node


INSTANCE, SELF, CLASS, SUPER = (form * FORM for form in (Form.INSTANCE, Form.SELF, Form.CLASS, Form.SUPER))
OUTSIDE = Form.OUTSIDE * FORM
INSTANCES = (Form.INSTANCE, Form.SELF)
CLASSES = (Form.NODE, Form.CLASS)  # a value of these, of a class, makes instances where it is called
OF_CALLER = (Form.SELF, Form.CLASS)  # as a result these are of the class that a method is called on
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
    return value // FORM in INSTANCES


def few(found: list[T]) -> tuple[T, ...]:
    """Return what was found without repetition; nothing when it is too much to be of use."""
    if len(found) < 2:
        return tuple(found)
    once = tuple(dict.fromkeys(found))
    return once if len(once) <= MAX_VALUES else ()
