"""Expressions to what they say, as far as their file tells: literals joined, formatted, built up, held by names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tree_sitter import Node

from coderag.sql.in_code.evaluation.arguments import text_argument
from coderag.sql.in_code.evaluation.calls import Calls
from coderag.sql.in_code.evaluation.expressions import MAX_DEPTH, MAX_ELEMENTS, flat, hole_of
from coderag.sql.in_code.evaluation.formats import filled_percents
from coderag.sql.in_code.evaluation.string_accumulation import between
from coderag.sql.in_code.evaluation.string_values import NOTHING, Hole, Text, Value, choice
from coderag.syntax.trees.local_scopes import Scope
from coderag.syntax.trees.node_types import (
    BINARY,
    BRANCHES,
    CALLS,
    CONCATENATED,
    CONDITIONALS,
    LISTS,
    LITERALS,
    MEMBERS,
    NAMES,
    PATTERNS,
    SUBSCRIPTS,
    TERNARY,
    TRANSPARENT,
    UNARY,
)
from coderag.syntax.trees.nodes import bare_name, called, field_or, named_children, text_of
from coderag.syntax.trees.string_literals import Variable, literal_pieces, unquoted

__all__ = ["Values"]

MAX_LITERAL = 65_536  # bytes; a longer one is not text that anybody wrote
JOINING = frozenset({"+", ".", "<>", "++", "<<", "..", "/"})
SPREADING = frozenset({"||", "??", "or", "?:", "|", "|||"})


FIRST_COUNTS = frozenset({"as_expression", "as_pattern"})  # behind the first child is a type or a name


class _Operation(NamedTuple):
    node: Node
    left: Node
    operator: str
    right: Node


class Values(Calls):
    """What the expressions of one file say."""

    def read(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what an expression says that was not evaluated before, by the type of its node.

        `"SELECT " + "1"` is the text "SELECT 1", `"SELECT " + column` the text "SELECT " and a hole.
        """
        reader = READERS.get(node.type)
        return reader(self, node, scope, depth) if reader is not None else (hole_of(node),)

    def _adjacent(self, node: Node, scope: Scope, depth: int) -> Value:
        return self.joined(named_children(node), scope, depth)

    def _definition(self, node: Node, _scope: Scope, _depth: int) -> Value:
        """Return what a macro of C stands for: #define FIND "SELECT 1"."""
        return (Text(unquoted(text_of(node)), node.start_byte, node.end_byte),)

    def _call(self, node: Node, scope: Scope, depth: int) -> Value:
        call = called(node)
        return self.call(call, scope, depth) if call is not None else (hole_of(node),)

    def _unary(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what an attribute of an Elixir module says: @find."""
        if self.language != "elixir":
            return (hole_of(node),)
        return self.member_value("", bare_name(node.child_by_field_name("operand")), node, scope, depth)

    def _name(self, node: Node, scope: Scope, depth: int) -> Value:
        return self.of_name(bare_name(node), node, scope, depth=depth)

    def _object(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return the text of an object that holds SQL: { text: "SELECT 1", values: [] }."""
        text = text_argument(node)
        return self.of(text, scope, depth=depth) if text != node else (hole_of(node),)

    def _list(self, node: Node, _scope: Scope, _depth: int) -> Value:
        body = node.child_by_field_name("body") or node
        return (hole_of(node),) if body.named_child_count else NOTHING

    def _transparent(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what stands in a node that only wraps it."""
        inner = named_children(node)
        if not inner:
            return NOTHING if text_of(node).strip() in {"", "()"} else (hole_of(node),)
        if node.type in PATTERNS and len(inner) > 1:  # return sql, arguments
            values = [self.of(child, scope, depth=depth) for child in inner]
            return next((value for value in values if _has_text(value)), (hole_of(node),))
        if node.type in UNARY and text_of(node)[:1] not in "&*(a+-":
            return (hole_of(node),)
        return self.of(inner[0] if node.type in FIRST_COUNTS else inner[-1], scope, depth=depth)

    def _literal(self, node: Node, scope: Scope, depth: int) -> Value:
        if node.end_byte - node.start_byte > MAX_LITERAL:
            return (Text(text_of(node), node.start_byte, node.end_byte),)
        parts: list[Value] = []
        for piece in literal_pieces(node, self.language):
            if isinstance(piece, str):
                parts.append((Text(piece, node.start_byte, node.end_byte),))
            elif isinstance(piece, Variable):
                parts.append(self.of_name(piece.name, node, scope, depth=depth))
            else:
                parts.append(self.of(piece, scope, depth=depth))
        return flat(parts) or (Text("", node.start_byte, node.end_byte),)

    def _binary(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what an operator makes of two expressions.

        "SELECT " + "1"  -> "SELECT 1"
        "a = %s" % "x"   -> "a = x"
        sql || "SELECT"  -> what sql says, or "SELECT"
        """
        left, right = _operands(node)
        if left is None or right is None:
            return (hole_of(node),)
        operator = text_of(field_or(node, "operator", "op"))
        if not operator:
            operator = text_of(node)[left.end_byte - node.start_byte :].strip()[:1]
        apply = OPERATORS.get(operator)
        return apply(self, _Operation(node, left, operator, right), scope, depth) if apply else (hole_of(node),)

    def _concatenation(self, operation: _Operation, scope: Scope, depth: int) -> Value:
        """Return the operands of a chain a + b + c one after the other, however long it is."""
        node, left, operator, right = operation
        chain = [right]
        while left.type == node.type and text_of(field_or(left, "operator", "op")) == operator:
            inner, last = field_or(left, "left", "lhs"), field_or(left, "right", "rhs")
            if inner is None or last is None or len(chain) > MAX_ELEMENTS:
                break
            chain.append(last)
            left = inner
        operands = [left, *reversed(chain)]
        if operator == "++" and self.language == "scala":  # fr"..." of doobie ends in a space
            return between([self.of(operand, scope, depth=depth) for operand in operands], (Text(" "),))
        return self.joined(operands, scope, depth)

    def _percent(self, operation: _Operation, scope: Scope, depth: int) -> Value:
        return filled_percents(self.of(operation.left, scope, depth=depth), self._items(operation.right, scope, depth))

    def _piped(self, operation: _Operation, scope: Scope, depth: int) -> Value:
        """Return what a call gives that Elixir pipes its first argument into: sql |> String.trim()."""
        call = called(operation.right) if operation.right.type == "call" else None
        return self.call(call, scope, depth) if call is not None else (hole_of(operation.node),)

    def _either(self, operation: _Operation, scope: Scope, depth: int) -> Value:
        return choice([self.of(operation.left, scope, depth=depth), self.of(operation.right, scope, depth=depth)])

    def _right_or_nothing(self, operation: _Operation, scope: Scope, depth: int) -> Value:
        return choice([self.of(operation.right, scope, depth=depth), NOTHING])

    def _items(self, node: Node, scope: Scope, depth: int) -> list[tuple[str, Value]]:
        """Return what fills a format: the items of a tuple or list, of a mapping with their keys, or one value."""
        if node.type in {"dictionary", "hash"}:
            pairs = [child for child in named_children(node) if child.type == "pair"]
            return [
                (text_of(field_or(pair, "key")).strip("'\":"), self.of(field_or(pair, "value"), scope, depth=depth))
                for pair in pairs
            ]
        if node.type in LISTS:
            return [("", self.of(child, scope, depth=depth)) for child in named_children(node)[:MAX_ELEMENTS]]
        inner = named_children(node)
        if node.type == "parenthesized_expression" and len(inner) == 1:
            return self._items(inner[0], scope, depth)
        return [("", self.of(node, scope, depth=depth))]

    def _one_of(self, node: Node, scope: Scope, depth: int) -> Value:
        first, other = field_or(node, "consequence", "body", "if_true"), field_or(node, "alternative", "if_false")
        if first is not None and (other is not None or node.type in TERNARY):
            return choice([self._branch(first, scope, depth), self._branch(other, scope, depth)])
        children = named_children(node)
        if node.type == "conditional_expression" and len(children) == 3:  # x if c else y
            return choice([self.of(children[0], scope, depth=depth), self.of(children[2], scope, depth=depth)])
        condition = field_or(node, "condition", "value")
        rest = [child for child in children if condition is None or child != condition]
        if node.type in {"when_expression", "match_expression", "case", "switch_expression"}:
            entries = [
                entry
                for one in rest
                for entry in (named_children(one) if one.type in {"match_block", "switch_block"} else [one])
            ]
            branches = [self._branch(one, scope, depth) for one in entries if one.type in BRANCHES]
            return choice(branches) if branches else (hole_of(node),)
        branches = [self._branch(one, scope, depth) for one in rest]
        if len(branches) == 1:
            branches.append(NOTHING)
        return choice(branches) if branches else (hole_of(node),)

    def _branch(self, node: Node | None, scope: Scope, depth: int) -> Value:
        if node is None:
            return NOTHING
        if node.type in BRANCHES or node.type in TRANSPARENT:
            inner = named_children(node)
            return self._branch(inner[-1], scope, depth) if inner and depth < MAX_DEPTH else (hole_of(node),)
        return self.of(node, scope, depth=depth)


_Reader = Callable[[Values, Node, Scope, int], Value]

# By the type of the node; a later line overrides an earlier one.
READERS: Mapping[str, _Reader] = {
    **dict.fromkeys(TRANSPARENT, Values._transparent),
    **dict.fromkeys(LISTS, Values._list),
    "object": Values._object,
    **dict.fromkeys(SUBSCRIPTS, Values.subscript),
    **dict.fromkeys(MEMBERS, Values.member),
    **dict.fromkeys(NAMES, Values._name),
    "unary_operator": Values._unary,
    **dict.fromkeys(CALLS, Values._call),
    **dict.fromkeys(TERNARY | CONDITIONALS, Values._one_of),
    **dict.fromkeys(BINARY, Values._binary),
    "preproc_arg": Values._definition,
    **dict.fromkeys(CONCATENATED, Values._adjacent),
    **dict.fromkeys(LITERALS, Values._literal),
}
OPERATORS: Mapping[str, Callable[[Values, _Operation, Scope, int], Value]] = {
    **dict.fromkeys(JOINING, Values._concatenation),
    "%": Values._percent,
    "|>": Values._piped,
    **dict.fromkeys(SPREADING, Values._either),
    **dict.fromkeys(("and", "&&"), Values._right_or_nothing),
}


def _operands(node: Node) -> tuple[Node | None, Node | None]:
    """Return both sides of an operator: by their fields, else the first and the last child."""
    left, right = field_or(node, "left", "lhs"), field_or(node, "right", "rhs")
    if left is not None and right is not None:
        return left, right
    children = named_children(node)
    return (children[0], children[-1]) if len(children) > 1 else (None, None)


def _has_text(value: Value) -> bool:
    return any(not isinstance(part, Hole) for part in value)
