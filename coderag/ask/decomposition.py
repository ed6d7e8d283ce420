"""A compound question to its parts, which are answered apart.

how are coupons checked and where are mails sent?   two questions
difference between Cart and Order                   what is Cart, what is Order
who calls A and who calls B?                        two questions
how do orders and payments fit together             one
"""

from __future__ import annotations

import re

__all__ = ["MAX_PARTS", "decompose"]

MAX_PARTS = 4
LONGEST = 1_000  # characters; what is longer is a pasted text rather than several questions
OPENERS = r"(?:how|where|what|which|who|whose|when|why|is|are|does|do|can|list|show|explain|describe)"
CLAUSES = re.compile(
    r";|\?\s{1,20}(?=\S)|,?\s{1,20}(?:and|but|then|and then|as well as)(?:\s{1,20}also)?"
    rf"(?=\s{{1,20}}{OPENERS}\b)",
    re.IGNORECASE,
)
DIFFERENCE = re.compile(
    r"""^(?:what(?:'s|\ is|\ are)\ the\ |explain\ the\ |the\ )?differences?\ between\ (?P<left>.+?)\ and\ (?P<right>.+)$
      | ^how\ (?:do|does|is|are)\ (?P<left2>.+?)\ (?:differ|different)\ from\ (?P<right2>.+)$
      | ^compare\ (?P<left3>.+?)\ (?:and|with|to)\ (?P<right3>.+)$
      | ^(?P<left4>\S+)\ (?:vs\.?|versus)\ (?P<right4>\S+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "who calls A and B" asks twice of the same verb.
SHARED = re.compile(
    r"^(?P<asked>(?:who|what) (?:calls|uses|reads|writes to|writes|tests)) (?P<left>[\w.:]+) and (?P<right>[\w.:]+)$",
    re.IGNORECASE,
)
MIN_WORDS = 2  # of a part: "and why" is too short


def decompose(question: str) -> tuple[str, ...]:
    """Return the parts of a question in order, itself alone where it is not compound."""
    text = " ".join(question.split()).rstrip(" ?.!")
    if len(text) > LONGEST:
        return (question,)
    if match := DIFFERENCE.match(text):
        left, right = (side for side in match.groups() if side)
        return f"what is {left}", f"what is {right}"
    if match := SHARED.match(text):
        return f"{match['asked']} {match['left']}", f"{match['asked']} {match['right']}"
    clauses = [clause.strip(" ,") for clause in CLAUSES.split(text)]
    if not 1 < len(clauses) <= MAX_PARTS or any(len(clause.split()) < MIN_WORDS for clause in clauses):
        return (question,)
    return tuple(clauses)
