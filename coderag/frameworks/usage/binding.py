"""What the text of a file says of a name: the value that it is bound to, or its type."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from tree_sitter import Node

__all__ = ["Bound", "Told"]


class Told(IntEnum):
    """How a binding tells what a name is."""

    VALUE = 0  # it is this expression
    ELEMENT = 1  # it is one of what this expression holds
    TYPE = 2  # it is of this type


class Bound(NamedTuple):
    """What the file says of a name."""

    start: int
    told: Told
    node: Node
