"""Two states of a file to the functions that differ between them."""

from __future__ import annotations

from typing import NamedTuple

from coderag.files.decode import Decoded, decode
from coderag.syntax.grammar import GrammarMissing
from coderag.syntax.language import Language, claimed, detect
from coderag.syntax.lines import Lines
from coderag.syntax.outline import CALLABLE, Outline, read_outline

__all__ = ["Functions", "functions_of"]

NEVER_SPLIT = 1 << 60  # bytes; where a function would be cut is of no interest here
# What formatters add, remove and exchange: white space, quotes, and signs that end or hold an expression.
LAYOUT = bytes.maketrans(b"'`", b'""')
LAYOUT_SIGNS = b" \t\r\n\f\v,;()"


class Functions(NamedTuple):
    """The functions and methods of a file by qualified name, each with its text without layout."""

    texts: dict[str, bytes]  # those of one name (overloads, accessors) together

    def changed_since(self, before: Functions) -> list[str]:
        """Return the names whose text differs or was not there before, in order of appearance."""
        return [name for name, text in self.texts.items() if before.texts.get(name) != text]


def functions_of(data: bytes, path: str) -> Functions | None:
    """Return the outermost functions and methods of a file as it is on disk; None when it is no code that is outlined.

    One inside another belongs to that one's text.
    """
    language = detect(path)
    if language is None or language.reader != "outline":
        return None
    decoded = decode(data, language=language.name)
    if not isinstance(decoded, Decoded):
        return None
    language = claimed(path, decoded.data, language)
    outline = _outline(decoded.data, language)
    if outline is None:
        return None
    texts: dict[str, bytes] = {}
    inside: list[bool] = []  # whether each definition is in a function, or one itself
    for definition in outline.definitions:
        around = definition.parent >= 0 and inside[definition.parent]
        inside.append(around or definition.kind in CALLABLE)
        if definition.kind in CALLABLE and not around:
            text = decoded.data[definition.start_byte : definition.end_byte].translate(LAYOUT, LAYOUT_SIGNS)
            texts[definition.qualified_name] = texts.get(definition.qualified_name, b"") + text
    return Functions(texts)


def _outline(data: bytes, language: Language) -> Outline | None:
    try:
        return read_outline(Lines(data), language, split_above=NEVER_SPLIT)
    except GrammarMissing:
        return None
