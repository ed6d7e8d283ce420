"""Holes of SQL to the parameters of their function that they are made of: ", ".join(f"{k} = ?" for k in row) to row."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from coderag.sql.in_code.evaluation.string_values import Hole
from coderag.syntax.trees.local_names import Names
from coderag.syntax.trees.local_scopes import Event, Scope
from coderag.syntax.trees.node_types import FUNCTIONS, LAMBDAS, MEMBERS, NAMES
from coderag.syntax.trees.nodes import Called, bare_name, field_or, member, named_children

__all__ = ["parameters_in"]

MAX_NODES = 200  # of one expression
MAX_NAMES = 16  # that are followed from one hole
MAX_EVENTS = 8  # of one name


def parameters_in(hole: Hole, names: Names, scope: Scope) -> list[str]:
    """Return the parameters of a function that the expression of a hole mentions, itself or by way of variables."""
    if hole.parameter:
        return [hole.parameter] if hole.start == scope.node.start_byte else []
    if hole.start < 0 or hole.end < 0:
        return []
    node = names.file.node.descendant_for_byte_range(hole.start, hole.end)
    if node is None or not scope.node.start_byte <= node.start_byte < scope.node.end_byte:
        return []
    found: dict[str, None] = {}
    seen: set[str] = set()
    waiting = [node]
    while waiting and len(seen) < MAX_NAMES:
        node = waiting.pop()
        for name in _mentioned(node):
            events = scope.events.get(name, ())[:MAX_EVENTS]
            if name in seen or any(_is_within(event.node, node) for event in events):
                continue  # a variable of the expression itself, as k of f(k) for k in row
            seen.add(name)
            if name in scope.parameters:
                found[name] = None
            for event in events:
                waiting += _values(event)
    return list(found)


def _is_within(node: Node, around: Node) -> bool:
    return around.start_byte <= node.start_byte and node.end_byte <= around.end_byte


def _values(event: Event) -> Iterator[Node]:
    """Yield what gives a name its value: the value, or the arguments of the call that puts them behind it."""
    if isinstance(event.value, Called):
        yield from (argument.node for argument in event.value.arguments)
    else:
        yield event.value


def _mentioned(node: Node) -> Iterator[str]:
    """Yield the variables that an expression mentions: not what it calls, and not members of others."""
    waiting = [node]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if node.type in NAMES:
            yield bare_name(node)
        elif node.type in MEMBERS:
            parts = member(node)
            waiting += [parts[0]] if parts is not None else []
        elif node.type not in FUNCTIONS or node.type in LAMBDAS:
            waiting += reversed(_parts(node))


def _parts(node: Node) -> list[Node]:
    """Return the children of an expression without the name that a call calls and that of an argument."""
    name = field_or(node, "name") if field_or(node, "arguments", "value") is not None else None
    function = field_or(node, "function")
    left_out = [one for one in (name, function) if one is not None and one.type in NAMES]
    return [child for child in named_children(node) if child not in left_out]
