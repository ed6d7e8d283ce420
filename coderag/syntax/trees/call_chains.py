"""Chained calls, `a.b(x).c(y)`, in any language as one list of links: name, arguments, closures."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.calls import callee, member_parts
from coderag.syntax.trees.node_types import (
    ARGUMENT_LISTS,
    CHAIN_NAMES,
    CHAIN_WRAPPERS,
    CLOSURES,
    MEMBER_FIELDS,
    PAIRS,
)
from coderag.syntax.trees.nodes import Argument, field_or
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import named, text_of

__all__ = [
    "Argument",
    "Chain",
    "Link",
    "chain_of",
    "chains_in",
    "entries",
    "items",
    "literal",
    "top_below",
    "top_of",
    "unwrapped",
]

MAX_LINKS = 200
PLAIN_CALL = 2  # what is called, and its arguments
MAX_NODES = 20_000  # of an expression that is searched
UNWRAPPED = CHAIN_WRAPPERS | {"unary_expression"}


class Link(NamedTuple):
    """A name in a chain, and what it is called with; the first one is what the chain begins with."""

    name: str  # "" if the chain begins with something else than a name; "[]" for an element
    node: Node  # where the name stands, or what else the chain begins with
    arguments: tuple[Argument, ...] | None = None  # None: it is not called
    types: tuple[str, ...] = ()  # type arguments: Set<User>()
    made: bool = False  # an object of it is made: new User(...), User{...}

    def argument(self, position: int) -> Node | None:
        """Return a positional argument."""
        nodes = [argument.node for argument in self.arguments or () if not argument.name]
        return nodes[position] if position < len(nodes) else None

    def keyword(self, *names: str) -> Node | None:
        """Return the argument of one of some names."""
        return next((argument.node for argument in self.arguments or () if argument.name in names), None)

    @property
    def keywords(self) -> dict[str, Node]:
        """The arguments that have names, by these."""
        return {argument.name: argument.node for argument in self.arguments or () if argument.name}


class Chain(NamedTuple):
    """An expression that begins with a name or a value and goes on with names and calls."""

    node: Node
    links: tuple[Link, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the links."""
        return tuple(link.name for link in self.links)

    def find(self, *names: str) -> Link | None:
        """Return the first call of one of some names behind the beginning."""
        return next((link for link in self.links[1:] if link.name in names and link.arguments is not None), None)


Step = tuple[Node | None, Link]  # what the link hangs on, None at the beginning


def _member(node: Node) -> Step | None:
    parts = member_parts(node)
    if parts is None:
        return None
    name, types = _generic(parts[1])
    return parts[0], Link(name, parts[1], None, types)


def _generic(node: Node) -> tuple[str, tuple[str, ...]]:
    """Return a name without type arguments, and these."""
    if node.type in {"generic_name", "generic_function", "generic_type"}:
        inner = named(node)
        types = next((one for one in inner if "type_argument" in one.type), None)
        return text_of(inner[0]) if inner else "", tuple(text_of(child) for child in named(types))
    return text_of(node).removeprefix("$"), ()


def _called(node: Node) -> Step | None:
    """Read a call whose function is an expression."""
    function, _ = callee(node)
    if function is None:
        return None
    types: tuple[str, ...] = ()
    if node.named_child_count > PLAIN_CALL:
        types = tuple(text_of(child) for holder in named(node, "type_arguments") for child in named(holder))
    if function.type == "generic_function":
        inner = field_or(function, "function")
        types = tuple(text_of(child) for child in named(field_or(function, "type_arguments")))
        function = inner or function
    function = unwrapped(function) or function  # `await db<User>("users")` is read as `(await db)<User>("users")`
    arguments = _arguments(node)
    if function.type == "call_expression" and named(node, "annotated_lambda"):  # f(x) { ... } of Kotlin
        step = _called(function)
        if step is not None and step[1].arguments is not None:
            return step[0], step[1]._replace(arguments=(*step[1].arguments, *arguments))
    step = _step(function)
    if step is None:
        return function, Link("", function, arguments, types)
    inner_node, link = step
    if link.arguments is not None or (inner_node is None and not link.name):
        return function, Link("", node, arguments, types)
    return inner_node, link._replace(arguments=arguments, types=types or link.types)


def _python_call(node: Node, function: Node) -> Step | None:
    """Read a call of Python, of a method or a name with few looks at the tree: there are very many of these."""
    kind = function.type
    if kind not in {"attribute", "identifier"}:
        return _called(node)
    read: list[Argument] = []
    arguments = node.child_by_field_name("arguments")
    for one in arguments.named_children if arguments is not None and arguments.type in ARGUMENT_LISTS else ():
        name = one.child_by_field_name("name") if one.type == "keyword_argument" else None
        if name is not None:
            value = unwrapped(one.child_by_field_name("value"))
            read += [Argument(value, text_of(name))] if value is not None else []
        elif one.type != "comment":
            read.append(Argument(one))
    if kind == "identifier":
        return None, Link(text_of(function), function, tuple(read))
    name = function.child_by_field_name("attribute")
    if name is None:
        return None
    return function.child_by_field_name("object"), Link(text_of(name), name, tuple(read))


def _ruby_or_other_call(node: Node) -> Step | None:
    """Read a node named `call`: of Python, of Elixir, or of Ruby, whose receiver and method are fields."""
    if (function := node.child_by_field_name("function")) is not None:
        return _python_call(node, function)
    method = node.child_by_field_name("method")
    receiver = node.child_by_field_name("receiver")
    if method is None and receiver is None:
        return _called(node)
    if method is None:
        return None
    called = node.child_by_field_name("arguments") is not None or node.child_by_field_name("block") is not None
    arguments = _arguments(node)
    return receiver, Link(text_of(method), method, arguments if called or receiver is not None else None)


def _method(node: Node) -> Step | None:
    """Read a call whose method is a field: of Java and PHP."""
    name, receiver = callee(node)
    if name is None:
        return None
    return receiver, Link(text_of(name).removeprefix("$"), name, _arguments(node))


def _made(node: Node) -> Step | None:
    """Read the making of an object."""
    kind, _ = callee(node)
    if kind is None or kind.type == "anonymous_class":
        return None
    name, types = _generic(kind)
    arguments = list(_arguments(node))
    body = field_or(node, "initializer", "body")
    if body is not None:
        arguments += [Argument(value, key) for key, value in entries(body)]
    return None, Link(name, kind, tuple(arguments), types, made=True)


def _element(node: Node) -> Step | None:
    inner = field_or(node, "value", "object", "operand", "expression", "receiver") or next(iter(named(node)), None)
    if inner is None:
        return None
    arguments = tuple(Argument(child) for child in named(node) if child.id != inner.id)
    return inner, Link("[]", node, arguments)


def _pipe(node: Node) -> Step | None:
    """Read `value |> call(...)` as a link of the value."""
    operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
    if operator is None or operator.type != "|>" or right is None:
        return None
    target = right.child_by_field_name("target") or right
    arguments = _arguments(right) if right.type == "call" else ()
    return node.child_by_field_name("left"), Link(text_of(target), target, arguments)


STEPS: Mapping[str, Callable[[Node], Step | None]] = {
    **dict.fromkeys(MEMBER_FIELDS, _member),
    "navigation_expression": _member,
    "call": _ruby_or_other_call,
    "call_expression": _called,
    "invocation_expression": _called,
    "method_invocation": _method,
    "member_call_expression": _method,
    "nullsafe_member_call_expression": _method,
    "scoped_call_expression": _method,
    "function_call_expression": _called,
    "new_expression": _made,
    "object_creation_expression": _made,
    "composite_literal": _made,
    "struct_expression": _made,
    "subscript": _element,
    "subscript_expression": _element,
    "index_expression": _element,
    "element_access_expression": _element,
    "element_reference": _element,
    "binary_operator": _pipe,
}


def _step(node: Node) -> Step | None:
    """Return the last link of an expression and what it hangs on; None if it is neither a name nor a call."""
    kind = node.type
    if kind in CHAIN_NAMES:
        return None, Link(text_of(node).removeprefix("$"), node)
    reads = STEPS.get(kind)
    return reads(node) if reads is not None else None


def _arguments(call: Node) -> tuple[Argument, ...]:
    """Return the arguments of a call, closures behind it included."""
    arguments: list[Argument] = []
    for child in call.named_children:
        kind = child.type
        if kind in ARGUMENT_LISTS:
            for node in named(child):
                arguments += _argument(node)
        elif kind in CLOSURES or kind == "template_string":
            arguments.append(Argument(child))
    return tuple(arguments)


def _argument(node: Node) -> Iterator[Argument]:
    kind = node.type
    if kind == "keywords":
        for pair in named(node, "pair"):
            yield from _argument(pair)
    elif kind in PAIRS:
        for key, value in _entry(node):
            yield Argument(value, key)
    elif kind in {"argument", "value_argument"}:
        parts = named(node)
        if len(parts) == 2:
            yield Argument(parts[1], text_of(parts[0]).rstrip(":"))
        elif parts:
            yield Argument(parts[-1])
    elif kind not in ARGUMENT_LISTS:
        yield Argument(node)


def unwrapped(node: Node | None) -> Node | None:
    """Return an expression without what stands around it: parentheses, await, `&`, `!`."""
    for _ in range(MAX_LINKS):
        kind = node.type if node is not None else ""
        if node is None or kind not in UNWRAPPED:
            return node
        if kind in CHAIN_WRAPPERS:
            inner = named(node)
            if not inner:
                return node
            node = node.child_by_field_name("value") or inner[-1 if kind == "cast_expression" else 0]
        elif (node.text or b"")[:1] in (b"&", b"*"):
            node = node.child_by_field_name("operand")
        else:
            return node
    return node


def chain_of(node: Node | None) -> Chain | None:
    """Return an expression as a chain; None for nothing, and for one that begins with no name goes on with none."""
    links: list[Link] = []
    current = expression = unwrapped(node)
    if expression is None:
        return None
    for _ in range(MAX_LINKS):
        current = unwrapped(current)
        if current is None:
            break
        step = _step(current)
        if step is None:
            links.append(Link("", current))
            break
        current, link = step
        links.append(link)
    if current is not None and len(links) >= MAX_LINKS:
        return None
    return Chain(expression, tuple(reversed(links)))


def top_of(node: Node) -> Node:
    """Return the whole chain that a name stands in as a link, of a longer one MAX_LINKS nodes."""
    return top_below(node, ()) or node


def top_below(node: Node, given_up: Container[int]) -> Node | None:
    """Return the whole chain that a name stands in, None for one that begins where an earlier one was too long.

    The way to a parent is as long as the tree is deep, so a chain without end is climbed once, not from each link.
    """
    top = node
    parent = node.parent
    for _ in range(MAX_LINKS):
        if parent is None:
            break
        if parent.start_byte in given_up and parent.type in STEPS:
            return None
        if parent.type in STEPS:
            if parent.type == "binary_operator" and (
                (operator := parent.child_by_field_name("operator")) is None or operator.type != "|>"
            ):
                break
            if any(
                child.type in ARGUMENT_LISTS and child.start_byte <= top.start_byte for child in parent.named_children
            ) and (parent.start_byte != top.start_byte):
                break
            top = parent
        elif (
            parent.type not in CHAIN_WRAPPERS
            and parent.type != "arguments"
            and parent.type not in {"generic_name", "generic_function"}
        ) or parent.type in {"argument", "value_argument", "literal_element", "arguments"}:
            break
        parent = parent.parent
    return top


def chains_in(node: Node | None, *, skip: frozenset[str] = frozenset()) -> Iterator[Chain]:
    """Yield the chains of an expression, the largest first, then those among their arguments; `skip` names nodes."""
    if node is None:
        return
    waiting = [node]
    left = MAX_NODES
    while waiting and left > 0:
        left -= 1
        one = waiting.pop()
        if one.type in skip or "comment" in one.type:
            continue
        if one.type in CHAIN_NAMES or one.type in STEPS:
            chain = chain_of(one)
            if chain is not None and chain.links:
                yield chain
                for link in chain.links:
                    waiting += reversed([argument.node for argument in link.arguments or ()])
                first = chain.links[0]
                if not first.name:
                    waiting += reversed(first.node.named_children)
                continue
        waiting += reversed(one.named_children)


def literal(node: Node | None) -> str | None:
    """Return what a string or symbol says, None for anything else."""
    node = unwrapped(node)
    if node is None:
        return None
    if node.type in {"simple_symbol", "atom", "hash_key_symbol", "quoted_atom"}:
        return text_of(node).strip(":\"'")
    if node.type in {"keyword"}:
        return text_of(node).strip().rstrip(":")
    return string_value(node)


def _entry(pair: Node) -> Iterator[tuple[str, Node]]:
    """Yield the name and value of an entry of a literal, where its name is written."""
    key = field_or(pair, "name", "key", "field")
    value = pair.child_by_field_name("value")
    if key is None or value is None:
        parts = named(pair)
        if len(parts) != 2:
            return
        key, value = parts
    key = unwrapped(key) or key
    name = text_of(key).rstrip(": ") if key.type in CHAIN_NAMES else literal(key)
    if name is None and key.type in {"keyword", "hash_key_symbol"}:
        name = text_of(key).rstrip(": ")
    if name is None and (chain := chain_of(key)) is not None:  # {User.name: x}, {[users.name]: x}
        name = ".".join(chain.names)
    if name:
        yield name, unwrapped(value) or value


def entries(node: Node | None) -> list[tuple[str, Node]]:
    """Return the entries of an object, dict, hash, map or struct literal by name; those with computed keys are left."""
    node = unwrapped(node)
    if node is None:
        return []
    if node.type == "composite_literal":
        node = node.child_by_field_name("body")
    pairs: list[tuple[str, Node]] = []
    for child in named(node):
        if child.type in PAIRS or child.type in {"assignment_expression"}:
            if child.type == "assignment_expression":
                left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
                if left is not None and right is not None:
                    pairs.append((text_of(left), right))
            else:
                pairs += _entry(child)
        elif child.type in {"shorthand_property_identifier", "shorthand_field_initializer"}:
            pairs.append((text_of(child), child))
        elif child.type == "map_content" or child.type == "keywords":
            pairs += entries(child)
        elif child.type == "method_definition":
            pairs.append((text_of(child.child_by_field_name("name")), child))
    return pairs


def items(node: Node | None) -> list[Node]:
    """Return the elements of a list, tuple, array or slice literal; of anything else, itself."""
    node = unwrapped(node)
    if node is None:
        return []
    if node.type == "composite_literal":
        node = node.child_by_field_name("body")
    if node is not None and node.type in {
        "list",
        "tuple",
        "array",
        "set",
        "tuple_expression",
        "array_expression",
        "array_creation_expression",
        "literal_value",
        "expression_list",
        "macro_invocation",
        "symbol_array",
        "initializer_expression",
        "string_array",
        "bitstring",
    }:
        return [unwrapped(child) or child for child in named(node) if child.type not in PAIRS]
    return [node] if node is not None else []
