"""Elixir's calls and literals, out of the syntax tree: atoms, strings, lists, keywords and module attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Raw, Reference
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["Call", "Code", "body_of", "module_name"]

MAX_DEPTH = 20  # of literals in literals


@dataclass(frozen=True, slots=True)
class Call:
    """A call: what is called, its arguments by place and by name, and the statements of its `do`."""

    name: str
    nodes: tuple[Node, ...]
    values: tuple[Literal, ...]
    options: Mapping[str, Literal]
    option_nodes: Mapping[str, Node]
    node: Node

    def text(self, position: int) -> str:
        """Return an argument that is a string or atom, "" if it is anything else or missing."""
        value = self.values[position] if position < len(self.values) else None
        return value if isinstance(value, str) else ""


class Code:
    """An Elixir file: its tree, the attributes of its modules, and names that stand for values."""

    def __init__(self, data: bytes) -> None:
        self.root = parse(data, "elixir")
        self._attributes: dict[str, Node] = {}
        self._bound: dict[str, Literal] = {}
        for node in descendants(self.root, "unary_operator"):
            operand = node.child_by_field_name("operand")
            if operand is not None and operand.type == "call" and text_of(node).startswith("@"):
                arguments = _arguments(operand)
                if len(arguments) == 1:
                    self._attributes.setdefault(text_of(operand.child_by_field_name("target")), arguments[0])

    def bind(self, name: str, value: Literal) -> None:
        """Let a name stand for a value from here on: the variable of a loop over literals."""
        self._bound[name] = value

    def attribute(self, module: Node, name: str) -> Literal | None:
        """Return the value of a module's attribute, None if it has none."""
        for node in named(body_block(module), "unary_operator"):
            operand = node.child_by_field_name("operand")
            if (
                operand is not None
                and operand.type == "call"
                and text_of(operand.child_by_field_name("target")) == name
            ):
                arguments = _arguments(operand)
                return self.value(arguments[0]) if arguments else None
        return None

    def call(self, node: Node) -> Call:
        """Return a call with what is literal in its arguments read."""
        nodes: list[Node] = []
        options: dict[str, Literal] = {}
        option_nodes: dict[str, Node] = {}
        for argument in _arguments(node):
            if argument.type == "keywords":
                for key, value in _pairs(argument):
                    options[key] = self.value(value)
                    option_nodes[key] = value
            else:
                nodes.append(argument)
        name = text_of(node.child_by_field_name("target"))
        return Call(name, tuple(nodes), tuple(map(self.value, nodes)), options, option_nodes, node)

    def value(self, node: Node, depth: int = 0) -> Literal:
        """Return what a literal says; a module is a Reference, everything else COMPUTED.

        `:name` -> "name"; `1_000` -> Number("1000"); `Shop.User` -> Reference("Shop.User"); `rand(9)` -> COMPUTED
        """
        if depth > MAX_DEPTH:
            return COMPUTED
        match node.type:
            case "atom":
                return text_of(node).removeprefix(":")
            case "string" | "quoted_atom" | "charlist":
                return self._text(node)
            case "integer" | "float":
                return Number(text_of(node).replace("_", ""))
            case "boolean":
                return text_of(node) == "true"
            case "nil":
                return None
            case "alias":
                return Reference(text_of(node))
            case "list" | "tuple":
                return self._list(node, depth)
            case "keywords":
                return {key: self.value(value, depth + 1) for key, value in _pairs(node)}
            case "sigil":
                return self._sigil(node)
            case "unary_operator":
                return self._unary(node, depth)
            case "identifier" if text_of(node) == "__MODULE__":
                return Reference("__MODULE__")
            case "identifier":
                return self._bound.get(text_of(node), COMPUTED)
            case "call" if text_of(node.child_by_field_name("target")) == "fragment":
                call = self.call(node)
                return Raw(call.text(0)) if call.text(0) else COMPUTED
        return COMPUTED

    def _list(self, node: Node, depth: int) -> Literal:
        inner = named(node)
        if node.type == "list" and len(inner) == 1 and inner[0].type == "keywords":
            return self.value(inner[0], depth + 1)
        return tuple(self.value(one, depth + 1) for one in inner)

    def _sigil(self, node: Node) -> Literal:
        name = text_of(next(iter(named(node, "sigil_name")), None))
        text = "".join(text_of(child) for child in named(node, "quoted_content"))
        if named(node, "interpolation"):
            return COMPUTED
        return tuple(text.split()) if name in {"w", "W"} else text if name in {"s", "S"} else COMPUTED

    def _unary(self, node: Node, depth: int) -> Literal:
        operand = node.child_by_field_name("operand")
        written = text_of(node)
        if operand is None:
            return COMPUTED
        if written.startswith("@"):
            attribute = self._attributes.get(text_of(operand))
            return self.value(attribute, depth + 1) if attribute is not None else COMPUTED
        value = self.value(operand, depth + 1)
        return Number(f"-{value.text}") if written.startswith("-") and isinstance(value, Number) else COMPUTED

    def _text(self, node: Node) -> Literal:
        if not named(node, "interpolation"):
            text = string_value(node)
            return text if text is not None else "".join(text_of(child) for child in named(node))
        parts = []
        for child in named(node):
            inner = named(child)
            if child.type == "interpolation":
                parts.append(self.value(inner[0]) if len(inner) == 1 else COMPUTED)
            else:
                parts.append(text_of(child))
        return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else COMPUTED


def body_block(node: Node) -> Node | None:
    """Return the `do` block of a call."""
    return next(iter(named(node, "do_block")), None)


def body_of(node: Node) -> Sequence[Node]:
    """Return the statements of a call's `do ... end` or `do:`, those of `else` left out."""
    block = body_block(node)
    if block is not None:
        return [child for child in named(block) if not child.type.endswith("_block")]
    keywords = [argument for argument in _arguments(node) if argument.type == "keywords"]
    return [value for keyword in keywords for key, value in _pairs(keyword) if key == "do"]


def module_name(node: Node) -> str:
    """Return the name of a `defmodule`, without the modules in front."""
    return text_of(next(iter(_arguments(node)), None)).rpartition(".")[2]


def _arguments(node: Node) -> list[Node]:
    return [child for arguments in named(node, "arguments") for child in named(arguments)]


def _pairs(keywords: Node) -> list[tuple[str, Node]]:
    found = []
    for pair in named(keywords, "pair"):
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            found.append((text_of(key).strip().removesuffix(":").strip('"'), value))
    return found
