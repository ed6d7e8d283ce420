"""How much of a question each chunk holds, in its words or in similar ones.

Late interaction (MaxSim) by way of the postings: each word of the question counts the similarity of the most similar
word in a chunk, and the words are averaged by their rarity. No chunk is read for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from coderag.encoders.neighbours import shipped_neighbours
from coderag.errors import EncoderError
from coderag.index.reader.corpus import Corpus, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.sums import weighted_sums
from coderag.text.tokens import stem

__all__ = ["soft_coverage"]

MOST_WORDS = 16  # of a question; a longer one names enough


def soft_coverage(corpus: Corpus, weights: Mapping[str, float], chunks: Array) -> tuple[Array, Array]:
    """Return the share of some weighted words that each of i64[n] chunks holds: the words alone, and similar ones too.

    Both are f32[n] in 0..1; the second is never less than the first.
    """
    words = sorted(weights.items(), key=lambda item: -item[1])[:MOST_WORDS]
    total = sum(weight for _, weight in words)
    if total <= 0:
        return np.zeros(len(chunks), dtype=np.float32), np.zeros(len(chunks), dtype=np.float32)
    expanded = [_expanded(word) for word, _ in words]
    hashes = np.concatenate([keys for keys, _ in expanded])
    likeness = np.concatenate([likenesses for _, likenesses in expanded])
    first = np.cumsum([0, *(len(keys) for keys, _ in expanded[:-1])])
    shares = np.array([weight / total for _, weight in words], dtype=np.float32)
    best = np.zeros((len(words), len(chunks)), dtype=np.float32)
    for member, rows, local in corpus.by_member(chunks):
        postings = member.segment.text_postings
        positions = postings.find(hashes)
        known = np.flatnonzero(positions >= 0)
        held = np.zeros((len(hashes), len(local)), dtype=np.float32)
        held[known] = postings.are_held(positions[known], local) * likeness[known, np.newaxis]
        best[:, rows] = np.maximum.reduceat(held, first, axis=0)
    return weighted_sums(best.T == 1.0, shares), weighted_sums(best.T, shares)


@lru_cache(maxsize=10_000)
def _expanded(word: str) -> tuple[Array, Array]:
    """Return the keys of a word's term and of similar ones, u64[n], and how similar each is, f32[n]."""
    try:
        near = shipped_neighbours().of(word)
    except EncoderError:
        near = []  # the encoder says so itself
    terms = {stem(other): likeness for other, likeness in reversed(near)} | {stem(word): 1.0}
    hashes = text_keys(terms)
    return hashes, np.array(list(terms.values()), dtype=np.float32)
