"""Whether two questions ask the same: by their vectors, and only where the same words say it in the same order.

please, where are the coupons redeemed?   = where is a coupon redeemed in this repository?
who may cancel an order?                  ≠ who may not cancel an order?
how are orders stored?                    ≠ how are payments stored?
what calls Cart.total?                    ≠ what does Cart.total call?
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.record import record
from coderag.text.tokens import stem

__all__ = ["Meaning", "meaning_of", "similarity"]

COURTESY = re.compile(
    r"^(?:(?:please|hi|hello|hey|ok|okay|so),? |(?:can|could|would) you (?:please )?|(?:tell|show) me |i want to know "
    r"|i would like to know |do you know )",
    re.IGNORECASE,
)
HERE = re.compile(r" (?:in|of) (?:this|the|our) (?:repo|repository|codebase|code base|project|code)\b", re.IGNORECASE)
WORD = re.compile(r"\w+(?:(?:\.|::|#)\w+)*(?:['\u2019]t\b)?|[^\w\s?.!,;]")
FILLERS = frozenset("a an the please exactly actually currently really just".split())
ONE_WORD = {**dict.fromkeys(("is", "are"), "be"), **dict.fromkeys(("was", "were"), "been"), "does": "do", "has": "have"}
# A word in lower case alone may come in another form; a name is what it is.
PLAIN = re.compile(r"[a-z]+")


@record
class Meaning:
    """A question as its vector, and as the words that must be equal."""

    vector: tuple[float, ...]  # of unit length
    words: tuple[str, ...]


def meaning_of(question: str, vector: Sequence[float]) -> Meaning:
    """Return what a question means, given its vector."""
    return Meaning(tuple(float(one) for one in vector), _words_that_matter(question))


def similarity(one: Meaning, other: Meaning) -> float:
    """Return the cosine of two questions, 0 if a word that matters differs."""
    if one.words != other.words or len(one.vector) != len(other.vector):
        return 0.0
    return sum(a * b for a, b in zip(one.vector, other.vector, strict=True))


def _words_that_matter(question: str) -> tuple[str, ...]:
    text = HERE.sub("", " ".join(question.split()))
    while (shorter := COURTESY.sub("", text, count=1)) != text:
        text = shorter
    text = text[:1].lower() + text[1:] if text[1:2].islower() and " " in text else text
    matter = (word for word in WORD.findall(text) if word.lower() not in FILLERS)
    return tuple(stem(ONE_WORD.get(word, word)) if PLAIN.fullmatch(word) else word for word in matter)
