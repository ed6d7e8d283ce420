"""The text of a question to its weighted terms, symbols, paths, query type and the labels of files that it wants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from coderag.record import record
from coderag.search.query.vocabulary import (
    AMOUNTS,
    ASKING,
    AUXILIARIES,
    BEHAVIOR_VERBS,
    EDIT_VERBS,
    FAULT_PHRASES,
    FAULT_WORDS,
    MAKING,
    PREPOSITIONS,
    STATING,
    STOP_WORDS,
    TYPE_WORDS,
    WANTS,
    WEAK_WORDS,
)
from coderag.text.tokens import plain_name, split_identifier, stem, terms, words

__all__ = ["STOP_WEIGHT", "QueryType", "Question", "understand"]

QUALIFIED = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->|/|:)[^\W\d]\w*)+|[^\W\d]\w*")
# A path, a file's name, or a word that is neither, which is passed over at once.
PATH = re.compile(r"(?<![\w.@+-])(?:[\w.@+-]+/)+[\w.@+-]*|[\w@+-]++(?:\.[a-z]\w{0,4}\b)?")
INNER_CAPITAL = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]")
ENDLESS = re.compile(r"\S{200,}")
CAPITALISED = re.compile(r"\b([A-Z][a-z]\w*)\b")
SCOPED = re.compile(r"\s*[\w./*()-]{1,40}:\s+(?:do not|([^\W\d]\w*))|do not\b", re.IGNORECASE)
SIGNS = ("?", "!")  # that end a name
BESIDE_NAMES = frozenset("a an the at from in of on class function method".split())
DEFINING = frozenset("definition definitions implementation implementations".split())  # ends what is no clause
MIN_DIRECT = 5  # words; a shorter question names a topic
MAX_PHRASE = 14  # words; who writes more describes a change
STOP_WEIGHT, WEAK_WEIGHT, JOINED_WEIGHT, PIECE_WEIGHT = 0.05, 0.4, 0.5, 0.8


class QueryType(StrEnum):
    """The intent of a question, which decides the weights of its ranking and how many hits of a file it wants."""

    SYMBOL = "symbol"  # only names: wants their definitions
    EDIT = "edit"  # a change to make: wants the places, however close together
    BEHAVIOR = "behavior"  # what a function does, or what happens and how: wants the function
    TOPIC = "topic"  # words: wants the files that are about them


@record
class Question:
    """A question, parsed."""

    text: str
    query_type: QueryType
    is_direct: bool  # asks what happens, and so for the function that does it; not where, which, or for a type
    terms: dict[str, float]  # term -> weight
    symbols: tuple[str, ...]  # names written as code, in dots and lower case: "session.get"
    members: tuple[
        str, ...
    ]  # of two names and no more: each as a member of the other, "session.get" of "get in Session"
    spelled: frozenset[str]  # every word as it is written
    capitals: tuple[str, ...]  # words that only a capital inside the sentence marks as names, lower case
    paths: tuple[str, ...]  # what looks like a file or folder
    wants: frozenset[str]  # labels of files that are demoted for other questions


def understand(text: str) -> Question:
    """Return a question, parsed."""
    # No name is so long; a word without end would keep the expressions below busy for seconds.
    plain = ENDLESS.sub(" ", text.replace("`", " "))
    matches = list(QUALIFIED.finditer(plain))
    found = [match[0] for match in matches]
    symbols = tuple(dict.fromkeys(name for match in matches if _is_symbol(match[0], text) for name in _names(match)))
    alone = len(words(text)) == len(words(found[0])) if found else False
    if alone and not symbols:
        symbols = _names(matches[0])
    lowered = [word.lower() for word in words(plain)]
    return Question(
        text=text,
        query_type=_query_type(plain, found, symbols, lowered),
        is_direct=_is_direct(lowered) and lowered[0] not in ("where", "which") and TYPE_WORDS.isdisjoint(lowered),
        terms=_weighted_terms(words(plain)),
        symbols=symbols,
        members=_members(matches, symbols),
        spelled=frozenset(words(plain)),
        capitals=_capitals(plain, symbols),
        paths=tuple(
            dict.fromkeys(path.strip("/") for path in PATH.findall(plain) if "." in path or path.count("/") > 0)
        ),
        wants=_wants(lowered),
    )


def _wants(lowered: Sequence[str]) -> frozenset[str]:
    """Return the labels of the files that some words ask for; "documentation generation" asks for what generates it."""
    asked = {word for word, after in zip(lowered, (*lowered[1:], ""), strict=False) if after not in MAKING}
    return frozenset(label for label, asking in WANTS.items() if not asking.isdisjoint(asked))


def _is_symbol(word: str, text: str) -> bool:
    """Tell whether a word is written as code: qualified, camelCase, snake_case, quoted, or called."""
    if any(mark in word for mark in ("_", "::", "#", "->")) or INNER_CAPITAL.search(word):
        return True
    if "." in word or ":" in word:
        return "/" not in word
    return f"`{word}`" in text or f"{word}(" in text


def _names(match: re.Match[str]) -> tuple[str, ...]:
    """Return the names that a word may be, in dots and lower case: with a sign behind it, too, as Ruby has `valid?`."""
    name = plain_name(match[0])
    sign = match.string[match.end() : match.end() + 1]
    return (name, f"{name}{sign}") if sign in SIGNS else (name,)


def _members(matches: Sequence[re.Match[str]], symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Return each of two names as a member of the other; none where a question has more words, or no name."""
    content = [match for match in matches if match[0].lower() not in BESIDE_NAMES]
    if len(content) != 2:
        return ()
    first, second = content
    named = any(plain_name(match[0]) in symbols or match[0][0].isupper() for match in content)
    if not named or any(not match[0].isidentifier() for match in content):
        return ()
    return tuple(
        f"{plain_name(scope[0])}.{name}" for scope, own in ((first, second), (second, first)) for name in _names(own)
    )


def _capitals(text: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with a capital that does not begin a sentence, or does but is no ordinary word."""
    found = [
        match[1].lower()
        for match in CAPITALISED.finditer(text)
        if match[1].lower() not in STOP_WORDS and match[1].lower() not in EDIT_VERBS and match[1].lower() not in symbols
    ]
    return tuple(dict.fromkeys(found))


def _is_change(text: str) -> bool:
    """Tell whether a text begins like the subject of a commit: "parser: accept empty lines", "do not ..."."""
    match = SCOPED.match(text)
    return match is not None and (match[1] is None or match[1].lower() in EDIT_VERBS | BEHAVIOR_VERBS)


def _query_type(text: str, found: list[str], symbols: tuple[str, ...], lowered: list[str]) -> QueryType:
    content = [word for word in found if word.lower() not in STOP_WORDS]
    if content and all(plain_name(word) in symbols for word in content):
        return QueryType.SYMBOL
    if lowered and (lowered[0] in EDIT_VERBS or _is_change(text)):
        return QueryType.EDIT
    if _is_direct(lowered):
        return QueryType.BEHAVIOR
    if len(lowered) > MAX_PHRASE:
        return QueryType.EDIT
    if lowered and lowered[-1] in DEFINING:
        return QueryType.TOPIC
    if lowered and (lowered[0] in BEHAVIOR_VERBS or lowered[0].removesuffix("s") in BEHAVIOR_VERBS | EDIT_VERBS):
        return QueryType.BEHAVIOR
    return QueryType.EDIT if _is_fault(lowered) else QueryType.TOPIC


def _is_fault(lowered: list[str]) -> bool:
    """Tell whether some words report a fault or say how something should be, and do not ask."""
    if not lowered or lowered[0] == "how" or lowered[0] in ASKING | AUXILIARIES:
        return False
    return not FAULT_WORDS.isdisjoint(lowered) or not FAULT_PHRASES.isdisjoint(pairwise(lowered))


def _is_direct(lowered: list[str]) -> bool:
    """Tell whether some words ask directly what happens, and so for the function that does it.

    "how are expired tokens refused" and "is an expired token refused" do; "how tokens expire" and "where is the parser"
    name a topic.
    """
    if len(lowered) < MIN_DIRECT:
        return False
    first, second = lowered[:2]
    if first in ASKING or (first in AUXILIARIES and second not in STATING):
        return True
    return (first == "how" and second in AUXILIARIES | AMOUNTS) or (second in ASKING and first in PREPOSITIONS)


def _weighted_terms(found: list[str]) -> dict[str, float]:
    """Return the terms of some words with their weights; neighbours joined too, so "rate limit" finds ratelimit."""
    weighted: dict[str, float] = {}

    def add(term: str, weight: float) -> None:
        weighted[term] = max(weighted.get(term, 0.0), weight)

    for word in found:
        lowered = word.lower()
        weight = STOP_WEIGHT if lowered in STOP_WORDS else WEAK_WEIGHT if lowered in WEAK_WORDS else 1.0
        *pieces, whole = terms(word) or ("",)
        for piece in pieces:
            add(piece, weight * PIECE_WEIGHT)
        if whole:
            add(whole, weight)
    for left, right in pairwise(found):
        pair = left.lower(), right.lower()
        if not (STOP_WORDS & set(pair)) and left.isalpha() and right.isalpha():
            add(stem("".join(split_identifier(left) + split_identifier(right))), JOINED_WEIGHT)
    return weighted
