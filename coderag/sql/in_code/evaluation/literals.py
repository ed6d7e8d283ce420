"""Literals of any language to what they say, piece by piece, with the expressions in them as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.nodes import named_children, text_of
from coderag.syntax.trees.tree import unescaped

__all__ = ["Piece", "Variable", "is_bytes", "literal_extent", "literal_pieces", "unquoted"]


class Variable(NamedTuple):
    """A variable in a literal whose grammar gives it no node: $x of Kotlin, {x} of format!."""

    name: str


Piece = str | Node | Variable  # what stands there, or the expression whose value does

INTERPOLATIONS = frozenset({"interpolation", "template_substitution", "interpolated_expression"})
IN_PHP = frozenset(
    """variable_name member_access_expression subscript_expression dynamic_variable_name member_call_expression
    function_call_expression scoped_property_access_expression nullsafe_member_access_expression
    scoped_call_expression""".split()
)
OPENING = re.compile(
    r"""(?P<raw>(?:u8|[LuU])?R"(?P<tag>[^()\\\s]{0,16})\()
      | ~(?P<sigil>[A-Za-z]+)(?P<open1>\"\"\"|'''|.)
      | %(?P<percent>[qQ]?)(?P<open2>[^\w\s])
      | (?P<prefix>[A-Za-z@$]{0,3})(?P<hashes>\#*)(?P<quote>\"{3,}|'''|["'`])
    """,
    re.VERBOSE | re.DOTALL,
)
DART_OPENING = re.compile(rb"\s*(r?)(\"\"\"|'''|\"|')")
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
KOTLIN_NAME = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
RAW_TYPES = frozenset({"raw_string_literal", "verbatim_string_literal", "nowdoc", "multiline_string_literal"})
BODIES = frozenset({"heredoc_body", "nowdoc_body", "bare_string"})  # no quotes of their own
RAW_PREFIXED = frozenset({"python", "rust", "dart"})
RAW_TRIPLE = frozenset({"kotlin", "scala", "csharp"})
SINGLE_RAW = frozenset({"ruby", "php"})


def is_bytes(node: Node) -> bool:
    """Tell whether a literal of Python is one of bytes."""
    return node.type == "string" and text_of(node)[:2].casefold() in {'b"', "b'", "br", "rb"}


def literal_pieces(node: Node, language: str) -> list[Piece]:
    """Return what a literal says, escapes undone; an expression in it is a node of its own."""
    if node.type == "heredoc_beginning":
        body = heredoc_body(node)
        return _pieces(body, language, raw="'" in text_of(node)) if body is not None else []
    if node.type in {"heredoc", "nowdoc"}:
        body = node.child_by_field_name("value")
        return _pieces(body, language, raw=node.type == "nowdoc") if body is not None else []
    if node.type == "interpolated_string_expression" and language == "scala":
        inner = named_children(node)
        return literal_pieces(inner[-1], language) if inner else []
    if language == "dart" and node.type == "string_literal":
        return _adjacent(node)
    return _pieces(node, language)


def literal_extent(node: Node, language: str) -> tuple[int, int]:
    """Return the bytes of the file between the quotes of a literal."""
    body = heredoc_body(node) if node.type == "heredoc_beginning" else node
    if body is not None and body.type in {"heredoc", "nowdoc"}:
        body = body.child_by_field_name("value")
    if body is None:
        return node.end_byte, node.end_byte
    start, end, _ = _extent(body, (body.text or b"").decode("utf-8", "replace"), language, raw=False)
    return body.start_byte + start, body.start_byte + end


def heredoc_body(beginning: Node) -> Node | None:
    """Return the text of a heredoc of Ruby, which stands behind the statement that begins it."""
    before: list[Node] = []
    node = beginning
    for _ in range(64):  # levels of the tree
        if node.parent is None:
            return None
        sibling = node.next_sibling
        while sibling is not None:
            if sibling.type == "heredoc_body":
                before.append(sibling)
            sibling = sibling.next_sibling
        if before:
            break
        node = node.parent
    tag = text_of(beginning).lstrip("<~-").strip("'\"`")
    return next((one for one in before if _ends_with(one, tag)), None)


def _ends_with(body: Node, tag: str) -> bool:
    return bool(body.named_children) and text_of(body.named_children[-1]).strip() == tag


def _pieces(node: Node, language: str, *, raw: bool = False) -> list[Piece]:
    data, base = node.text or b"", node.start_byte
    start, end, raw = _extent(node, data.decode("utf-8", "replace"), language, raw=raw)
    pieces: list[Piece] = []
    position = start
    for child in node.children:
        if child.type not in INTERPOLATIONS and not (language == "php" and child.type in IN_PHP):
            continue
        first, last = child.start_byte - base, child.end_byte - base
        if first < position or last > end:
            continue
        before = data[position:first]
        if language == "php" and before.endswith(b"{") and data[last : last + 1] == b"}":
            before, last = before[:-1], last + 1
        pieces += _text(before, language, raw=raw)
        pieces.append(_expression(child))
        position = last
    pieces += _text(data[position:end], language, raw=raw)
    if node.type == "string" and language == "python" and "f" in text_of(node)[:2].casefold():
        pieces = [one.replace("{{", "{").replace("}}", "}") if isinstance(one, str) else one for one in pieces]
    return pieces


def _extent(node: Node, text: str, language: str, *, raw: bool) -> tuple[int, int, bool]:
    """Return where the text begins and ends in a literal's bytes, and whether escapes in it mean nothing.

    r"a\\n" of Python  -> (2, 5, True)
    %q(a) of Ruby     -> (3, 4, True)
    "a"               -> (1, 2, False)
    """
    data = node.text or b""
    if node.type in BODIES:
        ends = (child.start_byte - node.start_byte for child in node.children if child.type == "heredoc_end")
        return 0, next(ends, len(data)), raw
    match = OPENING.match(text)
    if match is None:
        return 0, len(data), raw
    start = len(match[0].encode())
    if match["raw"]:
        return start, max(start, len(data) - len(match["tag"]) - 2), True
    if opening := match["open1"] or match["open2"]:
        closing = CLOSING.get(opening, opening)
        is_raw = (match["sigil"] or "").isupper() or match["percent"] == "q"
        return start, max(start, data.rfind(closing.encode())), is_raw
    end = len(data) - len(match["quote"].encode()) - len(match["hashes"])
    return start, max(start, end), node.type in RAW_TYPES or _is_raw(match, language)


def _is_raw(opening: re.Match[str], language: str) -> bool:
    """Tell whether escapes mean nothing behind a quote: r"" of Python, `` of Go, '' of Ruby and PHP, @"" of C#."""
    quote, prefix = opening["quote"], (opening["prefix"] or "").casefold()
    return (
        bool(opening["hashes"])
        or ("r" in prefix and language in RAW_PREFIXED)
        or "@" in prefix
        or (quote == "`" and language == "go")
        or (len(quote) >= 3 and language in RAW_TRIPLE)
        or (quote == "'" and language in SINGLE_RAW)
    )


def _text(data: bytes, language: str, *, raw: bool) -> list[Piece]:
    text = data.decode("utf-8", "replace")
    if not text:
        return []
    if language == "csharp" and raw:
        text = text.replace('""', '"')
    if language == "kotlin":
        return list(_with_variables(text, raw=raw))
    return [text if raw else unescaped(text)]


def _with_variables(text: str, *, raw: bool) -> Iterator[Piece]:
    position = 0
    for match in KOTLIN_NAME.finditer(text):
        before = text[position : match.start()]
        if before:
            yield before if raw else unescaped(before)
        yield Variable(match[1])
        position = match.end()
    if position < len(text):
        yield text[position:] if raw else unescaped(text[position:])


def unquoted(text: str) -> str:
    """Return what a literal says that stands in a text without a tree, "" for anything else: #define X "a"."""
    match = QUOTED.fullmatch(text.strip())
    return unescaped(match[1]) if match is not None else ""


def _expression(node: Node) -> Node:
    if node.type not in INTERPOLATIONS:
        return node
    inner = [child for child in named_children(node) if child.type not in {"interpolation_brace", "format_specifier"}]
    return inner[0] if inner else node


def _adjacent(node: Node) -> list[Piece]:
    """Return the pieces of a literal of Dart, which may be several side by side without nodes of their own."""
    data, base = node.text or b"", node.start_byte
    holes = {child.start_byte - base: child for child in node.children if child.type in INTERPOLATIONS}
    pieces: list[Piece] = []
    position = 0
    while position < len(data):
        opening = DART_OPENING.match(data, position)
        if opening is None:
            break
        position, quote, raw = opening.end(), opening[2], bool(opening[1])
        begin = position
        while position < len(data) and not data.startswith(quote, position):
            if (hole := holes.get(position)) is not None:
                pieces += _text(data[begin:position], "dart", raw=raw)
                pieces.append(_expression(hole))
                position = begin = hole.end_byte - base
            else:
                position += 2 if data[position : position + 1] == b"\\" and not raw else 1
        pieces += _text(data[begin : min(position, len(data))], "dart", raw=raw)
        position += len(quote)
    return pieces
