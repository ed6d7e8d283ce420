"""Syntax trees of any language to calls, assignments, members and functions, as the grammars name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.calls import callee, member_parts
from coderag.syntax.trees.node_types import (
    ARGUMENTS,
    CALLS,
    ENUM_MEMBERS,
    GENERICS,
    LITERALS,
    MEMBERS,
    NAMES,
    PARAMETERS,
    PATTERNS,
    TARGET_WRAPPERS,
)
from coderag.syntax.trees.tree import field_or, text_of

__all__ = [
    "APPENDS",
    "CONDITION_CALLS",
    "DEFINING_CALLS",
    "TEXT_KEYS",
    "Argument",
    "Called",
    "argument_named",
    "assigned",
    "bare_name",
    "called",
    "class_name",
    "field_or",
    "looped",
    "member",
    "named_children",
    "parameters",
    "text_of",
    "written",
]

APPENDS = frozenset("+= .= <<= ||= <>=".split())
DEFINING_CALLS = frozenset("def defp defmacro test".split())  # of Elixir
CONDITION_CALLS = frozenset("if unless case cond for".split())  # of Elixir
NO_PROPERTY_VALUE = frozenset("variable_declaration getter setter accessor_list".split())
TEXT_KEYS = frozenset({"sql", "text", "query", "statement"})  # of objects that hold SQL and its values
NAME_FIELDS = ("name", "left", "pattern", "declarator", "target", "property", "key")
VALUE_FIELDS = ("value", "right", "result", "default_value", "alternative")
SPACES = re.compile(r"\s+|\([^()]*\)")
SIGNS = "$@&*:"
MAX_WRITTEN = 200  # characters of a name with its receivers
MAX_UNWRAPPED = 8


class Argument(NamedTuple):
    """An argument of a call: "" as its name for one by position; an entry of a hash among them has its key."""

    node: Node
    name: str = ""


class Called(NamedTuple):
    """A call: the last part of what is called, what stands before it, and the arguments."""

    name: str
    receiver: Node | None
    arguments: tuple[Argument, ...]
    node: Node


def written(node: Node | None) -> str:
    """Return an expression as it is written, without white space and arguments; "" for none and for a long one."""
    if node is None or node.end_byte - node.start_byte > MAX_WRITTEN:
        return ""
    return SPACES.sub("", text_of(node)).replace("?.", ".").replace("->", ".").replace("::", ".").replace("$", "")


def bare_name(node: Node | None) -> str:
    """Return a variable's name without its signs: $x, @x, &x, :x."""
    return text_of(node).strip(SIGNS).strip() if node is not None else ""


def named_children(node: Node) -> list[Node]:
    """Return the named children that are no comments."""
    return [child for child in node.named_children if "comment" not in child.type]


def unwrapped(node: Node) -> Node:
    """Return what stands in nodes that only wrap one other."""
    for _ in range(MAX_UNWRAPPED):
        if node.type not in TARGET_WRAPPERS or node.named_child_count == 0:
            return node
        node = named_children(node)[-1] if named_children(node) else node
        if node.type in LITERALS:
            return node
    return node


def member(node: Node) -> tuple[Node, str] | None:
    """Return the object and the name of a member that is asked for: self.x, A::X, pkg.Name."""
    parts = member_parts(node)
    if parts is None or parts[0] is None:
        return None
    last = parts[1]
    if last.type == "generic_name" and last.named_child_count:
        last = last.named_children[0]
    return parts[0], bare_name(last)


def called(node: Node) -> Called | None:
    """Return a call as what is called and with what; None if no name is called."""
    if node.type == "attribute_item" or (node.type == "call" and node.child_by_field_name("target") is not None):
        return _elixir_call(node) if node.type == "call" else None
    function, receiver = callee(node)
    if function is None:
        return None
    for _ in range(MAX_UNWRAPPED):
        if function.type in GENERICS:
            inner = named_children(function)
            if not inner:
                break
            function = inner[0]
        elif function.type in MEMBERS and receiver is None:
            parts = member_parts(function)
            if parts is None:
                break
            receiver, function = parts
            name = bare_name(function)
            if not name.isidentifier():
                continue
            return Called(name, receiver, tuple(_arguments(node)), node)
        else:
            break
    if function.type in CALLS and receiver is None and function is not node:
        return None  # f(...)(...)
    return Called(bare_name(function).removeprefix("\\"), receiver, tuple(_arguments(node)), node)


def _elixir_call(node: Node) -> Called | None:
    target = node.child_by_field_name("target")
    arguments = tuple(_arguments(node))
    if target is None:
        return None
    if target.type == "dot":
        receiver = target.child_by_field_name("left")
        parent = node.parent
        if parent is not None and parent.type == "binary_operator" and text_of(field_or(parent, "operator")) == "|>":
            left = field_or(parent, "left")
            if left is not None and left != node:
                arguments = (Argument(left), *arguments)
        return Called(text_of(target.child_by_field_name("right")), receiver, arguments, node)
    return Called(text_of(target), None, arguments, node)


def _arguments(node: Node) -> Iterator[Argument]:
    holder = node.child_by_field_name("arguments")
    if holder is None:
        holder = next((child for child in node.named_children if child.type in ARGUMENTS), None)
    if holder is None:
        suffix = next((child for child in node.named_children if child.type == "call_suffix"), None)
        holder = suffix.named_children[0] if suffix is not None and suffix.named_child_count else None
    if holder is None:
        return
    if holder.type in LITERALS:  # a tagged template
        yield Argument(holder)
        return
    for child in named_children(holder):
        yield from _argument(child)


def _argument(node: Node) -> Iterator[Argument]:
    if node.type == "keywords":
        for child in named_children(node):
            yield from _argument(child)
        return
    name = field_or(node, "name", "key")
    value = field_or(node, "value")
    if node.type in {"keyword_argument", "named_argument", "element_value_pair", "pair"} and value is not None:
        yield Argument(value, bare_name(name).rstrip(": "))
        return
    if node.type in {"argument", "value_argument", "attribute_argument"}:
        inner = named_children(node)
        if not inner:
            return
        if len(inner) > 1 and (name is not None or inner[0].type in {"identifier", "name", "value_argument_label"}):
            yield Argument(inner[-1], bare_name(name or inner[0]).rstrip(":= "))
            return
        yield Argument(inner[-1])
        return
    yield Argument(node)


def argument_named(call: Called, position: int, *names: str) -> Node | None:
    """Return the argument of one of some names, else the one at a position among those without names."""
    for argument in call.arguments:
        if argument.name and argument.name in names:
            return argument.node
    plain = [argument.node for argument in call.arguments if not argument.name]
    return plain[position] if 0 <= position < len(plain) else None


def assigned(node: Node) -> Iterator[tuple[Node, Node | None, str]]:
    """Yield the targets of an assignment or declaration, each with its value and the operator.

    a, b = 1, 2             -> (a, 1, "="), (b, 2, "=")
    sql, args = build()     -> (sql, build(), "=")
    const {sql} = build()   -> (sql, build(), "=")
    $sql .= " WHERE a = 1"  -> ($sql, " WHERE a = 1", ".=")
    """
    target, value = _sides(node)
    if target is None:
        return
    operator = _assignment_operator(node)
    if value is not None and value.type == "arrow_expression_clause" and value.named_child_count:
        value = value.named_children[0]
    if node.type in ENUM_MEMBERS:
        first = next(_arguments(node), None)
        if first is not None:
            yield target, first.node, operator
        return
    if value is not None and (target.type == "object_pattern" or target.type in PATTERNS):
        yield from ((name, part, operator) for name, part in _destructured(target, value))
        return
    if value is not None and value.type == "expression_list":
        values = named_children(value)
        value = values[0] if len(values) == 1 else None
    yield _target(target), value, operator


def _assignment_operator(node: Node) -> str:
    operator = text_of(node.child_by_field_name("operator")) or "="
    return "+=" if operator == "=" and node.type == "operator_assignment" else operator


def _sides(node: Node) -> tuple[Node | None, Node | None]:
    """Return the target and the value of an assignment: by their fields, else by their position."""
    target, value = field_or(node, *NAME_FIELDS), field_or(node, *VALUE_FIELDS)
    if target is not None and value is not None:
        return target, value
    children = named_children(node)
    if not children:
        return target, value
    if node.type == "property_declaration":  # of Kotlin: no fields
        target = target or next((child for child in children if child.type == "variable_declaration"), None)
        if value is None and children[-1].type not in NO_PROPERTY_VALUE:
            value = children[-1]
    target = target or children[0]
    if value is None and len(children) > 1 and children[-1] not in (target, node.child_by_field_name("type")):
        value = children[-1]
    return target, value


def _destructured(target: Node, value: Node) -> list[tuple[Node, Node]]:
    """Return the names of a pattern with their values; of a call's several results the first is the text."""
    names = named_children(target)
    if target.type == "object_pattern":  # const { sql, values } = build()
        return [(name, value) for name in names if bare_name(name) in TEXT_KEYS]
    values = named_children(value) if value.type in PATTERNS else [value]
    if len(names) == len(values):
        return list(zip(names, values, strict=True))
    if names and len(values) == 1:  # sql, arguments = build()
        return [(_target(names[0]), values[0])]
    return []


def looped(node: Node) -> tuple[Node, Node] | None:
    """Return the variable of a loop and what it goes over; of a key and a value the value."""
    names, values = field_or(node, "left", "name"), field_or(node, "right", "value")
    if names is None and node.type == "foreach_statement":  # of PHP: foreach ($values as $name)
        children = named_children(node)
        values, names = (children[0], children[1]) if len(children) > 2 else (None, None)
    if names is None or values is None:
        return None
    if names.type in PATTERNS and named_children(names):
        names = named_children(names)[-1]
    return names, values


def _target(node: Node) -> Node:
    for _ in range(MAX_UNWRAPPED):
        if node.type in {"pointer_declarator", "reference_declarator", "array_declarator", "mut_pattern"} or (
            node.type in TARGET_WRAPPERS
        ):
            inner = named_children(node)
            if not inner:
                return node
            node = inner[0] if node.type in {"array_declarator", "variable_declaration"} else inner[-1]
        else:
            return node
    return node


def parameters(function: Node) -> list[str]:
    """Return the names of a function's parameters in order; "" for one that is destructured."""
    names: list[str] = []
    for node in _parameter_nodes(function):
        plain = [name for name in node.children_by_field_name("name") if name.type in NAMES]
        names += [bare_name(name) for name in plain] if plain else [_parameter(node)]
    return names


def _parameter_nodes(function: Node) -> list[Node]:
    holder = _elixir_parameters(function) if function.type == "call" else _parameter_list(function)
    if holder is not None:
        return named_children(holder)
    single = field_or(function, "parameter")
    return [single] if single is not None else [child for child in function.named_children if child.type == "parameter"]


def _parameter_list(function: Node) -> Node | None:
    """Return the node around a function's parameters; in C and C++ it is in the declarator."""
    holder = field_or(function, "parameters")
    if holder is None and (declarator := function.child_by_field_name("declarator")) is not None:
        holder = field_or(declarator, "parameters")
    return holder or next((child for child in function.named_children if child.type in PARAMETERS), None)


def _elixir_parameters(definition: Node) -> Node | None:
    """Return the node around the parameters of def f(x, y)."""
    call = called(definition)
    if call is None or not call.arguments:
        return None
    return next((child for child in call.arguments[0].node.named_children if child.type == "arguments"), None)


def _parameter(node: Node) -> str:
    for _ in range(MAX_UNWRAPPED):
        if node.type in NAMES:
            return bare_name(node)
        inner = field_or(node, "name", "pattern", "declarator", "left") or next(iter(named_children(node)), None)
        if inner is None:
            return ""
        node = inner
    return ""


def class_name(node: Node) -> str:
    """Return the name of a class, an impl or a module."""
    return bare_name(field_or(node, "name", "type") or next(iter(named_children(node)), None))
