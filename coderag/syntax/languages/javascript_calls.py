"""A function of JavaScript to the calls that it makes, in their order, as far as the text tells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.languages.javascript import Code, Link, function_parameters, unwrapped
from coderag.syntax.trees.literals import Literal
from coderag.syntax.trees.node_types import JAVASCRIPT_FUNCTIONS
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["Call", "Calls"]

MAX_DEPTH = 150  # of nodes in each other
MAX_CALLS = 20_000  # that are followed in one file, loops unrolled
LOOPS = frozenset({"forEach", "map"})


class Call(NamedTuple):
    """A call that is part of no longer chain."""

    node: Node
    name: str  # what the value that the caller asked for is called where the call stands


class Calls:
    """The calls of a file's functions: loops over literals are unrolled, and functions of the file are followed."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._active: list[str] = []  # the functions that are being followed
        self._seen = 0

    def of(self, node: Node | None, name: str, depth: int = 0) -> Iterator[Call]:
        """Yield the calls below a node; what is called `name` there is followed into functions that are given it.

        The names that loops and parameters bind hold until the next call is asked for.
        """
        self._seen += 1
        if node is None or depth > MAX_DEPTH or self._seen > MAX_CALLS:
            return
        if node.type == "call_expression":
            yield from self._of_call(node, name, depth)
        elif node.type == "for_in_statement":
            for value in self._rounds(node.child_by_field_name("right")) or ():
                self._bind(node.child_by_field_name("left"), value)
                yield from self.of(node.child_by_field_name("body"), name, depth + 1)
            if self._rounds(node.child_by_field_name("right")) is None:
                yield from self.of(node.child_by_field_name("body"), name, depth + 1)
        else:
            for child in named(node):
                yield from self.of(child, name, depth + 1)
            if node.type in {"variable_declarator", "assignment_expression"}:
                self._assign(node)

    def _assign(self, node: Node) -> None:
        """Bind a variable to the literal that it is given."""
        target = node.child_by_field_name("name") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if target is not None and target.type == "identifier" and value is not None:
            literal = self._code.value(value)
            if isinstance(literal, str | tuple | dict):
                self._code.bind(text_of(target), literal)

    def _of_call(self, node: Node, name: str, depth: int) -> Iterator[Call]:
        links = self._code.chain(node)
        if (loop := self._loop(node)) is not None:
            function, values = loop
            for value in values:
                self._bind_parameters(function, (value,))
                yield from self.of(function.child_by_field_name("body"), name, depth + 1)
        elif len(links) == 1 and (called := self._functions.get(links[0].name)) is not None:
            yield from self._followed(called, links[0], name, depth)
        else:
            yield Call(node, name)
            for link in links:
                for argument in link.arguments:
                    yield from self.of(argument, name, depth + 1)

    def _followed(self, function: Node, link: Link, name: str, depth: int) -> Iterator[Call]:
        if link.name in self._active:
            return
        inner = name
        for parameter, argument in zip(function_parameters(function), link.arguments, strict=False):
            if text_of(argument) == name:
                inner = parameter
            else:
                self._code.bind(parameter, self._code.value(argument))
        self._active.append(link.name)
        yield from self.of(function.child_by_field_name("body"), inner, depth + 1)
        self._active.pop()

    @cached_property
    def _functions(self) -> dict[str, Node]:
        found = {
            text_of(descendant.child_by_field_name("name")): descendant
            for descendant in descendants(self._code.root, "function_declaration")
        }
        return found | {name: node for name, node in self._code.constants.items() if node.type in JAVASCRIPT_FUNCTIONS}

    def _loop(self, node: Node) -> tuple[Node, tuple[Literal, ...]] | None:
        """Return the function of `[...].forEach(function)` and what it is called with."""
        method = node.child_by_field_name("function")
        arguments = named(node.child_by_field_name("arguments"))
        if method is None or method.type != "member_expression" or len(arguments) != 1:
            return None
        function = unwrapped(arguments[0])
        if text_of(method.child_by_field_name("property")) not in LOOPS or function.type not in JAVASCRIPT_FUNCTIONS:
            return None
        values = self._rounds(method.child_by_field_name("object"))
        return (function, values) if values is not None else None

    def _rounds(self, node: Node | None) -> tuple[Literal, ...] | None:
        values = self._code.value(node)
        return values if isinstance(values, tuple) else None

    def _bind_parameters(self, function: Node, values: tuple[Literal, ...]) -> None:
        single = function.child_by_field_name("parameter")
        parameters = [single] if single is not None else named(function.child_by_field_name("parameters"))
        for parameter, value in zip(parameters, values, strict=False):
            self._bind(parameter.child_by_field_name("pattern") or parameter, value)

    def _bind(self, pattern: Node | None, value: Literal) -> None:
        """Give the names of a pattern their parts of a value."""
        if pattern is None:
            return
        if pattern.type == "array_pattern" and isinstance(value, tuple):
            for node, part in zip(named(pattern), value, strict=False):
                self._bind(node, part)
        elif pattern.type == "object_pattern" and isinstance(value, dict):
            for node in named(pattern):
                self._code.bind(text_of(node), value.get(text_of(node)))
        else:
            self._code.bind(text_of(pattern), value)
