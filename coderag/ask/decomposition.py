"""A compound question to its parts, which are answered apart.

how are coupons checked and where are mails sent?   two questions
difference between Cart and Order                   what is Cart, what is Order
who calls A, B and C?                               three questions
who reads and writes orders?                        who reads orders, who writes orders
how are cursors encoded and decoded?                how are cursors encoded, how are cursors decoded
how is it cached on disk, and how in memcached?     how is it cached on disk, how is it cached in memcached
where is a cart kept, and who empties it?           two questions, the second of which needs the first's answer
how do orders and payments fit together             one
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.ask.memory.pronouns import pronouns_of
from coderag.ask.wording import content_words
from coderag.record import record

__all__ = ["MAX_PARTS", "SubQuestion", "decompose"]

MAX_PARTS = 4
LONGEST = 1_000  # characters; what is longer is a pasted text rather than several questions
OPENERS = r"(?:how|where|what|which|who|whose|when|why|is|are|does|do|can|list|show|explain|describe)"
ALSO = r"(?:also|then|and|finally|besides|secondly|plus|furthermore)"
CLAUSES = re.compile(
    rf";|\?\s{{1,20}}(?=\S)|(?<=[^\W\d])\.\s{{1,20}}(?=(?:{ALSO}|{OPENERS})\b)"
    r"|,?\s{1,20}(?:and|but|then|and then|as well as)(?:\s{1,20}also)?"
    rf"(?=\s{{1,20}}{OPENERS}\b)",
    re.IGNORECASE,
)
# What joins two descriptions as well as two questions: "request parsing as well as the rendering of errors".
BOTH = re.compile(r",?\s{1,20}(?:and also|as well as)\s{1,20}|,\s{1,20}and\s{1,20}", re.IGNORECASE)
MIN_DESCRIPTION = 3  # words of each
LEADS = re.compile(rf"^{ALSO}\b[\s,]{{0,9}}", re.IGNORECASE)
# A question, or the wish for an answer: what else stands before a full stop only introduces one.
ASKS = re.compile(rf"^(?:{OPENERS}|i|we|tell|please|could|would|find|give)\b", re.IGNORECASE)
DIFFERENCE = re.compile(
    r"""^(?:what(?:'s|\ is|\ are)\ the\ |explain\ the\ |the\ )?differences?\ between\ (?P<left>.+?)\ and\ (?P<right>.+)$
      | ^how\ (?:do|does|is|are)\ (?P<left2>.+?)\ (?:differ|different)\ from\ (?P<right2>.+)$
      | ^compare\ (?P<left3>.+?)\ (?:and|with|to)\ (?P<right3>.+)$
      | ^(?P<left4>\S+)\ (?:vs\.?|versus)\ (?P<right4>\S+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
RELATION = r"(?:calls|uses|reads|writes to|writes|tests|creates|updates|deletes|changes)"
# "who calls A and B" asks twice of the same verb, "who reads and writes A" of the same thing.
NAMES = re.compile(
    rf"^(?P<asked>(?:who|what) {RELATION}) (?P<names>[\w.:]+(?:, [\w.:]+){{0,2}},? and [\w.:]+)$", re.IGNORECASE
)
VERBS = re.compile(
    rf"^(?P<asked>who|what|which \w{{2,40}}) (?P<left>{RELATION}) and (?P<right>{RELATION}) (?P<rest>\S.*)$",
    re.IGNORECASE,
)
PARTICIPLE = (
    r"(?:\w{2,30}ed|built|bound|chosen|done|drawn|found|given|held|kept|lost|made|put|read|run|sent|set|shown|sold"
    r"|split|taken|thrown|written)"
)
PARTICIPLES = re.compile(
    r"^(?P<asked>(?:how|where|when|why) (?:is|are|was|were) .{1,200}?)"
    rf" (?P<left>{PARTICIPLE}) and (?P<right>{PARTICIPLE})$",
    re.IGNORECASE,
)
# "how in memcached" goes on with the verb of the clause before.
ELLIPSIS = re.compile(r"^how (?P<rest>(?:for|in|on|with|to|by|from|at|into) .+)$", re.IGNORECASE)
HEAD = re.compile(r"^(?P<head>.{3,200}?) (?:for|in|on|with|to|by|from|at|into) ", re.IGNORECASE)
# "give an overview of the modules and what each is for" asks one thing of them all.
OF_EACH = re.compile(r"^what (?:each|they)(?: all| of them)? (?:is|are|do|does)\b", re.IGNORECASE)
MIN_WORDS = 2  # of a part: "and why" is too short


@record
class SubQuestion:
    """A part of a question."""

    text: str
    needs: int = -1  # the part before it, from 0, whose answer it refers to; -1: none


def decompose(question: str) -> tuple[SubQuestion, ...]:
    """Return the parts of a question in order, itself alone where it is not compound."""
    text = " ".join(question.split()).rstrip(" ?.!")
    parts = _parts(text) if len(text) <= LONGEST else ()
    return _with_needs(parts) if parts else (SubQuestion(question),)


def _parts(text: str) -> Sequence[str]:
    """Return the texts of the parts, none where a question is not compound."""
    if shared := _of_one_subject(text):
        return shared
    clauses = [LEADS.sub("", clause.strip(" ,")) for clause in CLAUSES.split(text)]
    if len(clauses) == 1:
        clauses = [clause.strip(" ,") for clause in BOTH.split(text)]
        return clauses if len(clauses) == 2 and _are_descriptions(clauses) else ()
    too_short = any(len(clause.split()) < MIN_WORDS for clause in clauses)
    introduced = ". " in text and not ASKS.match(clauses[0])
    if len(clauses) > MAX_PARTS or too_short or introduced or any(map(OF_EACH.match, clauses)):
        return ()
    return [_completed(clause, before) for before, clause in zip(["", *clauses], clauses, strict=False)]


def _of_one_subject(text: str) -> Sequence[str]:
    """Return the parts of a question that says but once what all of them share."""
    if match := DIFFERENCE.match(text):
        return [f"what is {side}" for side in match.groups() if side]
    if match := NAMES.match(text):
        names = re.split(r",? and |, ", match["names"])
        return [f"{match['asked']} {name}" for name in names]
    if match := VERBS.match(text):
        return [f"{match['asked']} {match[side]} {match['rest']}" for side in ("left", "right")]
    if match := PARTICIPLES.match(text):
        return [f"{match['asked']} {match[side]}" for side in ("left", "right")]
    return ()


def _are_descriptions(clauses: Sequence[str]) -> bool:
    """Tell whether both sides say enough to stand alone, and are no items of a list."""
    return all("," not in clause and len(content_words(clause)) >= MIN_DESCRIPTION for clause in clauses)


def _completed(clause: str, before: str) -> str:
    """Return a clause with the verb of that before it, where it has none."""
    ellipsis, head = ELLIPSIS.match(clause), HEAD.match(before)
    return f"{head['head']} {ellipsis['rest']}" if ellipsis and head else clause


def _with_needs(texts: Sequence[str]) -> tuple[SubQuestion, ...]:
    return tuple(
        SubQuestion(text, needs=number - 1 if number and pronouns_of(text) else -1) for number, text in enumerate(texts)
    )
