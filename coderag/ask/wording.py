"""The words of a question: those that say what it is about, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from coderag.search.query.vocabulary import ASKING, AUXILIARIES, STOP_WORDS, WEAK_WORDS
from coderag.text.tokens import stem, words

__all__ = ["WEAK_WEIGHT", "content_words", "is_weak", "names_in", "overlap", "stems_in"]

NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)+|[^\W\d]\w*")
INNER_CAPITAL = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]")
# Words that ask, or name what is asked for, and say nothing of the matter; beside those of every search.
ASKING_WORDS = frozenset(
    """again against explain describe tell give list find look name mean means know need want please here thing things
    kind kinds ways anything something someone whom whose long often exactly actually currently possible purpose
    difference compare differ differs versus vs both after two three first repository repo project codebase code
    come comes go goes whole main lead leads reach everything job""".split()
)
# Verbs and adverbs of plain English: that a program never writes them says nothing of whether it has what is asked for.
PLAIN_WORDS = frozenset(
    stem(word)
    for word in """accidentally already always appear apply arrive arrange automatically become begin belong bring build
    cause choose contain deal decide describe detect different directly during easily end enforce ensure
    enter entire exceed exist fail fast figure finally finish first fix follow forbid forever forget full
    give good grow guarantee guess hang happen hard help hold immediately important inside involve keep
    kill large last late later leave live long look lose low maintain manage match matter meet miss most
    move multiple necessary never new next normal notice obtain occur old outgoing own pick place possible
    present prevent produce protect prove quickly rather reach react real really reason refuse remain remember
    represent respond responsible safe same save second secure see separate several silently simple single
    slow small somewhere stay still stop store strong succeed suddenly support suppose take tell thing
    third together too trigger turn twice chosen made found sent written kept given taken built got held
    lost known shown drawn drop unexpected unusual usually wait way work wrong""".split()
)
NO_MATTER = STOP_WORDS | ASKING_WORDS | ASKING | AUXILIARIES
WEAK_WEIGHT = 0.4


def content_words(question: str) -> list[str]:
    """Return the words that say what a question is about, in order, each once."""
    found = (word for word in words(question) if len(word) > 1 and not word.isdigit())
    content = (word for word in found if word.lower() not in NO_MATTER)
    return list(dict.fromkeys(content))


def is_weak(word: str) -> bool:
    """Tell whether a word says little of the matter: "function", "handled", "twice"."""
    return word.lower() in WEAK_WORDS or stem(word.lower()) in PLAIN_WORDS


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(stem(word.lower()) for word in words(text))


def overlap(text: str, weights: Mapping[str, float]) -> float:
    """Return how much of some stems, by their weights, a text holds."""
    return sum(weights.get(one, 0.0) for one in stems_in(text))


def names_in(question: str) -> list[str]:
    """Return the names that are written as code: qualified, in snake_case or camelCase, quoted, called."""
    names = (match[0] for match in NAME.finditer(question))
    return list(dict.fromkeys(name for name in names if _is_name(name, question)))


def _is_name(name: str, question: str) -> bool:
    if "_" in name or "::" in name or "#" in name or INNER_CAPITAL.search(name):
        return True
    return "." in name or f"`{name}`" in question or f"{name}(" in question
