"""Expressions to values: what is followed how far, and what was found so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tree_sitter import Node

from coderag.sql.in_code.evaluation.string_values import NOTHING, Hole, Value
from coderag.syntax.trees.local_names import Names
from coderag.syntax.trees.local_scopes import Scope
from coderag.syntax.trees.node_types import BINARY, CONCATENATED, LITERALS
from coderag.syntax.trees.nodes import Called, written

__all__ = ["MAX_DEPTH", "MAX_ELEMENTS", "Expressions", "flat", "hole_of", "is_text"]

MAX_DEPTH = 24  # expressions that are followed one into the other
MAX_STEPS = 20_000  # expressions of a file that are looked at
MAX_ELEMENTS = 500  # of one list


class Expressions:
    """What the expressions of one file say, each looked at once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.language = names.language
        self.left = MAX_STEPS
        self.known: dict[tuple[int, int, str], Value] = {}
        self.going: set[tuple[int, int, str]] = set()

    def of(self, node: Node | None, scope: Scope, *, depth: int = 0) -> Value:
        """Return what an expression says; a part that the file does not tell is a hole."""
        if node is None:
            return NOTHING
        key = (node.start_byte, node.end_byte, node.type)
        if (found := self.known.get(key)) is not None:
            return found
        self.left -= 1
        if depth > MAX_DEPTH or self.left < 0 or key in self.going:
            return (hole_of(node),)
        self.going.add(key)
        value = self.read(node, scope, depth + 1)
        self.going.discard(key)
        self.known[key] = value
        return value

    def read(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what an expression says that was not looked at before."""
        raise NotImplementedError

    def call(self, call: Called, scope: Scope, depth: int) -> Value:
        """Return what a call gives."""
        raise NotImplementedError

    def joined(self, nodes: Sequence[Node], scope: Scope, depth: int) -> Value:
        """Return some expressions one after the other."""
        return flat(self.of(node, scope, depth=depth) for node in nodes[:MAX_ELEMENTS])


def flat(values: Iterable[Value]) -> Value:
    """Return values one after the other."""
    return tuple(part for value in values for part in value)


def hole_of(node: Node, name: str = "") -> Hole:
    """Return the hole that an expression is."""
    return Hole(name or written(node), start=node.start_byte, end=node.end_byte)


def is_text(node: Node) -> bool:
    """Tell whether an expression is a literal, or literals put together."""
    return node.type in LITERALS or node.type in CONCATENATED or node.type in BINARY
