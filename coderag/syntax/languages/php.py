"""PHP's literals, and what the names of a class and a function stand for, out of the syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from tree_sitter import Node

from coderag.syntax.trees.call_chains import chain_of
from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Raw, Reference, as_text
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["PhpValues"]

MAX_DEPTH = 40  # of literals in literals
OWN = ("self::", "static::", "$this->")
RAW = frozenset({"raw", "Expression"})
CLASS = "::class"


class PhpValues:
    """The values of a file of PHP: its literals, the constants of its classes, and what variables are bound to."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._bound: dict[str, Literal] = {}

    def bind(self, name: str, value: Literal) -> None:
        """Let a variable, "$name", stand for a value from here on."""
        self._bound[name] = value

    @cached_property
    def _members(self) -> Mapping[str, Node]:
        """What constants and properties of the file's classes are given, by "self::NAME" and "$this->name"."""
        found: dict[str, Node] = {}
        for node in descendants(self._root, "const_element", "property_element"):
            children = named(node)
            if len(children) > 1:
                name = text_of(children[0])
                key = f"$this->{name[1:]}" if name.startswith("$") else f"self::{name}"
                found.setdefault(key, children[-1])
        return found

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what an expression says; a class is a Reference, what is known at run time only COMPUTED.

        `'a' . 'b'` -> "ab"; `-5` -> Number("-5"); `User::class` -> Reference("User"); `rand(9)` -> COMPUTED
        """
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        match node.type:
            case "string" | "encapsed_string":
                text = string_value(node)
                return text if text is not None else self._filled(node, depth)
            case "heredoc" | "nowdoc":
                return self._document(node, depth)
            case "integer" | "float":
                return Number(text_of(node).replace("_", ""))
            case "boolean":
                return text_of(node).lower() == "true"
            case "null":
                return None
            case "unary_op_expression":
                inner = named(node)
                value = self.value(inner[-1], depth + 1) if inner else COMPUTED
                return Number(f"-{value.text}") if isinstance(value, Number) and text_of(node)[0] == "-" else COMPUTED
            case "parenthesized_expression" | "argument" | "array_element_initializer":
                inner = named(node)
                return self.value(inner[-1], depth + 1) if inner else COMPUTED
            case "array_creation_expression":
                return self._array(node, depth)
            case "binary_expression":
                return self._joined(node, depth)
            case "variable_name":
                return self._bound.get(text_of(node), COMPUTED)
            case "class_constant_access_expression" | "member_access_expression" | "scoped_property_access_expression":
                return self._member(text_of(node), depth)
            case "scoped_call_expression" | "object_creation_expression" | "member_call_expression":
                return self._raw(node, depth)
        return COMPUTED

    def _member(self, text: str, depth: int) -> Literal:
        if text.endswith(CLASS):
            return Reference(text.removesuffix(CLASS))
        if text.startswith(OWN):
            key = text.replace("static::", "self::", 1).replace("self::$", "$this->", 1)
            return self.value(self._members.get(key), depth + 1)
        return COMPUTED

    def _array(self, node: Node, depth: int) -> Literal:
        elements = named(node, "array_element_initializer")
        if not any(len(named(element)) > 1 for element in elements):
            return tuple(self.value(element, depth + 1) for element in elements)
        found: dict[str, Literal] = {}
        for element in elements:
            parts = named(element)
            key = as_text(self.value(parts[0], depth + 1)) if len(parts) > 1 else str(len(found))
            found[key] = self.value(parts[-1], depth + 1)
        return found

    def _joined(self, node: Node, depth: int) -> Literal:
        parts = [self.value(child, depth + 1) for child in named(node)]
        is_text = text_of(node.child_by_field_name("operator")) == "."
        if not is_text or not all(isinstance(part, str | Number) for part in parts):
            return COMPUTED
        return "".join(map(as_text, parts))

    def _filled(self, node: Node, depth: int) -> Literal:
        parts = []
        for child in named(node):
            part = text_of(child) if "string" in child.type else self.value(child, depth + 1)
            if not isinstance(part, str | Number):
                return COMPUTED
            parts.append(as_text(part))
        return "".join(parts)

    def _document(self, node: Node, depth: int) -> Literal:
        body = next((child for child in node.named_children if child.type in {"heredoc_body", "nowdoc_body"}), None)
        if body is None:
            return ""
        if body.type == "nowdoc_body":
            return text_of(body)
        return self._filled(body, depth)

    def _raw(self, node: Node, depth: int) -> Literal:
        """Return the SQL of DB::raw("now()") and new Expression("now()")."""
        chain = chain_of(node)
        last = chain.links[-1] if chain is not None and chain.links else None
        if last is None or last.name.rpartition("\\")[2] not in RAW or not last.arguments:
            return COMPUTED
        text = self.value(last.arguments[0].node, depth + 1)
        return Raw(text) if isinstance(text, str) else COMPUTED
