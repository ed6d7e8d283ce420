"""Syntax trees of any language: parsing, and the text, place and named children of a node."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node, Tree

from coderag.syntax import grammar
from coderag.syntax.language import languages

__all__ = [
    "argument_nodes",
    "descendants",
    "field_or",
    "named",
    "parse",
    "parse_tree",
    "row_of",
    "text_of",
]


def parse(data: bytes, language: str) -> Node:
    """Return the root of the syntax tree of UTF-8 text in a language of parsers/.

    Raises grammar.GrammarMissing.
    """
    return parse_tree(data, language).root_node


def parse_tree(data: bytes, language: str) -> Tree:
    """Return the syntax tree of UTF-8 text in a language of parsers/.

    Raises grammar.GrammarMissing.
    """
    tree, _ = grammar.reader(languages()[language]).parse(data)
    return tree


def text_of(node: Node | None) -> str:
    """Return a node's text, "" for no node."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def row_of(node: Node) -> int:
    """Return the line that a node begins on, 1-based."""
    return node.start_point[0] + 1


def named(node: Node | None, *types: str) -> list[Node]:
    """Return a node's named children, comments left out; only those of some types where types are given."""
    if node is None:
        return []
    return [
        child for child in node.named_children if "comment" not in child.type and (not types or child.type in types)
    ]


def field_or(node: Node, *names: str) -> Node | None:
    """Return the first child of one of some fields."""
    for name in names:
        if (child := node.child_by_field_name(name)) is not None:
            return child
    return None


def descendants(node: Node, *types: str, into: bool = True) -> Iterator[Node]:
    """Yield the nodes of some types below a node, in order of the text; with `into` also those inside of others."""
    waiting = [*reversed(node.named_children)]
    while waiting:
        one = waiting.pop()
        if found := one.type in types:
            yield one
        if into or not found:
            waiting += reversed(one.named_children)


def argument_nodes(call: Node) -> list[Node]:
    """Return the arguments of a call as they stand, in order; the field `arguments` is what most grammars have."""
    return named(call.child_by_field_name("arguments"))
