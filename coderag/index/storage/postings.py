"""Postings: which documents hold a term and how much, built by sorting, searched by adding.

A weight is the saturated term frequency of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
2009): w / (w + k1), where w sums the fields' frequencies, each weighted and normalised by its length. The inverse
document frequency is applied when a question is asked, so that postings of several segments score alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.number_blocks import NumberBlocks, pack_blocks
from coderag.index.storage.arrays.ranges import distinct

__all__ = [
    "SHORT_DOCS",
    "Postings",
    "build_postings",
    "contenders",
    "idf",
    "merge_terms",
    "postings_of_terms",
    "saturate",
    "summed",
    "top_k",
]

GROUP, GROUPS_OF_BEST = 512, 4  # documents a group when the k best are picked, and at least so many groups for each
WEIGHT_STEPS = 255  # weights are stored as u8
NOWHERE = -1  # in the postings
SHORT_DOCS = 1 << 16  # up to so many documents, their numbers take two bytes


class Postings(NamedTuple):
    """Terms in order of their hash, and for each the documents that hold it, ascending."""

    hashes: Array  # u64[terms]
    offsets: Array  # u32[terms + 1]
    docs: Array | NumberBlocks  # u16[postings], u32 where there are more documents or they are packed
    weights: Array  # u8[postings], saturated frequency times WEIGHT_STEPS

    def find(self, hashes: Array) -> Array:
        """Return the position of each hash among the terms, -1 if it is not."""
        if not len(self.hashes):
            return np.full(len(hashes), -1, dtype=np.int64)
        found = np.searchsorted(self.hashes, hashes)
        found = np.minimum(found, len(self.hashes) - 1)
        return np.where(self.hashes[found] == hashes, found, -1)

    def frequency(self, position: int) -> int:
        """Return how many documents hold the term at a position."""
        return int(self.offsets[position + 1] - self.offsets[position])

    def docs_of(self, position: int) -> Array:
        """Return the documents that hold the term at a position."""
        return self.docs[int(self.offsets[position]) : int(self.offsets[position + 1])]

    def of(self, position: int) -> tuple[Array, Array]:
        """Return the documents and the weights, in 0..1, of the term at a position."""
        begin, end = int(self.offsets[position]), int(self.offsets[position + 1])
        return self.docs[begin:end], self.weights[begin:end].astype(np.float32) * np.float32(1 / WEIGHT_STEPS)

    def frequencies(self, positions: Array, *, without: Array) -> Array:
        """Return how many documents hold each of the terms at i64[n] positions: i64[n].

        Those of `without`, i64[documents] ascending, do not count.
        """
        counts: Array = self.offsets[positions + 1].astype(np.int64) - self.offsets[positions]
        if len(without):
            left_out = np.zeros(int(without[-1]) + 2, dtype=bool)  # the last one for all documents beyond
            left_out[without] = True
            dead = [np.count_nonzero(left_out.take(self.docs_of(one), mode="clip")) for one in positions.tolist()]
            counts -= np.array(dead, dtype=np.int64)  # there may be none
        return counts

    def joined(self, positions: Array, factors: Array) -> tuple[Array, Array, Array]:
        """Return the postings of the terms at i64[n] positions, one after the other, their weights times f32[n].

        Documents i64[postings], weights f32[postings], and where those of each term begin, i64[n].
        """
        ranges = list(zip(self.offsets[positions].tolist(), self.offsets[positions + 1].tolist(), strict=True))
        if not ranges:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int64)
        found = [self.docs[begin:end] for begin, end in ranges]
        docs = np.concatenate(found).astype(np.int64)
        sizes = np.array(list(map(len, found)))
        weights = np.concatenate([self.weights[begin:end] for begin, end in ranges])
        return docs, weights * np.repeat(factors / np.float32(WEIGHT_STEPS), sizes), np.cumsum(sizes) - sizes

    def bounds(self, positions: Array) -> tuple[Array, Array]:
        """Return where the postings of the terms at i64[n] positions begin and end, i64[n] each; raises ValueError."""
        begins, ends = self.offsets[positions].astype(np.int64), self.offsets[positions + 1].astype(np.int64)
        if (begins > ends).any() or int(ends.max(initial=0)) > len(self.docs):
            raise ValueError("the postings of a term are not there")
        return begins, ends

    def weights_of(self, positions: Array, docs: Array) -> Array:
        """Return the weights, in 0..1, of the terms at some positions in some documents: f32[positions, docs]."""
        places = self._places_of(positions, docs)
        weights = self.weights[places] * np.float32(1 / WEIGHT_STEPS)
        return np.where(places >= 0, weights, np.float32(0))

    def are_held(self, positions: Array, docs: Array) -> Array:
        """Return whether the terms at some positions are in some documents: bool[positions, docs]."""
        held: Array = self._places_of(positions, docs) >= 0
        return held

    def _places_of(self, positions: Array, docs: Array) -> Array:
        """Return where the postings of terms have documents, i64[positions, docs]; NOWHERE for those without a term."""
        wanted = docs.astype(self.docs[:0].dtype)  # or numpy would copy the postings to compare
        begins, ends = self.offsets[positions].tolist(), self.offsets[positions + 1].tolist()
        places = np.full((len(positions), len(docs)), NOWHERE, dtype=np.int64)
        for row, begin, end in zip(places, begins, ends, strict=True):
            found = self.docs[begin:end]
            if len(found):
                at = found.searchsorted(wanted)
                is_held = found.take(at, mode="clip") == wanted
                np.add(at, begin, out=row, where=is_held)
        return places

    def every_doc(self) -> Array:
        """Return the documents of all terms, one after the other."""
        return self.docs.all() if isinstance(self.docs, NumberBlocks) else self.docs

    def packed(self, prefix: str) -> dict[str, Array]:
        """Return the arrays under their names in a segment, the documents packed."""
        blob, starts = pack_blocks(self.every_doc())
        arrays = {f"{prefix}_{name}": getattr(self, name) for name in ("hashes", "offsets", "weights")}
        return arrays | {f"{prefix}_doc_starts": starts, f"{prefix}_doc_blob": blob}

    @classmethod
    def from_packed(cls, arrays: Mapping[str, Array], prefix: str) -> Postings:
        """Return what `packed` of the same prefix gave; raises IndexDamagedError."""
        hashes, offsets, weights, blob, starts = (
            arrays[f"{prefix}_{name}"] for name in ("hashes", "offsets", "weights", "doc_blob", "doc_starts")
        )
        return cls(hashes, offsets, NumberBlocks(blob, starts, count=len(weights)), weights)

    def arrays(self, prefix: str) -> dict[str, Array]:
        """Return the arrays under their names in a segment."""
        return {f"{prefix}_{name}": array for name, array in (self._asdict() | {"docs": self.every_doc()}).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str) -> Postings:
        """Return what `arrays` of the same prefix gave."""
        return cls(*(arrays[f"{prefix}_{name}"] for name in cls._fields))


def summed(docs: Array, weights: Array, count: int) -> Array:
    """Return the sum of the weights of each of so many documents, f64[count]; raises ValueError for others."""
    if int(docs.max(initial=0)) >= max(count, 1):  # or the sums would take as much room as the number is large
        raise ValueError(f"postings name document {docs.max()} of {count}")
    return np.bincount(docs, weights=weights, minlength=count)


def saturate(frequencies: Array, k1: float) -> Array:
    """Return weighted term frequencies as stored weights: f / (f + k1) in WEIGHT_STEPS, at least 1."""
    saturated = frequencies / (frequencies + k1) * WEIGHT_STEPS
    return np.clip(np.rint(saturated), 1, WEIGHT_STEPS).astype(np.uint8)


def build_postings(hashes: Array, docs: Array, weights: Array) -> Postings:
    """Return postings from flat arrays of equal length: term hash u64, document u32, weight u8.

    A (term, document) pair may appear once only.
    """
    vocabulary, terms = np.unique(hashes, return_inverse=True)
    return postings_of_terms(vocabulary, terms, docs, weights)


def postings_of_terms(vocabulary: Array, terms: Array, docs: Array, weights: Array) -> Postings:
    """Return postings from sorted hashes u64[terms] and, for each posting, its term's position in them."""
    # One sort of 64-bit keys does it: 24 bits hold any vocabulary of a segment, 32 the document, 8 the weight.
    keys = (terms.astype(np.uint64) << np.uint64(40)) | (docs.astype(np.uint64) << np.uint64(8))
    keys |= weights.astype(np.uint64)
    keys.sort()
    counts = np.bincount((keys >> np.uint64(40)).astype(np.int64), minlength=len(vocabulary))
    offsets = np.zeros(len(vocabulary) + 1, dtype=np.uint32)
    np.cumsum(counts, out=offsets[1:])
    found = (keys >> np.uint64(8)) & np.uint64(0xFFFFFFFF)
    narrow = not len(found) or int(found.max()) < SHORT_DOCS
    return Postings(
        vocabulary, offsets, found.astype(np.uint16 if narrow else np.uint32), (keys & np.uint64(0xFF)).astype(np.uint8)
    )


def merge_terms(vocabularies: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Return the sorted union of vocabularies u64[...], and each one's positions in it."""
    if not vocabularies:
        return np.zeros(0, dtype=np.uint64), []
    union = distinct(np.concatenate(vocabularies))
    return union, [np.searchsorted(union, vocabulary).astype(np.uint32) for vocabulary in vocabularies]


def idf(documents: int, frequency: int) -> float:
    """Return the inverse document frequency of BM25 as Lucene writes it, never negative."""
    return float(np.log1p((documents - frequency + 0.5) / (frequency + 0.5)))


def top_k(scores: Array, k: int) -> Array:
    """Return the positions of the k best positive scores, best first; ties go to the lower position."""
    found = contenders(scores, k)
    order = np.lexsort((found, -scores[found]))
    return found[order[:k]]


def contenders(scores: Array, k: int) -> Array:
    """Return the positions, ascending, of positive scores of which the k best are some, with all that equal the k-th.

    The k-th best maximum of groups of scores is at most the k-th best score. A group is every n-th score: numpy takes
    the maxima of columns at once, many times faster than it partitions or sorts all scores.
    """
    groups = max(len(scores) // GROUP, GROUPS_OF_BEST * k)
    rows = len(scores) // groups
    if rows >= 2:
        maxima = scores[: rows * groups].reshape(rows, groups).max(axis=0)
        threshold = max(float(np.partition(maxima, -k)[-k]), np.finfo(np.float32).tiny)
        return np.flatnonzero(scores >= threshold)
    return np.flatnonzero(scores > 0)
