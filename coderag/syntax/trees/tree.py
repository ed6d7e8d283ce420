"""Syntax trees of code that declares tables: parsing, text, places and string literals in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from coderag.syntax import grammar
from coderag.syntax.language import languages
from coderag.text.code_points import character, paired

__all__ = [
    "argument_nodes",
    "descendants",
    "named",
    "parse",
    "parse_tree",
    "row_of",
    "string_value",
    "text_of",
    "unescaped",
]

# The nodes that a string literal is made of, in the grammars whose strings have parts.
STRING_PARTS = frozenset(
    "string_content string_fragment interpreted_string_literal_content raw_string_literal_content quoted_content "
    "heredoc_content multiline_string_fragment string_literal_content escape_sequence".split()
)
STRING_SIGNS = frozenset(
    "string_start string_end heredoc_beginning heredoc_end \" ' ` \"\"\" ''' @ : :\" :' %q( %q{ %Q( ) }".split()
)
ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL
)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}


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


def string_value(node: Node | None) -> str | None:
    """Return what a string literal says, with its escapes undone; None for anything else and for an interpolation."""
    if node is None or ("string" not in node.type and node.type not in {"simple_symbol", "heredoc_body", "character"}):
        return None
    children = node.children
    if not children:
        return _unquoted(text_of(node))
    parts: list[str] = []
    position = -1
    for child in children:
        if child.type in STRING_PARTS:
            if 0 <= position < child.start_byte:  # some grammars give no node to what lies between two escapes
                parts.append(_between(node, position, child.start_byte))
            parts.append(_part(child))
            position = child.end_byte
        elif child.is_named and child.type not in STRING_SIGNS:
            return None
        elif position < 0:
            position = child.end_byte
        elif position < child.start_byte:
            parts.append(_between(node, position, child.start_byte))
            position = child.end_byte
    return "".join(parts)


def _between(node: Node, start: int, end: int) -> str:
    return (node.text or b"")[start - node.start_byte : end - node.start_byte].decode("utf-8", "replace")


def _part(node: Node) -> str:
    text = text_of(node)
    if node.type == "escape_sequence" or any(child.type == "escape_sequence" for child in node.children):
        return unescaped(text)
    return text


def _unquoted(text: str) -> str | None:
    """Return what stands between the quotes of a literal that has no parts."""
    for quote in ('"""', "'''", '"', "'", "`"):
        if text.startswith(quote) and text.endswith(quote) and len(text) >= 2 * len(quote):
            inner = text[len(quote) : -len(quote)]
            return inner if quote == "`" else unescaped(inner)
    return text.removeprefix(":") if text.startswith(":") else None


def unescaped(text: str) -> str:
    """Return text with its backslash escapes undone, as most languages write them."""
    return paired(ESCAPE.sub(_unescape, text)) if "\\" in text else text


def _unescape(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3] or found[4]
    if digits:
        return character(int(digits, 16))
    if found[5]:
        return ""  # a line that goes on
    return ESCAPED.get(found[6], found[6])
