"""JavaScript's and TypeScript's literals, calls and chains of calls, out of the syntax tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.literals import COMPUTED, Computed, Literal, Number, Raw, Reference, as_text
from coderag.syntax.trees.node_types import JAVASCRIPT_FUNCTIONS, TYPE_WRAPPERS
from coderag.syntax.trees.string_literals import string_value, unescaped
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["Code", "Link", "function_body", "function_parameters", "unwrapped"]

MAX_DEPTH = 20  # of literals in literals


class Link(NamedTuple):
    """A call in a chain: `text("name")` and `notNull()` of `text("name").notNull()`."""

    name: str
    arguments: Sequence[Node]
    node: Node


class Code:
    """A file of JavaScript or TypeScript: its tree and its constants and enums."""

    def __init__(self, data: bytes, language: str) -> None:
        self.root = parse(data, language)
        self._bound: dict[str, Literal] = {}

    def bind(self, name: str, value: Literal) -> None:
        """Let a name stand for a value from here on: the variable of a loop over literals."""
        self._bound[name] = value

    @cached_property
    def enums(self) -> Mapping[str, Mapping[str, Literal]]:
        """The enums of the file: what each name stands for."""
        return {
            text_of(node.child_by_field_name("name")): self._enum(node)
            for node in descendants(self.root, "enum_declaration")
        }

    @cached_property
    def constants(self) -> Mapping[str, Node]:
        """What the names at the top of the file are assigned."""
        found: dict[str, Node] = {}
        for statement in named(self.root):
            declaration = statement.child_by_field_name("declaration") or statement
            for child in named(declaration, "variable_declarator"):
                value = child.child_by_field_name("value")
                if value is not None:
                    found.setdefault(text_of(child.child_by_field_name("name")), unwrapped(value))
        return found

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what a literal says; any other name is a Reference, everything else COMPUTED.

        `["a", 1n]` -> ("a", Number("1")); `{ null: false }` -> {"null": False}; `DataTypes.TEXT` -> a Reference
        """
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        node = unwrapped(node)
        match node.type:
            case "string" | "template_string":
                text = string_value(node)
                return text if text is not None else self._filled(node, depth)
            case "number":
                return Number(text_of(node).replace("_", "").removesuffix("n"))
            case "unary_expression":
                value = self.value(node.child_by_field_name("argument"), depth + 1)
                return Number(f"-{value.text}") if isinstance(value, Number) and text_of(node)[0] == "-" else COMPUTED
            case "true" | "false":
                return node.type == "true"
            case "null" | "undefined":
                return None
            case "array":
                return tuple(self.value(child, depth + 1) for child in named(node))
            case "object":
                return self._object(node, depth)
            case "identifier" | "member_expression" | "type_identifier" | "nested_identifier":
                return self._name(text_of(node), depth)
            case "arrow_function" | "function_expression":
                return self._of_function(node, depth)
            case "call_expression":
                return self._of_call(node, depth)
            case "new_expression":  # new Table({...}) is described by what it is given
                values = named(node.child_by_field_name("arguments"))
                given = self.value(values[0], depth + 1) if values else COMPUTED
                return given if isinstance(given, dict) else COMPUTED
        return COMPUTED

    def chain(self, node: Node) -> list[Link]:
        """Return the calls of a chain in order, the first one innermost; its name may have dots."""
        links: list[Link] = []
        node = unwrapped(node)
        while node.type == "call_expression":
            function = node.child_by_field_name("function")
            arguments = named(node.child_by_field_name("arguments"))
            if function is None:
                return []
            function = unwrapped(function)
            receiver = function.child_by_field_name("object")
            receiver = unwrapped(receiver) if receiver is not None else None
            if function.type == "member_expression" and receiver is not None and receiver.type == "call_expression":
                links.append(Link(text_of(function.child_by_field_name("property")), arguments, node))
                node = receiver
                continue
            name = "".join(text_of(function).split())  # the dots may begin rows
            links.append(Link(name, arguments, node))
            break
        return links[::-1]

    def _object(self, node: Node, depth: int) -> Literal:
        found: dict[str, Literal] = {}
        for child in named(node):
            if child.type == "pair":
                key = child.child_by_field_name("key")
                name = string_value(key) if key is not None and key.type == "string" else text_of(key)
                if key is not None and name and key.type != "computed_property_name":
                    found[name] = self.value(child.child_by_field_name("value"), depth + 1)
            elif child.type == "shorthand_property_identifier":
                found[text_of(child)] = self._name(text_of(child), depth)
            elif child.type == "spread_element":
                spread = self.value(named(child)[0], depth + 1) if named(child) else COMPUTED
                found.update(spread if isinstance(spread, dict) else {})
            elif child.type == "method_definition":
                found[text_of(child.child_by_field_name("name"))] = COMPUTED
        return found

    def _filled(self, node: Node, depth: int) -> Literal:
        """Return a template with the values that its names stand for; COMPUTED where one of them is not known."""
        parts = []
        for child in node.named_children:
            inner = named(child)
            is_filled = child.type == "template_substitution" and len(inner) == 1
            part = self.value(inner[0], depth + 1) if is_filled else unescaped(text_of(child))
            if not isinstance(part, str | Number):
                return COMPUTED
            parts.append(as_text(part))
        return "".join(parts)

    def _name(self, name: str, depth: int) -> Literal:
        if name in self._bound:
            return self._bound[name]
        if (constant := self.constants.get(name)) is not None and constant.type not in {"call_expression", "class"}:
            value = self.value(constant, depth + 1)
            return Reference(name) if isinstance(value, Computed | Reference) else value
        owner, _, member = name.rpartition(".")
        if owner in self.enums and member in self.enums[owner]:
            return self.enums[owner][member]
        if owner and depth < MAX_DEPTH:
            holder = self._name(owner, depth + 1)
            if isinstance(holder, dict) and member in holder:
                return holder[member]
        return Reference(name)

    def _of_function(self, node: Node, depth: int) -> Literal:
        """Return what a function gives that does nothing but return it; a string is SQL then."""
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            returned = named(body, "return_statement")
            body = named(returned[0])[0] if len(returned) == 1 and named(returned[0]) else None
        value = self.value(body, depth + 1)
        return Raw(value) if isinstance(value, str) else value

    def _of_call(self, node: Node, depth: int) -> Literal:
        function = text_of(node.child_by_field_name("function"))
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and arguments.type == "template_string":
            text = (
                string_value(arguments) if function.rpartition(".")[2] == "sql" or function.startswith("sql<") else None
            )
            return Raw(text) if text is not None else COMPUTED
        values = named(arguments)
        if function in {"Object.values", "Object.keys"} and len(values) == 1:
            members: object = self.enums.get(text_of(values[0])) or self.value(values[0], depth + 1)
            if isinstance(members, Mapping):
                return tuple(members.values() if function == "Object.values" else members)
        if function in {"sql.raw", "knex.raw", "raw", "literal", "Sequelize.literal"} and values:
            written = self.value(values[0], depth + 1)
            return Raw(written) if isinstance(written, str) else COMPUTED
        return COMPUTED

    def _enum(self, node: Node) -> dict[str, Literal]:
        found: dict[str, Literal] = {}
        number = 0
        for child in named(node.child_by_field_name("body")):
            assigned = child.child_by_field_name("value")
            name = child.child_by_field_name("name") if child.type == "enum_assignment" else child
            key = string_value(name) if name is not None and name.type == "string" else text_of(name)
            value: Literal = Number(str(number))
            if assigned is not None:
                literal = assigned.type in {"string", "number", "template_string", "unary_expression"}
                value = self.value(assigned) if literal else COMPUTED
            found[str(key)] = value
            text = as_text(value) if isinstance(value, Number) else ""
            number = int(text) + 1 if text.lstrip("-").isdecimal() else number + 1
        return found


def unwrapped(node: Node) -> Node:
    """Return the value within parentheses, assertions of types and `await`."""
    while node.type in TYPE_WRAPPERS and (inner := named(node)):
        node = inner[0]
    return node


def function_body(node: Node | None) -> list[Node]:
    """Return the statements of a function, or the expression that an arrow function returns."""
    node = unwrapped(node) if node is not None else None
    if node is None or node.type not in JAVASCRIPT_FUNCTIONS:
        return []
    body = node.child_by_field_name("body")
    if body is None:
        return []
    return named(body) if body.type == "statement_block" else [body]


def function_parameters(node: Node | None) -> list[str]:
    """Return the names of a function's parameters."""
    node = unwrapped(node) if node is not None else None
    if node is None or node.type not in JAVASCRIPT_FUNCTIONS:
        return []
    single = node.child_by_field_name("parameter")
    if single is not None:
        return [text_of(single)]
    parameters = named(node.child_by_field_name("parameters"))
    return [text_of(parameter.child_by_field_name("pattern") or parameter) for parameter in parameters]
