"""What a name in Python is bound to, looked up at the places where the text may bind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.usage.binding import Bound, Told

__all__ = ["Sites"]

OWN = (b"self.", b"cls.")
# Where a name may be bound: at the beginning of a line, inside of one, after a word.
SITES = (
    re.compile(rb"\n[ \t]*+(?:self\.|cls\.)?(\w++)[ \t]*+[=:,]"),
    re.compile(rb"[=;:(,\[][ \t]*+(?:self\.|cls\.)?(\w++)[ \t]*+(?:=(?!=)|:)"),
    re.compile(rb" as\s++(\w++)"),
    re.compile(rb"for\s++(\w++)"),
    re.compile(rb"if\s++(\w++)\s*+:="),
    re.compile(rb"while\s++(\w++)\s*+:="),
)


class Sites:
    """The places of a file where names may be bound, by name; nothing of the tree is read before a name is asked."""

    __slots__ = ("_data", "_root", "places")

    def __init__(self, root: Node, data: bytes) -> None:
        self._root = root
        self._data = data
        self.places: dict[bytes, list[int]] = {}
        lines = b"\n" + data  # the first line begins as every other one
        for pattern in SITES:
            for match in pattern.finditer(lines):
                self.places.setdefault(match[1], []).append(match.start(1) - 1)

    def of(self, name: str) -> Iterator[tuple[Bound, bool]]:
        """Yield what a name is bound to, in no order, and whether that is a field of the name."""
        for start in set(self.places.get(name.encode(), ())):
            is_field = self._data.endswith(OWN, 0, start)
            node = self._root.descendant_for_byte_range(start, start + len(name))
            whole = node.parent if is_field and node is not None else node
            if whole is None or (is_field and self._data[whole.start_byte : start] not in OWN):
                continue
            for told, value in _bound(whole):
                yield Bound(whole.start_byte, told, value), is_field


def _bound(name: Node) -> Iterator[tuple[Told, Node]]:
    """Yield the type and the value that a statement or parameter gives to a name, the type first."""
    parent = name.parent
    kind = parent.type if parent is not None else ""
    fields: tuple[tuple[Told, str], ...] = ()
    if parent is None:
        return
    if kind == "assignment" and parent.child_by_field_name("left") == name:
        fields = ((Told.TYPE, "type"), (Told.VALUE, "right"))
    elif name.type != "identifier":
        return
    elif kind in {"for_statement", "for_in_clause"} and parent.child_by_field_name("left") == name:
        fields = ((Told.ELEMENT, "right"),)
    elif kind == "named_expression" and parent.child_by_field_name("name") == name:
        fields = ((Told.VALUE, "value"),)
    elif kind == "typed_parameter" or (
        kind == "typed_default_parameter" and parent.child_by_field_name("name") == name
    ):
        fields = ((Told.TYPE, "type"),)
    elif kind == "as_pattern_target" and parent.parent is not None:
        yield Told.VALUE, parent.parent.named_children[0]
    elif kind == "pattern_list" and parent.named_children[0] == name:
        yield from _first_of_call(parent)
    for told, field in fields:
        if (value := parent.child_by_field_name(field)) is not None:
            yield told, value


def _first_of_call(names: Node) -> Iterator[tuple[Told, Node]]:
    """Yield the call whose result the names of an assignment take apart."""
    statement = names.parent
    if statement is None or statement.type != "assignment" or statement.child_by_field_name("left") != names:
        return
    right = statement.child_by_field_name("right")
    if right is not None and right.type == "call":
        yield Told.ELEMENT, right
