"""Numbers in the escapes of literals to characters."""

from __future__ import annotations

import re

__all__ = ["character", "paired"]

LAST = 0x10FFFF
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
SURROGATE = re.compile("[\ud800-\udfff]")


def character(code: int) -> str:
    """Return the character of a number, U+FFFD where there is none; half of a pair is what `paired` takes."""
    return chr(code) if code <= LAST else REPLACEMENT


def paired(text: str) -> str:
    """Return a text in which two halves of a pair (UTF-16) are one character; one alone is U+FFFD."""
    if SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
