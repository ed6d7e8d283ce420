"""C#'s literals, and what the constants of a class stand for, out of the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from tree_sitter import Node

from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Reference, as_text
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, descendants, named, text_of

__all__ = ["CsharpValues"]

MAX_DEPTH = 40  # of expressions in each other
SUFFIX = re.compile(r"(?i)(?<=[\d.])(?:ul|lu|[uldmf])$")
EMPTY: Mapping[str, Literal] = {"string.Empty": "", "String.Empty": ""}
ZERO = "00000000-0000-0000-0000-000000000000"
ARRAYS = frozenset({"implicit_array_creation_expression", "array_creation_expression"})
WRAPPERS = frozenset(
    {"argument", "collection_element", "expression_element", "parenthesized_expression", "postfix_unary_expression"}
)


class CsharpValues:
    """The values of a file of C#: its literals, and the constants and fields that are given one."""

    def __init__(self, root: Node) -> None:
        self._root = root

    @cached_property
    def _constants(self) -> Mapping[str, Node]:
        found: dict[str, Node] = {}
        for node in descendants(self._root, "variable_declarator"):
            name, children = node.child_by_field_name("name"), named(node)
            if name is not None and len(children) > 1:
                found.setdefault(text_of(name), children[-1])
        return found

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what an expression says; a name of something else is a Reference, what is computed COMPUTED.

        `"a" + "b"` -> "ab"; `(byte)1` -> Number("1"); `new[] { "a" }` -> ("a",); `x => x.Id` -> Reference("Id")
        """
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        if (plain := _plain_literal(node)) is not COMPUTED:
            return plain
        match node.type:
            case "cast_expression":
                return self.value(node.child_by_field_name("value"), depth + 1)
            case "prefix_unary_expression":
                return self._signed(node, depth)
            case "binary_expression":
                return self._joined(node, depth)
            case "lambda_expression":
                return self.value(node.child_by_field_name("body"), depth + 1)
            case "identifier" | "member_access_expression":
                return self._named(node, depth)
            case "invocation_expression" if text_of(node.child_by_field_name("function")) == "nameof":
                return text_of(argument_nodes(node)[0]).rpartition(".")[2] if argument_nodes(node) else COMPUTED
            case "object_creation_expression" if text_of(node.child_by_field_name("type")) == "Guid":
                return self.value(argument_nodes(node)[0], depth + 1) if argument_nodes(node) else ZERO
            case "anonymous_object_creation_expression" | "collection_expression" | "initializer_expression":
                return tuple(self.value(child, depth + 1) for child in named(node))
            case kind if kind in ARRAYS:
                inner = next(iter(named(node, "initializer_expression")), None)
                return self.value(inner, depth + 1) if inner is not None else ()
            case kind if kind in WRAPPERS and named(node):
                return self.value(named(node)[-1], depth + 1)
        return COMPUTED

    def _signed(self, node: Node, depth: int) -> Literal:
        value = self.value(named(node)[-1] if named(node) else None, depth + 1)
        return Number(f"-{value.text}") if isinstance(value, Number) and text_of(node)[0] == "-" else COMPUTED

    def _joined(self, node: Node, depth: int) -> Literal:
        sides = [self.value(node.child_by_field_name(side), depth + 1) for side in ("left", "right")]
        is_text = all(isinstance(side, str | Number) for side in sides) and any(isinstance(side, str) for side in sides)
        return "".join(map(as_text, sides)) if is_text else COMPUTED

    def _named(self, node: Node, depth: int) -> Literal:
        """Return what a constant of the file is given; `Guid.Empty`, `x.Id` of a lambda."""
        text = text_of(node)
        if text in EMPTY:
            return EMPTY[text]
        if text == "Guid.Empty":
            return ZERO
        name = text.rpartition(".")[2]
        if (constant := self._constants.get(name)) is not None and constant.type != "lambda_expression":
            return self.value(constant, depth + 1)
        return Reference(name) if text.replace(".", "").isidentifier() else COMPUTED


def _plain_literal(node: Node) -> Literal:
    """Return what a literal says, COMPUTED for any other expression."""
    if (text := string_value(node)) is not None:
        return text
    match node.type:
        case "verbatim_string_literal":
            return text_of(node)[2:-1].replace('""', '"')
        case "raw_string_literal":
            return "".join(text_of(part) for part in named(node, "raw_string_content"))
        case "integer_literal" | "real_literal":
            return Number(SUFFIX.sub("", text_of(node).replace("_", "")))
        case "boolean_literal":
            return text_of(node) == "true"
        case "null_literal":
            return None
    return COMPUTED
