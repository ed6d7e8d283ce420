"""Whether a quote stands in some text: as it is, with gaps, or nearly."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["Likeness", "is_abridged", "likeness"]

NEAR = 0.9  # rapidfuzz's ratio of a quote and the best window of the text
MAX_QUOTE = 8_000  # characters that are compared
MAX_TEXT = 200_000
MAX_NEAR = 1_500  # characters of a quote that is compared with windows
SPACE = re.compile(r"\s+")
GAP = re.compile(r"\[\s?\.\.\.\s?\]|\.\.\.|…|(?:#|//|--|/\*)\s?\.\.\.(?:\s?\*/)?")
TOKEN = re.compile(r"[^\W\d_][\w]*|_\w*|\d[\w.]*|[^\s\w]")
LOOSE = frozenset(",;'\"`()[]{}")  # signs that a quote may drop or add
TURNING = frozenset({"not", "no", "never", "none", "without", "unless", "except"})  # a quote may not drop them
LINE_NUMBER = re.compile(r"^[ \t]{0,8}\d{1,6}(?:[:|]| {2,4})[ \t]?", re.MULTILINE)


class Likeness(StrEnum):
    """How a quote stands in a text."""

    EXACT = "exact"
    NEAR = "near"  # other spaces, brackets or quotation marks; every word, number and operator is there
    NONE = "none"


def likeness(quote: str, text: str) -> Likeness:
    """Return how a quote stands in a text: spaces count alike, and an ellipsis is a gap."""
    quote, text = quote[:MAX_QUOTE], text[:MAX_TEXT]
    for wanted in dict.fromkeys((quote, LINE_NUMBER.sub("", quote))):
        parts = [part for part in (_plain(part) for part in GAP.split(wanted)) if part]
        for kept in (_plain(text), _plain(_unwrapped(text))):
            if parts and _in_order(parts, kept):
                return Likeness.EXACT
    return Likeness.NEAR if _is_near(_plain(quote), _plain(text)) else Likeness.NONE


def _plain(text: str) -> str:
    return SPACE.sub(" ", text).strip()


def _unwrapped(text: str) -> str:
    """Return a text without the signs that comments and strings put at the beginning of a line."""
    return re.sub(r"\n[ \t]{0,80}(?:#|//|--|\*|\"\s?)[ \t]?", " ", text)


def _in_order(parts: list[str], text: str) -> bool:
    """Tell whether parts stand in a text one after the other, none of them cut out of a longer word."""
    at = 0
    for part in parts:
        at = _find(part, text, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _find(part: str, text: str, at: int) -> int:
    while (at := text.find(part, at)) >= 0:
        end = at + len(part)
        cut_before = at > 0 and _is_word(part[0]) and _is_word(text[at - 1])
        cut_after = end < len(text) and _is_word(part[-1]) and _is_word(text[end])
        if not cut_before and not cut_after:
            return at
        at += 1
    return -1


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _is_near(quote: str, text: str) -> bool:
    """Tell whether the best window of a text is much like a quote and has all that it says."""
    from rapidfuzz import fuzz

    if not quote or len(quote) > MAX_NEAR or not text:
        return False
    best = fuzz.partial_ratio_alignment(quote, text, score_cutoff=NEAR * 100)
    if best is None or len(quote) > len(text):
        return False
    window = text[max(best.dest_start - 2, 0) : best.dest_end + 2]
    return is_abridged(quote, window)


def is_abridged(quote: str, text: str) -> bool:
    """Tell whether a quote has the signs of a text in their order, less some words that do not turn its meaning."""
    wanted, at, dropped = _signs(quote), 0, list[str]()
    for sign in _signs(text):
        if at < len(wanted) and sign == wanted[at]:
            at += 1
        elif 0 < at < len(wanted):
            dropped.append(sign)
    return at == len(wanted) and not any(sign.lower() in TURNING or not sign[0].isalnum() for sign in dropped)


def _signs(text: str) -> list[str]:
    return [sign for sign in TOKEN.findall(text) if sign not in LOOSE]
