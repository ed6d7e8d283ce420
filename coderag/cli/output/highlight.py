"""Lines of code to lines with colours, in the terminal's own palette."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String  # type: ignore[import-untyped]

from coderag.text.lexers import lexer_of, of_token

__all__ = ["highlight"]

COLOURS = {
    Comment: "2",
    Keyword: "35",
    Keyword.Type: "36",
    Name.Builtin: "36",
    Name.Class: "1;34",
    Name.Decorator: "33",
    Name.Function: "1;34",
    Number: "36",
    Operator.Word: "35",
    String: "32",
    String.Doc: "2",
    Literal: "32",
}


def highlight(lines: Sequence[str], language: str) -> list[str]:
    """Return as many lines with colours; unchanged where the language is not known. They hold no controls."""
    lexer = lexer_of(language)
    if lexer is None:
        return list(lines)
    out: list[list[str]] = [[]]
    for token, value in lexer.get_tokens("\n".join(lines)):
        colour = _colour(token)
        for position, text in enumerate(value.split("\n")):
            if position:
                out.append([])
            if text:
                out[-1].append(f"\x1b[{colour}m{text}\x1b[0m" if colour and text.strip() else text)
    joined = ["".join(pieces) for pieces in out]
    return joined[: len(lines)] if len(joined) >= len(lines) else list(lines)


@lru_cache(maxsize=256)
def _colour(token: Any) -> str:
    """Return the colour of a token or of the nearest one above it."""
    return of_token(token, COLOURS)
