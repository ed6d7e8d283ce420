"""A file of code to the string literals in it, and what each is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from coderag.syntax.grammar import GrammarMissing
from coderag.syntax.language import claimed, detect
from coderag.syntax.lines import Lines
from coderag.syntax.parsed import parse_code
from coderag.types import Content
from scripts.verbatim.records import Kind, Place, Written

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PLACEHOLDER", "literals"]

# What stands for a value: %s, %(name)s, {}, {name!r}, ${x}, #{x}, \(x), $name.
PLACEHOLDER = re.compile(
    r"%[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|z|j|t)?[sdiufgGxXcpqvTr@](?![a-z])|%\(\w+\)[sdr]|%[{<]\w+[}>]d?|[$#]\{[^{}]*\}"
    r"|\{\$?[\w.:!?#,\[\]()'\" -]*\}|\\\([^()]*\)|\$[a-zA-Z_]\w*"
)
STRING = re.compile(r"string|heredoc_body|template_literal|encapsed|str_lit\b|char_array")
NO_STRING = re.compile(r"string_(?:start|end|content|fragment|array|type)|stringify|substitution|array|type|comment")
PARTS = frozenset({"concatenated_string", "string_concat"})
DOCUMENTS = frozenset(
    {"expression_statement", "module", "import_statement", "import_from_statement", "preproc_include"}
)
IMPORTS = re.compile(r"import|include|require|use_decl|preproc")
SPEAKS = re.compile(
    r"raise|throw|error|\berr|log|warn|info|debug|print|panic|fatal|fail|assert|exception|puts|echo|expect|abort|exit"
    r"|message|msg|notice|die|croak|trace",
    re.IGNORECASE,
)
CALL_DEPTH = 4  # nodes above a string that tell what it is for
HEAD_BYTES = 60  # of such a node: the name of what is called
QUOTES = re.compile(r"""^[@$brufBRUFLc8#&]*(\"{3}|'{3}|["'`]|\[\[|<<[-~]?\w+)""")
ESCAPES = {"n": " ", "t": " ", "r": " ", "0": " "}
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
WORD = re.compile(r"[^\W\d_]{2,}")
CODE = re.compile(r"[A-Z]{1,6}[-_]?\d{2,6}|0x[0-9a-fA-F]{4,}")
SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
FLAG = re.compile(r"--?[a-z][a-z0-9]+(?:-[a-z0-9]+)*=?")
ROUTE = re.compile(r"/[\w:{}<>*.$-]+(?:/[\w:{}<>*.$-]*)+")
KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._:/-][A-Za-z][A-Za-z0-9]*)+")
MIN_WORDS, MIN_LETTERS, MAX_CHARACTERS = 3, 12, 200
MIN_KEY = 6


def literals(path: str, data: bytes) -> Iterator[Written]:
    """Yield the string literals of a file that are worth asking for; none of a file that is no code."""
    language = detect(path)
    if language is None or language.content is not Content.CODE or not language.grammar:
        return
    try:
        tree = parse_code(Lines(data), claimed(path, data, language)).tree
    except GrammarMissing:
        return
    for node in _strings(tree.root_node):
        text, raw = _text_of(node)
        if (kind := _kind(node, text)) is not None:
            yield Written(text, raw, kind, Place(path, node.start_point[0] + 1, node.end_point[0] + 1))


def _strings(root: Node) -> Iterator[Node]:
    """Yield the outermost strings of a tree, in order."""
    rest = [root]
    while rest:
        node = rest.pop()
        if node.is_named and (node.type in PARTS or (STRING.search(node.type) and not NO_STRING.search(node.type))):
            if not _documents(node):
                yield node
            continue
        rest.extend(reversed(node.children))


def _documents(node: Node) -> bool:
    """Tell whether a string documents, or names a file to import."""
    parent = node.parent
    return parent is not None and (parent.type in DOCUMENTS or IMPORTS.search(parent.type) is not None)


def _text_of(node: Node) -> tuple[str, str]:
    """Return a string as a program has it, and as it is written where it is in one piece."""
    parts = node.named_children if node.type in PARTS else [node]
    texts = [_unquoted((part.text or b"").decode("utf-8", "replace")) for part in parts]
    text = "".join(ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), one) for one in texts)
    return text.strip(), texts[0].strip() if len(texts) == 1 else ""


def _unquoted(text: str) -> str:
    found = QUOTES.match(text)
    if found is None:
        return text
    inside = text[found.end() :]
    closing = "]]" if found[1] == "[[" else found[1]
    return inside.removesuffix(closing)


def _kind(node: Node, text: str) -> Kind | None:
    """Return what a string is for, None for one that nobody would ask for."""
    if "\n" in text or len(text) > MAX_CHARACTERS:
        return None
    if " " not in text:
        return _kind_of_name(text)
    fixed = WORD.findall(PLACEHOLDER.sub(" ", text))
    if len(fixed) < MIN_WORDS or sum(map(len, fixed)) < MIN_LETTERS:
        return None
    return Kind.MESSAGE if SPEAKS.search(_head(node)) else Kind.TEXT


def _kind_of_name(text: str) -> Kind | None:
    if CODE.fullmatch(text):
        return Kind.CODE
    if len(text) < MIN_KEY:
        return None
    kinds = ((SETTING, Kind.SETTING), (FLAG, Kind.FLAG), (ROUTE, Kind.ROUTE), (KEY, Kind.KEY))
    return next((kind for pattern, kind in kinds if pattern.fullmatch(text)), None)


def _head(node: Node) -> str:
    """Return how the statements or calls around a string begin."""
    heads = []
    above = node.parent
    for _ in range(CALL_DEPTH):
        if above is None or above.end_byte - above.start_byte > 2 * MAX_CHARACTERS + (node.end_byte - node.start_byte):
            break
        before = (above.text or b"")[: max(0, node.start_byte - above.start_byte)]
        heads.append(before[:HEAD_BYTES].decode("utf-8", "replace"))
        above = above.parent
    return " ".join(heads)
