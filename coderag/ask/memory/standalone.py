"""A question and its conversation to the question that stands alone, by rules; most questions stay as they are.

A question is only rewritten where it points out of itself: by a pronoun, by a place in what was shown, or by what it
leaves out. What is put in its place is something that the same conversation named, and that the index knows today.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from coderag.ask.memory.antecedents import antecedents
from coderag.ask.memory.conversation import Conversation, Exchange, Shown
from coderag.ask.memory.ellipsis import completed, opening_of
from coderag.ask.memory.pronouns import Pronoun, pronouns_of
from coderag.ask.memory.reading import Reading

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["leans_on_context", "standalone_question"]

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
PLACE = re.compile(
    rf"(?:\bthe (?P<ordinal>{'|'.join(ORDINALS)}|last) (?:one|hit|result|source|answer)\b"
    r"|\b(?:source|hit|result|number) (?P<number>\d)\b|\[(?P<cited>\d)\])",
    re.IGNORECASE,
)
OWNED = re.compile(r" (\w{1,60})")
FEW = 6  # candidates that are tried


def leans_on_context(question: str) -> bool:
    """Tell whether a question points out of itself by a pronoun or a place, or goes on with "and"."""
    return bool(pronouns_of(question) or PLACE.search(question) or opening_of(question))


def standalone_question(question: str, conversation: Conversation, index: Index) -> Reading | None:
    """Return how a question reads in a conversation, None for one that stands alone."""
    exchanges = conversation.exchanges
    if not exchanges:
        return None
    if text := _placed(question, exchanges[-1].shown):
        return Reading(text, f"{question!r} is read as {text!r}, by what was shown")
    if text := completed(question, exchanges, index):
        return Reading(text, f"{question!r} is read as {text!r}, by the question before")
    pronouns = pronouns_of(question)
    if not pronouns:
        return None
    text = _resolved(question, pronouns, exchanges, index)
    words = ", ".join(repr(pronoun.text) for pronoun in pronouns)
    if not text:
        return Reading(
            question, f"{words} points to nothing that the conversation named; the question is left as it is"
        )
    return Reading(text, f"{question!r} is read as {text!r}: {words} is of the conversation")


def _placed(question: str, shown: Sequence[Shown]) -> str:
    """Return a question with a place in the list of sources replaced by what lies there."""

    def named(match: re.Match[str]) -> str:
        digit = match["number"] or match["cited"]
        word = (match["ordinal"] or "").lower()
        number = int(digit) if digit else len(shown) if word == "last" else ORDINALS.index(word) + 1
        if not 1 <= number <= len(shown):
            return match[0]
        return shown[number - 1].name or shown[number - 1].path

    text = PLACE.sub(named, question)
    return text if text != question else ""


def _resolved(question: str, pronouns: Sequence[Pronoun], exchanges: Sequence[Exchange], index: Index) -> str:
    """Return a question with its pronouns replaced, "" if nothing fits; never the question before."""
    first = pronouns[0]
    asked = question[len(opening_of(question)) :]
    shift = len(question) - len(asked)
    before = _plain(exchanges[-1].text)
    candidates = antecedents(asked, exchanges, index, noun=first.noun.removesuffix("s"), plural=first.is_plural)
    for name in islice(candidates, FEW):
        text = asked
        for pronoun in reversed(pronouns):
            start, end = pronoun.start - shift, pronoun.end - shift
            text = text[:start] + _with(name, text[end:], is_possessive=pronoun.is_possessive)
        if _plain(text) != before:
            return text
    return ""


def _with(name: str, after: str, *, is_possessive: bool) -> str:
    """Return a name and what comes after it: "its total" is "the total of Cart"."""
    owned = OWNED.match(after) if is_possessive else None
    return f"the {owned[1]} of {name}{after[owned.end() :]}" if owned else f"{name}{after}"


def _plain(text: str) -> str:
    return " ".join(text.lower().rstrip(" ?.!").split())
