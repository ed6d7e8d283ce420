"""A question to the words that columns may be called by without being named: "when" asks for a date."""

from __future__ import annotations

import re
from typing import NamedTuple

from coderag.text.tokens import stem

__all__ = ["hinted_terms"]


class Hint(NamedTuple):
    """What a pattern in a question lets expect of the columns that answer it."""

    pattern: re.Pattern[str]
    terms: tuple[str, ...]
    weight: float


def _hint(pattern: str, words: str, weight: float, *, case: bool = False) -> Hint:
    flags = re.VERBOSE | (0 if case else re.IGNORECASE)
    return Hint(re.compile(pattern, flags), tuple(stem(word) for word in words.split()), weight)


NAME_INSIDE = r"(?<!^)(?<![.?!]\ )\b[A-Z][a-z]+"  # a word with a capital that begins no sentence
HINTS = (
    _hint(
        r"""\b(?:1[89]|20)\d\d\b | \d/\d | \b(?:january|february|march|april|may|june|july|august|september|october
        |november|december|when|dated?|oldest|newest|latest|recent(?:ly)?|earliest|before|after|since|until|during|day
        |month|years?)\b""",
        "date year time day month timestamp datetime",
        1.0,
    ),
    _hint(r"\b(?:when|how\ long|duration|began|started|ended|finish)\b", "date time start end begin duration", 0.7),
    _hint(r"\b(?:who|whose|full\ name|names?)\b", "name", 1.0),
    _hint(NAME_INSIDE + r"\ (?:[A-Z]\.?\ )?[A-Z][a-z]+", "name", 1.0, case=True),
    _hint(r"\b(?:who|whose|full\ name|names?)\b", "first last full fname lname firstname lastname surname", 0.6),
    _hint(
        NAME_INSIDE + r"\ (?:[A-Z]\.?\ )?[A-Z][a-z]+",
        "first last full fname lname firstname lastname surname",
        0.6,
        case=True,
    ),
    _hint(NAME_INSIDE + r"""|["']""", "name title", 0.7, case=True),
    _hint(NAME_INSIDE + r"""|["']""", "description", 0.3, case=True),
    _hint(
        r"\b(?:old|oldest|young|younger|youngest|aged?|born|birthday)\b", "age birth birthday birthdate dob born", 1.0
    ),
    _hint(
        r"\b(?:where|located|location|place|address|lives?|living|city|cities|state|country|countries|region)\b",
        "city state country address location region street county",
        0.5,
    ),
    _hint(r"\b(?:in|from|at|of)\ [A-Z]", "city state country address location region street county", 0.5, case=True),
    _hint(
        r"""\b(?:how\ much|costs?|paid|pay|spent|spend|price|expensive|cheap|cheapest|revenue|profit|sales?|sold
        |earn(?:ed)?)\b | \$""",
        "amount price cost total quantity",
        0.8,
    ),
    _hint(r"\b(?:tall|taller|tallest|short|shortest)\b", "height", 1.0),
    _hint(r"\b(?:heavy|heavier|heaviest|lightest)\b", "weight", 1.0),
    _hint(r"\b(?:male|female|men|women|man|woman|boys?|girls?)\b", "gender sex", 1.0),
    _hint(r"\b(?:most|number|many|count|quantity|more\ than|less\ than)\b", "quantity count number", 0.3),
)


def hinted_terms(question: str) -> dict[str, float]:
    """Return the terms that a question hints at, each with how strongly, 0 to 1."""
    found: dict[str, float] = {}
    for hint in HINTS:
        if hint.pattern.search(question):
            for term in hint.terms:
                found[term] = max(found.get(term, 0.0), hint.weight)
    return found
