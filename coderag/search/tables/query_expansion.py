"""A word to the words of a schema that may stand for it: abbreviations, glued names, parts of it, synonyms.

They are for words that a schema lacks: where it has the word itself, most would only add noise. Abbreviations are for
its other tables, too, at a discount: few schemas shorten a word everywhere, or nowhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.inferred_foreign_keys import singular
from coderag.index.catalog.schema_postings import letters_of
from coderag.search.tables.synonyms import synonyms
from coderag.text.abbreviations import PREFIX, SKELETON, SUBSEQUENCE, abbreviates
from coderag.text.tokens import stem, term_hash

__all__ = ["abbreviations", "expansions"]

# How far each is trusted, where the word itself counts 1; abbreviations say for themselves.
GLUED = 0.4  # the word begins a name that is not split: eventid for event
PART = 0.32  # a name is the beginning or end of the word: fires for wildfires
SYNONYM = 0.4
DOUBLED = 0.9  # the same word with its last consonant doubled: recurrence for recurring
# Of the trust of an abbreviation, in a database that has the word itself elsewhere: prefixes may be words of their own,
# as count is beside country.
HELD = {SKELETON: 0.8, PREFIX: 0.5, SUBSEQUENCE: 0.5}

MIN_WORD = 4  # shorter words are seldom abbreviated
MIN_TAIL, MIN_HEAD = 3, 4  # letters of a part that ends or begins a word
MIN_REST = 3, 2  # letters that are left of the word before a tail, after a head


def expansions(catalog: Catalog, word: str) -> dict[int, float]:
    """Return the hashes of the terms that may stand for a lower-case word, each with how far it is trusted."""
    found: dict[int, float] = {}
    forms = {word, singular(word)}
    for term, trust in _spelled(catalog, forms) if len(word) >= MIN_WORD else ():
        found[term] = max(found.get(term, 0.0), trust)
    for synonym in synonyms(stem(word)):
        hashed = term_hash(synonym)
        found[hashed] = max(found.get(hashed, 0.0), SYNONYM)
    if doubled := _with_other_end(stem(word)):
        found[term_hash(doubled)] = DOUBLED
    found.pop(term_hash(stem(word)), None)
    return found


def abbreviations(catalog: Catalog, word: str) -> dict[int, float]:
    """Return the hashes of the terms that abbreviate a lower-case word which the database holds elsewhere, as above."""
    found: dict[int, float] = {}
    for form in {word, singular(word)} if len(word) >= MIN_WORD else ():
        for term, trust in _abbreviated(catalog, form):
            found[term] = max(found.get(term, 0.0), HELD[trust] * trust)
    found.pop(term_hash(stem(word)), None)
    return found


def _with_other_end(stemmed: str) -> str:
    """Return a stem with its last consonant doubled, or single where it is double; "" if it ends otherwise.

    "recur" -> "recurr", the stem of "recurrence"; "recurr" -> "recur"
    """
    if len(stemmed) < MIN_WORD or stemmed[-1] in "aeiouwxy" or not stemmed.isalpha():
        return ""
    return stemmed[:-1] if stemmed[-1] == stemmed[-2] else stemmed + stemmed[-1]


def _spelled(catalog: Catalog, forms: set[str]) -> Iterator[tuple[int, float]]:
    """Yield the terms whose spelling says that they may stand for a word, in any of its forms."""
    pieces, terms = catalog.pieces, catalog.arrays["piece_terms"]
    for form in forms:
        if len(form) < MIN_WORD:
            continue
        yield from _abbreviated(catalog, form)
        place = bisect_left(pieces, form)
        while place < len(pieces) and pieces[place].startswith(form):
            yield int(terms[place]), GLUED
            place += 1
        for part in _parts(form):
            place = bisect_left(pieces, part)
            if place < len(pieces) and pieces[place] == part:
                yield int(terms[place]), PART


def _abbreviated(catalog: Catalog, form: str) -> Iterator[tuple[int, float]]:
    """Yield the terms that leave out letters of a form of a word, or the vowels of its plural: vrtbrts."""
    pieces, terms = catalog.pieces, catalog.arrays["piece_terms"]
    plural = form if form.endswith("s") else f"{form}s"
    for place in _similar(catalog, plural):
        trust = abbreviates(pieces[place], form)
        if trust < SKELETON and abbreviates(pieces[place], plural) == SKELETON:
            trust = SKELETON
        if trust:
            yield int(terms[place]), trust


def _parts(form: str) -> Iterator[str]:
    yield from (form[cut:] for cut in range(MIN_REST[0], len(form) - MIN_TAIL))
    yield from (form[:cut] for cut in range(MIN_HEAD, len(form) - MIN_REST[1]))


def _similar(catalog: Catalog, form: str) -> list[int]:
    """Return the places of the pieces that begin with a word's first letter and hold no letter that it lacks."""
    begin, end = bisect_left(catalog.pieces, form[0]), bisect_left(catalog.pieces, chr(ord(form[0]) + 1))
    letters = catalog.arrays["piece_letters"][begin:end]
    fitting = np.flatnonzero(letters & ~np.uint32(letters_of(form)) == 0)
    return [begin + int(place) for place in fitting]
