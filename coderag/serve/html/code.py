"""Lines of code to lines of HTML: tokens by class, names as links to what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
)

from coderag.text.lexers import lexer_of, of_token
from coderag.text.visible import visible_prose

__all__ = ["Linker", "code_lines"]

Linker = Callable[[str, int], tuple[str, str] | None]  # a name and its position among the lines: page and hover card

LEXERS = {"tsx": "typescript"}  # a page shows it as TypeScript
# The classes of the style sheet.
CLASSES = {
    Comment: "c",
    Comment.Preproc: "o",
    Generic.Heading: "f",
    Generic.Subheading: "f",
    Keyword: "k",
    Keyword.Constant: "m",
    Keyword.Type: "t",
    Literal: "s",
    Name.Attribute: "a",
    Name.Builtin: "t",
    Name.Builtin.Pseudo: "k",
    Name.Class: "f",
    Name.Decorator: "o",
    Name.Function: "f",
    Name.Tag: "k",
    Number: "m",
    Operator.Word: "k",
    String: "s",
    String.Doc: "c",
}
WORD = re.compile(r"[^\W\d]\w*")
PIECES, SHORT = 8_192, 40  # pieces of tokens that are remembered, and how many characters they have at most
MAX_LINE = 2_000  # characters of a line that are coloured; a longer one is shown as it is


def code_lines(lines: Sequence[str], language: str, *, linker: Linker | None = None) -> list[Markup]:
    """Return as many lines of HTML; plain text where the language is not known."""
    lexer = lexer_of(LEXERS.get(language, language))
    if lexer is None or any(len(line) > MAX_LINE for line in lines):
        return [escape(_seen(line)) for line in lines]
    out: list[list[Markup]] = [[]]
    for token, value in lexer.get_tokens("\n".join(lines)):
        name = _class(token)
        linked = linker if token in Name or token in String or token in Keyword.Type else None
        for position, text in enumerate(value.split("\n")):
            if position:
                out.append([])
            if text:
                out[-1].append(_piece(text, name, _at(linked, len(out) - 1)))
    joined = [Markup("").join(pieces) for pieces in out]
    return joined[: len(lines)] if len(joined) >= len(lines) else [escape(_seen(line)) for line in lines]


def _at(linker: Linker | None, line: int) -> Callable[[str], tuple[str, str] | None] | None:
    return None if linker is None else lambda word: linker(word, line)


def _piece(text: str, name: str, linker: Callable[[str], tuple[str, str] | None] | None) -> Markup:
    """Return a piece of one token on one line."""
    linked = None if linker is None else _linked(text, linker)
    if linked is not None:
        return _classed(linked, name)
    return _plain(text, name) if len(text) <= SHORT else _classed(escape(_seen(text)), name)


@lru_cache(maxsize=PIECES)
def _plain(text: str, name: str) -> Markup:
    """Return a piece without links; a few thousand make up most of all code."""
    return _classed(escape(_seen(text)), name)


def _classed(inner: Markup, name: str) -> Markup:
    return Markup(f"<i class={name}>{inner}</i>") if name else inner


def _linked(text: str, linker: Callable[[str], tuple[str, str] | None]) -> Markup | None:
    """Return text whose words are links where they mean something, None if none does."""
    pieces, end = [], 0
    for match in WORD.finditer(text):
        target = linker(match[0])
        if target is None:
            continue
        pieces.append(escape(_seen(text[end : match.start()])))
        pieces.append(Markup('<a href="{}" data-card="{}">{}</a>').format(*target, match[0]))
        end = match.end()
    return Markup("").join([*pieces, escape(_seen(text[end:]))]) if pieces else None


def _seen(text: str) -> str:
    """Return text in which a reader sees every character, tabs as they are."""
    return "\t".join(map(visible_prose, text.split("\t")))


@lru_cache(maxsize=256)
def _class(token: Any) -> str:
    """Return the class of a token or of the nearest one above it."""
    return of_token(token, CLASSES)
