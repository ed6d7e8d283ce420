"""A question to how well each of its words fits each table and column of a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coderag.index.arrays import Array
from coderag.index.catalog import Catalog
from coderag.index.sparse import idf
from coderag.ranking.standins import stand_ins
from coderag.text.asking import asked_words
from coderag.text.tokens import split_identifier, stem, term_hash, terms

__all__ = ["Asked", "Matches", "asked", "match"]

JOINED_WEIGHT = 0.6  # of two neighbours as one name: "order items" for orderitems
NAME_WEIGHT_FACTOR = 1.5  # a word that counts two thirds or more counts in full where it names a table


class Asked(NamedTuple):
    """A term to look for."""

    term: int  # its hash
    word: str  # as it is written
    weight: float
    plain: str = ""  # the word in lower case, where other words may stand for it


@dataclass(frozen=True, slots=True)
class Matches:
    """What the words of a question find; only words that some allowed table holds are in it."""

    words: tuple[str, ...]
    weights: Array  # f32[words]: how much each counts, rarity included
    tables: Array  # f32[words, tables]: how well each fits a table, 0..1
    columns: Array  # f32[columns]: how well all of them fit a column
    named: Array  # f32[tables]: the share of a table's name that is asked for


def asked(text: str, *, factor: float = 1.0) -> list[Asked]:
    """Return the terms that a text asks for, each once; weights are multiplied by `factor`."""
    found: dict[str, Asked] = {}
    words = asked_words(text)
    for word, weight in words:
        if not weight:
            continue
        of_word = terms(word)
        lowered = word.lower()
        plain = lowered if len(of_word) == 1 and lowered.isalpha() else ""
        for term in of_word:
            if term not in found or found[term].weight < weight * factor:
                found[term] = Asked(term_hash(term), word, weight * factor, plain)
    for (left, left_weight), (right, right_weight) in pairwise(words):
        if left_weight and right_weight and left.isalpha() and right.isalpha():
            joined = stem("".join(split_identifier(left) + split_identifier(right)))
            found.setdefault(joined, Asked(term_hash(joined), f"{left} {right}", JOINED_WEIGHT * factor))
    return list(found.values())


def match(catalog: Catalog, wanted: Sequence[Asked], allowed: Array) -> Matches:
    """Return what the terms asked for find among the tables allowed, bool[tables].

    A word that a database lacks finds what may stand for it there.
    """
    search = _Search(catalog, allowed)
    words: list[str] = []
    weights: list[float] = []
    rows: list[Array] = []
    for one, hits in zip(wanted, _places(catalog, wanted), strict=True):
        row, alternatives = search.row(one, hits)
        held = int(np.count_nonzero(row))
        if not held:
            continue
        words.append(one.word)
        weights.append(one.weight * idf(search.size, held))
        rows.append(row)
        search.add(one, alternatives, weights[-1])
    return Matches(
        tuple(words),
        np.array(weights, dtype=np.float32),
        np.array(rows, dtype=np.float32).reshape(len(rows), len(catalog)),
        search.columns,
        np.minimum(search.named / np.maximum(catalog.arrays["called_total"], 1e-6), 1.0),
    )


class _Places(NamedTuple):
    """Where a term is in each of the postings, -1 where it is not."""

    word: int
    called: int
    asked: int
    column: int


def _places(catalog: Catalog, wanted: Sequence[Asked]) -> list[_Places]:
    return _places_of(catalog, np.array([one.term for one in wanted], dtype=np.uint64))


def _places_of(catalog: Catalog, hashes: Array) -> list[_Places]:
    found = [catalog.postings(name).find(hashes).tolist() for name in _Places._fields]
    return [_Places(*places) for places in zip(*found, strict=True)]


class _Alternative(NamedTuple):
    """A term that a word may mean, how far it is trusted, and the tables where it may (None: all allowed)."""

    places: _Places
    trust: float
    where: Array | None


class _Search:
    """The tables allowed, and what has been found in them so far."""

    def __init__(self, catalog: Catalog, allowed: Array) -> None:
        self._catalog = catalog
        self._allowed = allowed
        self._all = bool(allowed.all())
        self._words, self._asked = catalog.postings("word"), catalog.postings("asked")
        self._called, self._column = catalog.postings("called"), catalog.postings("column")
        self.size = int(np.count_nonzero(allowed))
        self.columns = np.zeros(len(catalog.column_flags), dtype=np.float32)
        self.named = np.zeros(len(catalog), dtype=np.float32)

    def row(self, one: Asked, places: _Places) -> tuple[Array, list[_Alternative]]:
        """Return how well a term fits each table, and the alternatives that were looked for."""
        row = np.zeros(len(self._catalog), dtype=np.float32)
        alternatives = [_Alternative(places, 1.0, None)]
        self._raise(row, alternatives[0])
        if not one.plain:
            return row, alternatives
        lacking = self._lacking(row)
        if lacking is None:
            return row, alternatives
        others = stand_ins(self._catalog, one.plain)
        hashes = np.array(list(others), dtype=np.uint64)
        for found, trust in zip(_places_of(self._catalog, hashes), others.values(), strict=True):
            if max(found) >= 0:
                alternatives.append(_Alternative(found, trust, lacking))
                self._raise(row, alternatives[-1])
        return row, alternatives

    def add(self, one: Asked, alternatives: Sequence[_Alternative], weight: float) -> None:
        """Add what the alternatives of a term find to the scores of columns and names."""
        by_name = min(1.0, one.weight * NAME_WEIGHT_FACTOR)
        if len(alternatives) == 1:
            self._add_columns(self.columns, alternatives[0], weight)
            self._add_names(self.named, alternatives[0], by_name)
            return
        columns, named = np.zeros_like(self.columns), np.zeros_like(self.named)
        for alternative in alternatives:
            self._add_columns(columns, alternative, weight, best=True)
            self._add_names(named, alternative, by_name, best=True)
        self.columns += columns
        self.named += named

    def _raise(self, row: Array, one: _Alternative) -> None:
        """Raise the entries of the tables that hold an alternative."""
        for postings, place in ((self._words, one.places.word), (self._asked, one.places.asked)):
            if place >= 0:
                docs, fits = postings.of(place)
                docs, fits = self._those(docs, fits * np.float32(one.trust), one.where)
                row[docs] = np.maximum(row[docs], fits)

    def _lacking(self, row: Array) -> Array | None:
        """Return the allowed tables of the databases that lack a word, bool[tables]; None when there are none."""
        group = self._catalog.group
        has = np.zeros(len(self._catalog.group_starts), dtype=bool)
        has[group[row > 0]] = True
        lacking: Array = ~has[group] & self._allowed
        return lacking if lacking.any() else None

    def _those(self, docs: Array, values: Array, where: Array | None) -> tuple[Array, Array]:
        if where is None and self._all:
            return docs, values
        kept = (self._allowed if where is None else where)[docs]
        return docs[kept], values[kept]

    def _add_columns(self, into: Array, one: _Alternative, weight: float, *, best: bool = False) -> None:
        if one.places.column < 0:
            return
        docs, fits = self._column.of(one.places.column)
        values = fits * np.float32(one.trust * weight)
        if one.where is not None or not self._all:
            kept = (self._allowed if one.where is None else one.where)[self._catalog.column_table[docs]]
            docs, values = docs[kept], values[kept]
        into[docs] = np.maximum(into[docs], values) if best else into[docs] + values

    def _add_names(self, into: Array, one: _Alternative, weight: float, *, best: bool = False) -> None:
        if one.places.called < 0:
            return
        docs = self._called.docs_of(one.places.called)
        rarity = idf(len(self._catalog), self._called.frequency(one.places.called))
        values = np.full(len(docs), rarity * weight * one.trust, dtype=np.float32)
        docs, values = self._those(docs, values, one.where)
        into[docs] = np.maximum(into[docs], values) if best else into[docs] + values
