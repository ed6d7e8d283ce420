"""Where sentences end: at a full stop that ends no abbreviation, with space and no small letter behind it."""

from __future__ import annotations

__all__ = ["ends_sentence"]

ABBREVIATIONS = frozenset("e.g i.e etc vs cf approx no resp incl fig sec ca a.k.a dr mr mrs ms prof".split())
CLOSING = "\"')]*_\u201d\u2019"
MAX_ABBREVIATION = 24  # characters


def ends_sentence(text: str, begin: int, *, at: int, end: int) -> bool:
    """Tell whether the sign before `at` ends a sentence: space, then a capital, a number or code."""
    behind = at
    while behind < end and text[behind] in CLOSING:
        behind += 1
    if behind < end and not text[behind].isspace():
        return False
    if text[at - 1] == ".":
        word = text[max(begin, at - MAX_ABBREVIATION) : at - 1].split()
        if word and word[-1].lstrip("([\"'").lower() in ABBREVIATIONS:
            return False
    while behind < end and text[behind].isspace():
        behind += 1
    return behind >= end or not text[behind].islower() or text[at - 1] in "!?"
