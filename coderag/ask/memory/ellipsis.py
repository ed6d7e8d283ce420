"""Questions that leave out what the last one said: "and the tests?", "what about refunds?", "why?", "in production?".

who calls Cart.total?               and Order.total?     who calls Order.total?
where are failed payments retried?  what about refunds?  where are refunds retried?
who calls Cart.total?               and the tests?       what tests Cart.total?
how are stock reservations made?    why?                 why are stock reservations made?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from coderag.ask.memory.antecedents import antecedents
from coderag.ask.memory.conversation import Exchange
from coderag.ask.memory.entities import DETERMINERS, Frame, frame_of, is_known, is_participle, is_plural
from coderag.ask.relations import relation_of

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["completed", "opening_of"]

LONGEST = 200  # characters of a question that leaves something out
MOST_WORDS = 7
OPENING = re.compile(
    r"^(?:(?:ok(?:ay)?|and|or|also|then|so|but),? )?(?P<about>what about|how about|same for|the same for|what of)? ?",
    re.IGNORECASE,
)
JOINED = re.compile(r"^(?:(?:ok(?:ay)?,? )?(?:and|or|also|but)),? ", re.IGNORECASE)
ASPECTS = (
    (
        re.compile(r"^(?:its |their |the |any |which )?(?:unit )?tests?(?: (?:for|of) (?:it|that|them))?$"),
        "what tests {}",
    ),
    (re.compile(r"^(?:its |their |the |any )?callers?$"), "who calls {}"),
    (re.compile(r"^(?:its |their |the |any )?(?:usages?|uses|users|references)$"), "what uses {}"),
    (re.compile(r"^(?:its |their |the |any )?readers?$"), "what reads {}"),
    (re.compile(r"^(?:its |their |the |any )?writers?$"), "what writes to {}"),
    (re.compile(r"^(?:its |their |the |any )?(?:subclasses|implementations)$"), "what inherits from {}"),
    (
        re.compile(
            r"^(?:its |their |the |any )?(?P<aspect>columns|indexes|joins|foreign keys|primary key|constraints"
            r"|arguments|parameters|errors|exceptions|docs|documentation|configuration|settings|implementation|definition|code"
            r"|return value|signature|defaults?)$"
        ),
        "{aspect} of {}",
    ),
)  # what a question asks for of something that it leaves out
ALONE = re.compile(r"^(?P<word>why|how|where|when)(?: (?:exactly|so|not|then))?$")
WHO_ELSE = re.compile(r"^(?:who|what|where) else$|^anything else$")
PLACED = re.compile(
    r"^(?:only |just |also )?(?:in|from|for|with|without|during|on|at|inside|outside) (?!which|what|whose|where)\S"
)
ASKS = re.compile(
    r"^(?:how|where|what|which|who|whose|when|why|is|are|does|do|can|did|was|were|list|show|explain|describe|find|give"
    r"|tell)\b",
    re.IGNORECASE,
)
FIRST_WORD = re.compile(r"^(?:how|where|when|why|what|which \w{1,30}|who)\b", re.IGNORECASE)
PLURAL_OF = {"is": "are", "was": "were", "does": "do", "has": "have"}
SINGULAR_OF = {plural: singular for singular, plural in PLURAL_OF.items()}
FEW = 6  # candidates that are tried


def opening_of(question: str) -> str:
    """Return the "and" with which a question goes on, "" for one that begins by itself."""
    match = JOINED.match(question)
    return match[0] if match else ""


def completed(question: str, exchanges: Sequence[Exchange], index: Index) -> str:
    """Return a question with what it leaves out, "" for one that leaves nothing out, or too much."""
    text = " ".join(question.split()).rstrip(" ?.!")
    if not text or len(text) > LONGEST or len(text.split()) > MOST_WORDS or not exchanges:
        return ""
    last = exchanges[-1].text
    opening = OPENING.match(text)
    fragment = text[opening.end() :] if opening else text
    leads_on = bool(opening and opening[0].strip())
    lowered = fragment.lower()
    if WHO_ELSE.match(lowered):
        return last
    if alone := ALONE.match(lowered):
        return _asked_otherwise(alone["word"], last)
    candidates = antecedents(fragment, exchanges, index)
    if (leads_on or len(lowered.split()) <= 2) and (asked := _aspect(lowered, last, candidates)):
        return asked
    if ASKS.match(fragment) or not (leads_on or PLACED.match(lowered)) or not fragment:
        return ""
    if PLACED.match(lowered):
        return f"{last.rstrip(' ?.!')} {fragment}"
    return _replaced(fragment, exchanges[-1], index)


def _aspect(fragment: str, last: str, found: Iterable[str]) -> str:
    for pattern, form in ASPECTS:
        if match := pattern.match(fragment):
            asked = (form.format(name, **match.groupdict()) for name in islice(found, FEW))
            return next((one for one in asked if one != last.rstrip(" ?")), "")
    return ""


def _asked_otherwise(word: str, last: str) -> str:
    """Return the last question with another word that asks: "how are orders paid" as "why are orders paid"."""
    text = last.rstrip(" ?.!")
    frame = frame_of(text)
    if frame is None or not FIRST_WORD.match(text):
        return f"{word}: {text}"
    return " ".join(filter(None, (word, frame.auxiliary, frame.subject, frame.rest)))


def _replaced(fragment: str, exchange: Exchange, index: Index) -> str:
    """Return the last question about something else: its name is replaced by a name, its subject by words."""
    last = exchange.text.rstrip(" ?.!")
    relation = relation_of(last)
    bare = fragment.split(" ", 1)[-1] if fragment.split(" ", 1)[0].lower() in DETERMINERS else fragment
    old = relation.target if relation else next(iter(exchange.names), "")
    if old and len(bare.split()) == 1 and (relation or is_known(bare, index)) and old in last:
        return last.replace(old, bare, 1)
    frame = frame_of(last)
    if frame is None:
        return f"{last} {fragment}"
    done, _, place = frame.rest.partition(" ")
    if is_participle(fragment) and is_participle(done):
        return " ".join(filter(None, (frame.lead, frame.subject, fragment, place)))
    return _about(frame, fragment)


def _about(frame: Frame, fragment: str) -> str:
    verbs = PLURAL_OF if is_plural(fragment) or " and " in fragment else SINGULAR_OF
    auxiliary = verbs.get(frame.auxiliary.lower(), frame.auxiliary)
    lead = frame.lead[: -len(frame.auxiliary)] + auxiliary
    return " ".join(filter(None, (lead, fragment, frame.rest)))
