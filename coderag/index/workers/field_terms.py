"""The words of the fields of chunks to the weights of their terms: BM25F."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import ranges
from coderag.index.storage.postings import saturate
from coderag.text.vocabulary import Vocabulary

__all__ = ["FIELDS", "FieldTerms"]

K1 = 1.2  # saturation of a term's weight


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a chunk in BM25F: what a word in it weighs, and how its length counts."""

    weight: float
    pivot: float = 1.0  # the length in terms at which the weight holds as it is
    b: float = 0.0  # 0: length does not matter; 1: weight falls in proportion to length


# Pivots are constants instead of the corpus' averages: a chunk's weights then depend on nothing but the chunk, so
# segments can be built apart and merged, and an updated index ranks like a fresh one.
FIELDS: dict[str, Field] = {
    "name": Field(4.0),
    "scope": Field(1.0),
    "path": Field(1.5),
    "signature": Field(1.0),
    "doc": Field(1.0),
    "members": Field(1.0, pivot=20, b=0.5),
    "body": Field(1.0, pivot=90, b=0.6),
}


class FieldTerms:
    """The terms of chunks, field by field, until they become postings."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = array("i")  # the numbers of the words of each field of each chunk, in the order of FIELDS
        self._sizes: list[int] = []  # how many words each field has

    def add(self, fields: Sequence[list[bytes]]) -> None:
        """Add a chunk: the words of each field, in the order of FIELDS."""
        self._words.extend(map(self._vocabulary.words.__getitem__, chain.from_iterable(fields)))
        self._sizes += map(len, fields)

    def first_words(self, field: str, most: int) -> tuple[Array, Array]:
        """Return the numbers of the first words of a field, and the chunk of each, in the order of the chunks."""
        sizes = np.array(self._sizes, dtype=np.int64)
        at = np.arange(list(FIELDS).index(field), len(sizes), len(FIELDS))
        begins = (np.cumsum(sizes) - sizes)[at]
        place, chunks = ranges(begins, begins + np.minimum(sizes[at], most))
        return np.array(self._words, dtype=np.int32)[place], chunks

    def postings(self) -> tuple[Array, Array, Array, Array]:
        """Return (vocabulary u64, term u32, chunk u32, weight u8); a (term, chunk) pair appears once."""
        found, counts = self._vocabulary.terms_of(np.array(self._words, dtype=np.int32))
        ends = np.cumsum(np.array(self._sizes, dtype=np.int64))
        lengths = np.diff(np.concatenate([[0], np.cumsum(counts)])[ends], prepend=0).reshape(-1, len(FIELDS))
        vocabulary, terms = self._used_terms(found)
        # One sort brings equal (chunk, term, field) together: 20 bits hold a batch's chunks, 40 its terms.
        places = np.repeat(np.arange(lengths.size, dtype=np.int64), lengths.ravel())
        docs, fields = np.divmod(places, len(FIELDS))
        keys = docs << 43 | terms << 3 | fields
        keys.sort()
        pairs = keys >> 3
        starts = np.flatnonzero(np.diff(pairs, prepend=-1))
        docs = pairs >> 40
        summed = np.add.reduceat(_shares(lengths)[docs, keys & 7], starts) if len(starts) else np.zeros(0)
        found_terms = pairs[starts] & ((1 << 40) - 1)
        return vocabulary, found_terms.astype(np.uint32), docs[starts].astype(np.uint32), saturate(summed, K1)

    def _used_terms(self, found: Array) -> tuple[Array, Array]:
        """Return the hashes of the terms that occur, u64[terms], and every occurrence as a position among them."""
        hashes = self._vocabulary.hashes()
        occurs = np.zeros(len(hashes), dtype=bool)
        occurs[found] = True
        used = np.flatnonzero(occurs)
        position = np.empty(len(hashes), dtype=np.int32)  # not filled: the vocabulary is far larger than a batch's
        position[used] = np.arange(len(used), dtype=np.int32)
        return hashes[used], position[found]


def _shares(lengths: Array) -> Array:
    """Return what a word weighs in each field of each chunk, f64[chunks, fields], from the fields' lengths."""
    return np.stack(
        [
            field.weight / (1 - field.b + field.b * np.maximum(lengths[:, at], field.pivot / 4) / field.pivot)
            for at, field in enumerate(FIELDS.values())
        ],
        axis=1,
    )
