"""A loop over what is written out, to what its names stand for in each round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from coderag.syntax.languages.python import Code
from coderag.syntax.trees.tree import named, text_of

__all__ = ["enclosing_loops", "rounds"]

PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})


def rounds(loop: Node, code: Code) -> list[Mapping[str, Node]] | None:
    """Return what the names of a `for` stand for, round by round; None if what it goes over is computed.

    It may go over a list, the keys of a dict, or the pairs that its `items()` are.
    """
    left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if left is None or right is None:
        return None
    values = _values(right, code)
    if values is None:
        return None
    targets = [text_of(child) for child in named(left)] if left.type in PATTERNS else [text_of(left)]
    found: list[Mapping[str, Node]] = []
    for value in values:
        if left.type in PATTERNS and len(value) == 1:
            value = code.items(value[0]) or []
        if len(value) != len(targets):
            return None
        found.append(dict(zip(targets, value, strict=True)))
    return found


def _values(right: Node, code: Code) -> list[Sequence[Node]] | None:
    """Return what a loop goes over: one node each, or the key and value of a dict's entries."""
    resolved = code.resolve(right)
    if resolved is not None and resolved.type == "dictionary":
        pairs = _pairs(resolved)
        return [pair[:1] for pair in pairs] if pairs is not None else None
    function = resolved.child_by_field_name("function") if resolved is not None and resolved.type == "call" else None
    if function is not None and function.type == "attribute":
        method = text_of(function.child_by_field_name("attribute"))
        holder = code.resolve(function.child_by_field_name("object"))
        pairs = _pairs(holder) if holder is not None and holder.type == "dictionary" else None
        if pairs is None or method not in {"items", "keys", "values"}:
            return None
        return [pair if method == "items" else pair[:1] if method == "keys" else pair[1:] for pair in pairs]
    items = code.items(right)
    return [[item] for item in items] if items is not None else None


def _pairs(node: Node) -> list[Sequence[Node]] | None:
    """Return the entries of a dict, None if some come from elsewhere."""
    rounds: list[Sequence[Node]] = []
    for child in named(node):
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if key is None or value is None:
            return None
        rounds.append([key, value])
    return rounds


def enclosing_loops(node: Node) -> list[Node]:
    """Return the loops that a node is in, the outermost first."""
    nodes: list[Node] = []
    above = node.parent
    while above is not None:
        if above.type == "for_statement":
            nodes.append(above)
        above = above.parent
    return nodes[::-1]
