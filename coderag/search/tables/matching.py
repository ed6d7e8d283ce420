"""A question to how well each of its words fits each table and column of a catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import ranges
from coderag.index.storage.postings import WEIGHT_STEPS, Postings, idf
from coderag.search.tables.phrase_expansion import PhraseTerm
from coderag.search.tables.query_expansion import abbreviations, expansions
from coderag.text.asking import AskedWord
from coderag.text.tokens import split_identifier, stem, term_hash, terms

__all__ = ["Matches", "QueryTerm", "match", "query_terms"]

JOINED_WEIGHT = 0.6  # of two neighbours as one name: "order items" for orderitems
NAME_WEIGHT_FACTOR = 1.5  # a word that counts two thirds or more counts in full where it names a table


class QueryTerm(NamedTuple):
    """A term to look for."""

    term: int  # its hash
    word: str  # as it is written
    weight: float
    plain: str = ""  # the word in lower case where it can be expanded, else ""


@dataclass(frozen=True, slots=True)
class Matches:
    """What the words of a question find; only words that some allowed table holds are in it."""

    words: tuple[str, ...]
    weights: Array  # f32[words]: how much each counts, rarity included
    tables: Array  # f32[words, tables]: how well each fits a table, 0..1
    columns: Array  # f32[columns]: how well all of them fit a column
    named: Array  # f32[tables]: the share of a table's name that the question names


def query_terms(words: Sequence[AskedWord], *, factor: float = 1.0) -> list[QueryTerm]:
    """Return the terms to look for of a text's words, each once; weights are multiplied by `factor`."""
    found: dict[str, QueryTerm] = {}
    for word, weight in words:
        if not weight:
            continue
        of_word = terms(word)
        lowered = word.lower()
        plain = lowered if len(of_word) == 1 and lowered.isalpha() else ""
        for term in of_word:
            if term not in found or found[term].weight < weight * factor:
                found[term] = QueryTerm(term_hash(term), word, weight * factor, plain)
    for (left, left_weight), (right, right_weight) in pairwise(words):
        if left_weight and right_weight and left.isalpha() and right.isalpha():
            joined = stem("".join(split_identifier(left) + split_identifier(right)))
            found.setdefault(joined, QueryTerm(term_hash(joined), f"{left} {right}", JOINED_WEIGHT * factor))
    return list(found.values())


def match(
    catalog: Catalog, sought_terms: Sequence[QueryTerm], allowed: Array, *, phrases: Sequence[PhraseTerm] = ()
) -> Matches:
    """Return the matches of some terms among the tables allowed, bool[tables].

    Where a database lacks a word, its expansions (abbreviations, synonyms) are looked for; where only a table lacks it,
    its abbreviations. `phrases` stand for several of the words.
    """
    rows = np.zeros((len(sought_terms), len(catalog)), dtype=np.float32)
    direct = _Sought(
        np.arange(len(sought_terms)),
        np.ones(len(sought_terms), dtype=np.float32),
        _places(catalog, [query_term.term for query_term in sought_terms]),
        np.broadcast_to(allowed, rows.shape),
    )
    _raise(catalog, rows, direct)
    plain = np.array([bool(query_term.plain) for query_term in sought_terms], dtype=bool)[:, None] & allowed
    lacking = _lacking(catalog, rows) & plain
    expanded = _others(catalog, sought_terms, expanded=expansions, where=lacking)
    shortened = _others(catalog, sought_terms, expanded=abbreviations, where=(rows == 0) & ~lacking & plain)
    _raise(catalog, rows, expanded)
    held = np.count_nonzero(rows, axis=1)  # what only may stand for a word makes it no less rare
    more = [shortened, *_phrased(catalog, sought_terms, phrases, lacking=lacking, allowed=plain)]
    for sought in more:
        _raise(catalog, rows, sought)
    held = np.where(held > 0, held, np.count_nonzero(rows, axis=1))
    size = int(np.count_nonzero(allowed))
    weights = np.array(
        [
            term.weight * idf(size, count) if count else 0.0
            for term, count in zip(sought_terms, held.tolist(), strict=True)
        ],
        dtype=np.float32,
    )
    found_by = _Found(catalog, [sought for sought in (direct, expanded, *more) if len(sought.word)])
    columns = found_by.columns(weights)
    names = found_by.names(
        np.array([min(1.0, query_term.weight * NAME_WEIGHT_FACTOR) for query_term in sought_terms]) * (held > 0)
    )
    found = np.flatnonzero(held)
    return Matches(
        tuple(sought_terms[place].word for place in found.tolist()),
        weights[found],
        rows[found],
        columns,
        np.minimum(names / np.maximum(catalog.arrays["called_total"], 1e-6), 1.0),
    )


class _Places(NamedTuple):
    """Where each of some terms is in the postings, i64[terms], -1 where it is not."""

    word: Array
    called: Array
    asked: Array
    column: Array


class _Sought(NamedTuple):
    """Terms to look for, all at once: the word of the question that each is for, how far it is trusted, and where."""

    word: Array  # i64[terms]
    trust: Array  # f32[terms]
    places: _Places
    where: Array  # bool[words, tables]


class _Hits(NamedTuple):
    """The postings of several terms in a row."""

    term: Array  # i64[hits]: which of them
    docs: Array  # i64[hits]
    fits: Array  # f32[hits], 0..1


def _places(catalog: Catalog, hashes: Sequence[int]) -> _Places:
    keys = np.array(hashes, dtype=np.uint64)
    return _Places(*(catalog.postings(name).find(keys) for name in _Places._fields))


def _hits(postings: Postings, places: Array) -> _Hits:
    """Return the postings of the terms at some places, -1: none."""
    terms_there = np.flatnonzero(places >= 0)
    begin, end = postings.bounds(places[terms_there])
    at, position = ranges(begin, end)
    fits = postings.weights[at].astype(np.float32) * np.float32(1 / WEIGHT_STEPS)
    return _Hits(terms_there[position], postings.every_doc()[at].astype(np.int64), fits)


def _raise(catalog: Catalog, rows: Array, sought: _Sought) -> None:
    """Raise the entries f32[words, tables] of the tables that hold a term."""
    for name, places in (("word", sought.places.word), ("asked", sought.places.asked)):
        hits = _hits(catalog.postings(name), places)
        word = sought.word[hits.term]
        kept = sought.where[word, hits.docs]
        np.maximum.at(rows, (word[kept], hits.docs[kept]), (hits.fits * sought.trust[hits.term])[kept])


def _lacking(catalog: Catalog, rows: Array) -> Array:
    """Return the tables of the databases that lack a word, bool[words, tables]."""
    if not len(catalog):
        return np.zeros(rows.shape, dtype=bool)
    has = np.maximum.reduceat(rows, catalog.group_starts, axis=1) > 0
    lacking: Array = ~has[:, catalog.group]
    return lacking


def _others(
    catalog: Catalog,
    sought_terms: Sequence[QueryTerm],
    *,
    expanded: Callable[[Catalog, str], Mapping[int, float]],
    where: Array,
) -> _Sought:
    """Return what words are expanded to, for the tables of each, bool[words, tables]."""
    found = [
        (word, trust, term)
        for word in np.flatnonzero(where.any(axis=1)).tolist()
        for term, trust in expanded(catalog, sought_terms[word].plain).items()
    ]
    return _sought(catalog, found, where)


def _sought(catalog: Catalog, found: Sequence[tuple[int, float, int]], where: Array) -> _Sought:
    """Return terms to look for, given as the word that each is for, its trust and its hash."""
    return _Sought(
        np.array([word for word, _, _ in found], dtype=np.int64),
        np.array([trust for _, trust, _ in found], dtype=np.float32),
        _places(catalog, [term for _, _, term in found]),
        where,
    )


def _phrased(
    catalog: Catalog,
    sought_terms: Sequence[QueryTerm],
    phrases: Sequence[PhraseTerm],
    *,
    lacking: Array,
    allowed: Array,
) -> Iterator[_Sought]:
    """Yield the terms of phrases, each for all of its words."""
    of_word = {query_term.word.lower(): place for place, query_term in enumerate(sought_terms) if query_term.plain}
    anywhere: list[tuple[int, float, int]] = []
    for phrase in phrases:
        words = [of_word[word] for word in phrase.words if word in of_word]
        found = [(word, phrase.trust, phrase.term) for word in words]
        if not phrase.lacking:
            anywhere += found
        elif (where := lacking[words].all(axis=0)).any():
            yield _sought(catalog, found, np.broadcast_to(where, lacking.shape))
    if anywhere:
        yield _sought(catalog, anywhere, allowed)


class _Found:
    """What terms find among columns and names: the best of the terms for each word, then the sum over words."""

    def __init__(self, catalog: Catalog, sought: Sequence[_Sought]) -> None:
        self._catalog = catalog
        self._sought = sought

    def columns(self, weights: Array) -> Array:
        """Return how well all words fit each column, f32[columns], by what each word counts."""
        size = len(self._catalog.column_flags)
        best = np.zeros((len(weights), size), dtype=np.float32)
        owner = self._catalog.column_table
        for sought in self._sought:
            hits = _hits(self._catalog.postings("column"), sought.places.column)
            word = sought.word[hits.term]
            kept = sought.where[word, owner[hits.docs]]
            values = hits.fits * (sought.trust * weights[sought.word])[hits.term]
            np.maximum.at(best, (word[kept], hits.docs[kept]), values[kept])
        total: Array = best.sum(axis=0)
        return total

    def names(self, weights: Array) -> Array:
        """Return how much of each table's name the words say, f32[tables], by what each word counts."""
        postings = self._catalog.postings("called")
        best = np.zeros((len(weights), len(self._catalog)), dtype=np.float32)
        for sought in self._sought:
            hits = _hits(postings, sought.places.called)
            word = sought.word[hits.term]
            kept = sought.where[word, hits.docs]
            rarity = [
                idf(len(self._catalog), postings.frequency(place)) if place >= 0 else 0.0
                for place in sought.places.called.tolist()
            ]
            values = (np.array(rarity) * sought.trust * weights[sought.word])[hits.term].astype(np.float32)
            np.maximum.at(best, (word[kept], hits.docs[kept]), values[kept])
        total: Array = best.sum(axis=0)
        return total
