"""Constants that name tables: which expressions are one, and the words that the constants of a file hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.sql.in_code.records import ConstantText
from coderag.syntax.outline import Outline
from coderag.types import Kind

__all__ = ["constant_name", "constant_texts"]

KINDS = frozenset({Kind.CONSTANT, Kind.FIELD})
MAX_BYTES = 300  # of a definition that is looked at
MAX_TEXTS = 2_000  # of a file
NAME = r"(?:[A-Z][A-Z0-9_]{1,60}|_{0,2}\w{0,40}[tT]able(?:_?[nN]ame)?_{0,2})"
NAMED = re.compile(NAME)
WORD = re.compile(rb"=\s{0,20}[rRuU]?([\"'`])([A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?)\1[\s;,]{0,4}\Z")
EXPRESSION = re.compile(rf"(?:[A-Za-z_]\w{{0,60}}\.)?{NAME}")


def constant_name(expression: str) -> str:
    """Return the constant that an expression is, as "Task.TABLE" or "TABLE"; "" for any other expression."""
    plain = expression.rpartition("\\")[2].replace("->", ".").replace("::", ".").replace("$", "")
    return plain if EXPRESSION.fullmatch(plain) else ""


def constant_texts(data: bytes, outline: Outline) -> Iterator[ConstantText]:
    """Yield the constants and fields of a file that hold one word, in their order."""
    left = MAX_TEXTS
    for number, definition in enumerate(outline.definitions):
        start, end = definition.start_byte, definition.end_byte
        if definition.kind not in KINDS or end - start > MAX_BYTES or NAMED.fullmatch(definition.name) is None:
            continue
        match = WORD.search(data, start, end)
        if match is not None and left:
            left -= 1
            yield ConstantText(number, match[2].decode())
