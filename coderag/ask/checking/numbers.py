"""Whether a source has a number, in its own unit or in another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.ask.checking.vocabulary import NUMBER_WORDS
from coderag.record import record

__all__ = ["Amount", "amounts_in", "is_stated", "value_of"]

MAX_TEXT = 400_000
NUMBER = re.compile(r"(?<![A-Za-z_.\d])\d[\d_,]*+(?:\.\d++)?")
ANY_NUMBER = re.compile(r"\d++")
WORDS = re.compile(r"\b(" + "|".join(NUMBER_WORDS) + r")\b", re.I)
PARTS = {"half": 50.0, "third": 33.0, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0}  # percent
TIME = (60.0, 3_600.0, 86_400.0, 1_000.0, 60_000.0, 3_600_000.0, 24.0, 7.0, 168.0, 1e6, 1e9)
SIZE = (1_024.0, 1_048_576.0, 1_000.0, 1e6, 8.0)
SHARE = (100.0,)
TIME_UNITS = re.compile(r"(?:ms|milli.*|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?)$")
SIZE_UNITS = re.compile(r"(?:[kmg]i?b|b|bytes?|kilobytes|megabytes|bits?|kg|kilograms?|grams?)$")
SHARE_UNITS = re.compile(r"(?:%|percent|percentage|euros?|cents?)$")
CLOSE = 1e-6


@record
class Amount:
    """A number and its unit, "" for none."""

    value: float
    unit: str = ""


def value_of(text: str) -> float:
    """Return a number as it is written, with separators."""
    try:
        return float(text.replace("_", "").replace(",", ""))
    except ValueError:
        return float("nan")


def amounts_in(text: str) -> frozenset[float]:
    """Return the numbers that a text states, in digits or words."""
    return frozenset(_values(text[:MAX_TEXT]))


def _values(text: str) -> Iterator[float]:
    for match in NUMBER.finditer(text):
        if len(match[0]) < 40:
            yield value_of(match[0].rstrip(",_"))
            if "," in match[0]:
                yield from (value_of(part) for part in match[0].split(",") if part)
    for match in ANY_NUMBER.finditer(text):
        if len(match[0]) < 20:
            yield float(match[0])
    for match in WORDS.finditer(text):
        yield float(NUMBER_WORDS[match[1].lower()])
    for word, share in PARTS.items():
        if word in text:
            yield share


def is_stated(amount: Amount, known: frozenset[float]) -> bool:
    """Tell whether a number is among those of a source, by itself or in a related unit."""
    if amount.value in known:
        return True
    unit = amount.unit
    factors: tuple[float, ...] = TIME if TIME_UNITS.match(unit) else SIZE if SIZE_UNITS.match(unit) else ()
    factors = SHARE if SHARE_UNITS.match(unit) else factors
    return any(
        abs(one * factor - amount.value) < CLOSE * max(1.0, amount.value)
        or abs(amount.value * factor - one) < CLOSE * one
        for one in known
        for factor in factors
    )
