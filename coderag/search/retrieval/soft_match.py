"""How much of a question each chunk holds, in its words or in words that are like them.

Late interaction (MaxSim) by way of the postings: each word of the question keeps the likeness of the most like word
that a chunk holds, and the words are averaged by their rarity. No chunk is read for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from coderag.encoders.neighbours import shipped_neighbours
from coderag.errors import EncoderError
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.sums import weighted_sums
from coderag.text.tokens import stem, term_hash

__all__ = ["soft_coverage"]

MOST_WORDS = 16  # of a question; a longer one names enough


def soft_coverage(corpus: Corpus, asked: Mapping[str, float], chunks: Array) -> tuple[Array, Array]:
    """Return the share of some weighted words that each of i64[n] chunks holds: the words, and words like them.

    Both are f32[n] in 0..1; the second is never less than the first.
    """
    words = sorted(asked.items(), key=lambda item: -item[1])[:MOST_WORDS]
    total = sum(weight for _, weight in words)
    if total <= 0:
        return np.zeros(len(chunks), dtype=np.float32), np.zeros(len(chunks), dtype=np.float32)
    expanded = [_expanded(word) for word, _ in words]
    hashes = np.concatenate([found for found, _ in expanded])
    likeness = np.concatenate([found for _, found in expanded])
    first = np.cumsum([0, *(len(found) for found, _ in expanded[:-1])])
    shares = np.array([weight / total for _, weight in words], dtype=np.float32)
    best = np.zeros((len(words), len(chunks)), dtype=np.float32)
    for member, rows, local in corpus.by_member(chunks):
        postings = member.segment.text_postings
        positions = postings.find(hashes)
        known = np.flatnonzero(positions >= 0)
        held = np.zeros((len(hashes), len(local)), dtype=np.float32)
        held[known] = (postings.weights_of(positions[known], local) > 0) * likeness[known, np.newaxis]
        best[:, rows] = np.maximum.reduceat(held, first, axis=0)
    return weighted_sums(best.T == 1.0, shares), weighted_sums(best.T, shares)


@lru_cache(maxsize=10_000)
def _expanded(word: str) -> tuple[Array, Array]:
    """Return the hashes u64[n] of a word's term and of those that are like it, and how much, f32[n]."""
    try:
        near = shipped_neighbours().of(word)
    except EncoderError:
        near = []  # the encoder says so itself
    terms = {stem(other): likeness for other, likeness in reversed(near)} | {stem(word): 1.0}
    hashes = np.array([term_hash(term) for term in terms], dtype=np.uint64)
    return hashes, np.array(list(terms.values()), dtype=np.float32)
