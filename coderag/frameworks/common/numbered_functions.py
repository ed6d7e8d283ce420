"""Nodes of a file to the order in which its numbered functions run: `version_1`, `version_2`, wherever they stand.

Projects that keep their migrations as functions of one file write the newest of them first as often as last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from tree_sitter import Node

from coderag.syntax.trees.node_types import FUNCTIONS
from coderag.syntax.trees.tree import text_of

__all__ = ["by_version", "versions"]

T = TypeVar("T")
MAX_LEVELS = 60  # of nodes around a node
MIN_FUNCTIONS = 2  # that differ in their number alone
MAX_NAME = 200  # characters of a name
NUMBERED = re.compile(r"(?P<stem>[A-Za-z_]\w*?)(?P<number>\d{1,18})")


def versions(nodes: Sequence[Node]) -> list[int | None]:
    """Return for each node the number of the function `stem1`, `stem2`, ... around it, None for the others.

    Only the stem that most functions have counts, and none that one function alone has: nodes in `version_12`, `helper`
    and `version_11` are of versions 12, None and 11, those in `up` and `step2` of none.
    """
    numbers = [_number(node) for node in nodes]
    stems = Counter(stem for stem, _ in {number for number in numbers if number is not None})
    stem, count = max(stems.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    if count < MIN_FUNCTIONS:
        return [None] * len(nodes)
    return [number[1] if number is not None and number[0] == stem else None for number in numbers]


def by_version(items: Sequence[T], numbers: Sequence[int | None]) -> list[T]:
    """Return items with those of a version sorted by it, and those of none where they stand."""
    numbered = [(number, slot) for slot, number in enumerate(numbers) if number is not None]
    ordered = list(items)
    for (_, slot), (_, source) in zip(numbered, sorted(numbered), strict=True):
        ordered[slot] = items[source]
    return ordered


def _number(node: Node) -> tuple[str, int] | None:
    """Return the stem and the number of the nearest named function around a node, None where its name has no number."""
    parent = node.parent
    for _ in range(MAX_LEVELS):
        if parent is None:
            return None
        name = parent.child_by_field_name("name") if parent.type in FUNCTIONS else None
        if name is not None:
            match = NUMBERED.fullmatch(text_of(name)[:MAX_NAME])
            return (match["stem"], int(match["number"])) if match is not None else None
        parent = parent.parent
    return None
