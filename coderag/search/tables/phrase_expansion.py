"""Neighbouring words of a question to the words of a schema that abbreviate them together: `orca` for Oregon Caves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from coderag.index.catalog.catalog import Catalog
from coderag.text.asking import AskedWord

__all__ = ["PhraseTerm", "phrase_expansions"]

# How far each is trusted, where the words themselves count 1.
INITIALS = 0.4  # vat for value added tax
BEGINNINGS = 0.4  # orca for Oregon Caves

MIN_INITIALS = 3  # two letters fit too many neighbours by chance
LONG_INITIALS = 4  # letters that fit no neighbours by chance
MAX_RUN = 10  # words of a phrase, with the stop words inside
MIN_KEPT, MAX_KEPT = 2, 5  # letters of each of two words that are put together
MAX_APART = 2  # places between two such words: a stop word may stand between them


class PhraseTerm(NamedTuple):
    """A term that stands for several words of a question."""

    words: tuple[str, ...]  # in lower case
    term: int  # its hash
    trust: float
    lacking: bool  # only for databases that lack all of the words: initials fit by chance


class _Spelling(NamedTuple):
    text: str
    words: tuple[str, ...]


def phrase_expansions(catalog: Catalog, words: Sequence[AskedWord]) -> list[PhraseTerm]:
    """Return the terms of a catalog that may stand for neighbouring words of a question together."""
    lowered = [AskedWord(word.lower(), weight) for word, weight in words]
    pieces, terms = catalog.pieces, catalog.arrays["piece_terms"]
    found: list[PhraseTerm] = []
    for spellings, trust, lacking in ((_initials(lowered), INITIALS, True), (_beginnings(lowered), BEGINNINGS, False)):
        for text, of_words in dict.fromkeys(spellings):
            place = bisect_left(pieces, text)
            if place < len(pieces) and pieces[place] == text:
                rare = lacking and len(text) < LONG_INITIALS
                found.append(PhraseTerm(of_words, int(terms[place]), trust, rare))
    return found


def _initials(words: Sequence[AskedWord]) -> Iterator[_Spelling]:
    """Yield the first letters of each run of words that begins and ends with one that says something.

    Stop words count or do not: unit of measure is uom, position dilution of precision pdop or pdp.
    """
    for start, first in enumerate(words):
        if not first.weight or not first.word.isalpha():
            continue
        whole, short, saying = "", "", list[str]()
        for word, weight in words[start : start + MAX_RUN]:
            if not word.isalpha():
                break
            whole += word[0]
            if not weight:
                continue
            short += word[0]
            saying.append(word)
            for text in (whole, short):
                if len(saying) > 1 and len(text) >= MIN_INITIALS:
                    yield _Spelling(text, tuple(saying))


def _beginnings(words: Sequence[AskedWord]) -> Iterator[_Spelling]:
    """Yield the beginnings of each two neighbours that say something, put together."""
    places = [place for place, asked in enumerate(words) if asked.weight]
    for left, right in pairwise(places):
        one, other = words[left].word, words[right].word
        if right - left > MAX_APART or not (one.isalpha() and other.isalpha()):
            continue
        for kept in range(MIN_KEPT, min(MAX_KEPT, len(one)) + 1):
            for more in range(MIN_KEPT, min(MAX_KEPT, len(other)) + 1):
                if kept < len(one) or more < len(other):  # both whole are one name, which is looked for anyway
                    yield _Spelling(one[:kept] + other[:more], (one, other))
