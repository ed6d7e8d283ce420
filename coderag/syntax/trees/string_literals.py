"""String literals of any language to their text, escapes undone, and to the expressions in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.tree import named, text_of
from coderag.text.code_points import character, paired

__all__ = [
    "Piece",
    "Variable",
    "is_bytes",
    "literal_extent",
    "literal_pieces",
    "string_value",
    "unescaped",
    "unquoted",
]


class Variable(NamedTuple):
    """A variable in a literal whose grammar gives it no node: $x of Kotlin, {x} of format!."""

    name: str


Piece = str | Node | Variable  # what stands there, or the expression whose value does

# The nodes that a string literal is made of, in the grammars whose strings have parts.
STRING_PARTS = frozenset(
    "string_content string_fragment interpreted_string_literal_content raw_string_literal_content quoted_content "
    "heredoc_content multiline_string_fragment string_literal_content escape_sequence".split()
)
STRING_SIGNS = frozenset({"string_start", "string_end", "heredoc_beginning", "heredoc_end"})
INTERPOLATIONS = frozenset({"interpolation", "template_substitution", "interpolated_expression"})
IN_PHP = frozenset(
    """variable_name member_access_expression subscript_expression dynamic_variable_name member_call_expression
    function_call_expression scoped_property_access_expression nullsafe_member_access_expression
    scoped_call_expression""".split()
)
OPENING = re.compile(
    r"""(?P<raw>(?:u8|[LuU])?R"(?P<tag>[^()\\\s]{0,16})\()
      | (?P<long>\[=*\[)
      | ~(?P<sigil>[A-Za-z]+)(?P<open1>\"\"\"|'''|.)
      | %(?P<percent>[qQ]?)(?P<open2>[^\w\s])
      | (?P<prefix>[A-Za-z@$]{0,3})(?P<hashes>\#*)(?P<quote>\"{3,}|'''|["'`])
    """,
    re.VERBOSE | re.DOTALL,
)
DART_OPENING = re.compile(rb"\s*(r?)(\"\"\"|'''|\"|')")
QUOTES = frozenset({b'"', b"'", b"`"})
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
KOTLIN_NAME = re.compile(r"(?<!\\)\$([A-Za-z_]\w*)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
RAW_TYPES = frozenset({"raw_string_literal", "verbatim_string_literal", "nowdoc", "multiline_string_literal"})
UNMARKED = frozenset({"bash", "elixir"})  # whose grammars have no nodes for some escapes
BODIES = frozenset({"heredoc_body", "nowdoc_body", "bare_string"})  # no quotes of their own
ESCAPE_NODE = "escape_sequence"
ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(\n)|(.))", re.DOTALL
)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}


def string_value(node: Node | None) -> str | None:
    """Return the text of a string literal, escapes undone; None for anything else and for one with interpolations."""
    if node is None or node.type == "bitstring":
        return None
    if "string" not in node.type and node.type not in {"simple_symbol", "heredoc_body", "character"}:
        return None
    children = node.children
    if not children:
        return _unquoted(text_of(node))
    for child in children:
        if child.is_named and child.type not in STRING_PARTS and child.type not in STRING_SIGNS:
            return None
    data = node.text or b""
    extent = _extent(node, data, "", raw=False)
    start = extent.start
    if node.type == "heredoc_body" and data[:1] == b"\n" and children[0].start_byte > node.start_byte:
        start = 1  # the body of a heredoc of PHP begins behind its first line
    return _run(data, start, extent.end, extent, _escapes(node, data, "", extent))


def _unquoted(text: str) -> str | None:
    """Return what stands between the quotes of a literal that has no parts."""
    for quote in ('"""', "'''", '"', "'", "`"):
        if text.startswith(quote) and text.endswith(quote) and len(text) >= 2 * len(quote):
            inner = text[len(quote) : -len(quote)]
            return inner if quote == "`" else unescaped(inner)
    return text.removeprefix(":") if text.startswith(":") else None


def is_bytes(node: Node) -> bool:
    """Tell whether a literal of Python is one of bytes."""
    return node.type == "string" and text_of(node)[:2].casefold() in {'b"', "b'", "br", "rb"}


def literal_pieces(node: Node, language: str = "") -> list[Piece]:
    """Return the text of a literal, escapes undone, with the nodes of the expressions in it.

    Dart, Kotlin and Scala have literals whose nodes say too little, so that their language must be given.

    "a\\n" of Go        -> ["a\n"]
    f"a{b}" of Python  -> ["a", node of b]
    "a $b" of Kotlin   -> ["a ", Variable("b")]
    """
    if node.type == "heredoc_beginning":
        body = heredoc_body(node)
        return _pieces(body, language, raw="'" in text_of(node)) if body is not None else []
    if node.type in {"heredoc", "nowdoc"}:
        body = node.child_by_field_name("value")
        return _pieces(body, language, raw=node.type == "nowdoc") if body is not None else []
    if node.type == "interpolated_string_expression" and language == "scala":
        inner = named(node)
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
    extent = _extent(body, body.text or b"", language, raw=False)
    return body.start_byte + extent.start, body.start_byte + extent.end


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
    extent = _extent(node, data, language, raw=raw)
    escapes = _escapes(node, data, language, extent)
    texts = _with_variables if language == "kotlin" else _run_of_text
    pieces: list[Piece] = []
    position = extent.start
    for child in node.children:
        kind = child.type
        in_php = kind in IN_PHP
        if not in_php and kind not in INTERPOLATIONS:
            continue
        first, last = child.start_byte - base, child.end_byte - base
        if first < position or last > extent.end:
            continue
        if in_php and data[first - 1 : first] == b"{" and data[last : last + 1] == b"}":
            pieces += texts(data, position, first - 1, extent, escapes)
            last += 1
        else:
            pieces += texts(data, position, first, extent, escapes)
        pieces.append(_expression(child))
        position = last
    pieces += texts(data, position, extent.end, extent, escapes)
    if "f" in extent.prefix and node.type == "string":
        pieces = [piece.replace("{{", "{").replace("}}", "}") if isinstance(piece, str) else piece for piece in pieces]
    return pieces


class _Extent(NamedTuple):
    """The bytes of a literal between its quotes."""

    start: int
    end: int
    raw: bool = False  # escapes in it mean nothing
    prefix: str = ""  # before the quote, in lower case


def _extent(node: Node, data: bytes, language: str, *, raw: bool) -> _Extent:
    """Return where the text begins and ends in a literal's bytes, and whether escapes in it mean nothing.

    r"a\\n" of Python  -> (2, 5, True, "r")
    %q(a) of Ruby     -> (3, 4, True, "")
    "a"               -> (1, 2, False, "")
    """
    if node.type in BODIES:
        ends = (child.start_byte - node.start_byte for child in node.children if child.type == "heredoc_end")
        return _Extent(0, next(ends, len(data)), raw)
    if data[:1] in QUOTES and data[1:2] != data[:1]:
        return _Extent(1, max(1, len(data) - 1), node.type in RAW_TYPES)
    match = OPENING.match(data.decode("utf-8", "replace"))
    if match is None:
        return _Extent(0, len(data), raw)
    if match["quote"]:
        return _quoted(node, data, match, language)
    start = len(match[0].encode())
    if match["raw"] or match["long"]:
        closing_size = len(match["tag"]) + 2 if match["raw"] else start
        return _Extent(start, max(start, len(data) - closing_size), raw=True)
    opening = match["open1"] or match["open2"]
    closing = CLOSING.get(opening, opening)
    is_raw = (match["sigil"] or "").isupper() or match["percent"] == "q"
    return _Extent(start, max(start, data.rfind(closing.encode())), is_raw)


def _quoted(node: Node, data: bytes, match: re.Match[str], language: str) -> _Extent:
    """Return the extent of a literal that begins with letters, signs and a quote."""
    start = len(match[0].encode())
    quote, prefix = match["quote"], (match["prefix"] or "").casefold()
    if match["hashes"] and prefix:  # r#""a""# of Rust begins with one quote
        start, quote = match.start("quote") + 1, quote[0]
    end = max(start, len(data) - len(quote) - len(match["hashes"]))
    is_raw = node.type in RAW_TYPES or bool(match["hashes"]) or "r" in prefix or "@" in prefix
    return _Extent(start, end, is_raw or (len(quote) >= 3 and language == "scala"), prefix)


Escapes = list[list[int]]  # where they begin and end


def _escapes(node: Node, data: bytes, language: str, extent: _Extent) -> Escapes | None:
    """Return where the grammar finds escapes in a literal, those side by side as one; None if it finds no parts.

    Only it knows which of them a language has: "\\T" of PHP and '\\n' of Ruby are a backslash and a letter.
    """
    if extent.raw or b"\\" not in data or language in UNMARKED:
        return None
    found: Escapes = []
    has_parts = False
    for child in node.children:
        has_parts = has_parts or child.type in STRING_PARTS
        for escape in (child,) if child.type == ESCAPE_NODE else child.children:
            if escape.type != ESCAPE_NODE:
                continue
            start, end = escape.start_byte - node.start_byte, escape.end_byte - node.start_byte
            if found and found[-1][1] == start:
                found[-1][1] = end
            else:
                found.append([start, end])
    return found if has_parts else None


def _run_of_text(data: bytes, first: int, last: int, extent: _Extent, escapes: Escapes | None) -> list[Piece]:
    return [_run(data, first, last, extent, escapes)] if first < last else []


def _run(data: bytes, first: int, last: int, extent: _Extent, escapes: Escapes | None) -> str:
    """Return the text between two bytes of a literal, with its escapes undone."""
    if escapes is None:
        text = data[first:last].decode("utf-8", "replace")
        if not extent.raw:
            return unescaped(text)
        return text.replace('""', '"') if "@" in extent.prefix else text
    parts: list[str] = []
    for start, end in escapes:
        if first <= start and end <= last:
            parts.append(data[first:start].decode("utf-8", "replace"))
            parts.append(unescaped(data[start:end].decode("utf-8", "replace")))
            first = end
    parts.append(data[first:last].decode("utf-8", "replace"))
    return "".join(parts)


def _with_variables(
    data: bytes, first: int, last: int, extent: _Extent, _escapes: Escapes | None = None
) -> Iterator[Piece]:
    """Yield the text and the variables between two bytes of a literal of Kotlin."""
    text = data[first:last].decode("utf-8", "replace")
    position = 0
    for match in KOTLIN_NAME.finditer(text):
        before = text[position : match.start()]
        if before:
            yield before if extent.raw else unescaped(before)
        yield Variable(match[1])
        position = match.end()
    if position < len(text):
        yield text[position:] if extent.raw else unescaped(text[position:])


def unquoted(text: str) -> str:
    """Return what a literal says that stands in a text without a tree, "" for anything else: #define X "a"."""
    match = QUOTED.fullmatch(text.strip())
    return unescaped(match[1]) if match is not None else ""


def _expression(node: Node) -> Node:
    if node.type not in INTERPOLATIONS:
        return node
    inner = [child for child in named(node) if child.type not in {"interpolation_brace", "format_specifier"}]
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
                pieces += _dart_text(data[begin:position], raw=raw)
                pieces.append(_expression(hole))
                position = begin = hole.end_byte - base
            else:
                position += 2 if data[position : position + 1] == b"\\" and not raw else 1
        pieces += _dart_text(data[begin : min(position, len(data))], raw=raw)
        position += len(quote)
    return pieces


def _dart_text(data: bytes, *, raw: bool) -> list[Piece]:
    text = data.decode("utf-8", "replace")
    return [text if raw else unescaped(text)] if text else []


def unescaped(text: str) -> str:
    """Return text with its backslash escapes undone, as most languages write them."""
    return paired(ESCAPE.sub(_unescape, text)) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3] or match[4]
    if digits:
        return character(int(digits, 16))
    if match[5]:
        return ""  # a line that goes on
    return ESCAPED.get(match[6], match[6])
