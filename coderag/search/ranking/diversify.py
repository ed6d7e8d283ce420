"""Ranked candidates to k diverse ones (MMR): each is good, and dissimilar to those picked before it.

Maximal marginal relevance (Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering
documents and producing summaries", 1998), on top of what each further hit of a file keeps of its score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.features import known_terms
from coderag.search.ranking.sums import weighted_sums
from coderag.text.tokens import words

__all__ = ["Similarity", "cosine_rows", "diverse", "jaccard_rows", "mmr", "similarity"]

POOL = 60  # candidates that are compared; further down there is nothing that would be worth its place

Similarity = Callable[[int], Array]  # position of a candidate -> its similarity to each, f32[n], at most 1


def diverse(
    corpus: Corpus, chunks: Array, scores: Array, *, k: int, diversity: float, keep: float
) -> list[tuple[int, float]]:
    """Return k of some chunks (i64[n]), given best first, as (position, score), by marginal relevance.

    Each further chunk of a file keeps a share of its score, as without diversity.
    """
    files = corpus.file_numbers(chunks)
    # The pool is spread over files first, or a few files would fill it.
    spread = mmr(scores, jaccard_rows(()), k=max(POOL, k), diversity=0, groups=files, keep=keep)
    pool = np.array(sorted(position for position, _ in spread), dtype=np.int64)
    similar = similarity(corpus, chunks[pool])
    picked = mmr(scores[pool], similar, k=k, diversity=diversity, groups=files[pool], keep=keep)
    return [(int(pool[position]), score) for position, score in picked]


def mmr(
    scores: Array,
    similar: Similarity,
    *,
    k: int,
    diversity: float,
    groups: Array | None = None,
    keep: float = 1.0,
) -> list[tuple[int, float]]:
    """Return k of some candidates as (position, score), in the order of their marginal relevance.

    `scores` is f32[n], not negative, best first; `diversity` is 0..1: 0 goes by score alone, 1 by unlikeness alone
    after the first. Each further candidate of a group (i32[n], such as its file) has `keep` of the score that it would
    have as the one before. A score that is returned says how good the candidate is, so it may rise from one to the
    next. Equal values go to the earlier position.
    """
    left = np.ones(len(scores), dtype=bool)
    groups = np.arange(len(scores)) if groups is None else groups
    values = scores.astype(np.float64)
    best = max(float(values.max(initial=0.0)), 1e-12)
    likest = np.zeros(len(scores))
    picked: list[tuple[int, float]] = []
    while len(picked) < min(k, len(scores)):
        marginal = (1 - diversity) * values / best - diversity * likest
        position = int(np.argmax(np.where(left, marginal, -np.inf)))
        picked.append((position, float(values[position])))
        left[position] = False
        values[left & (groups == groups[position])] *= keep
        if diversity:
            likest = np.maximum(likest, similar(position))
    return picked


def cosine_rows(vectors: Array) -> Similarity:
    """Return the cosines between vectors, i8 or f32[n, dimensions] in any scale; 0 with one of zeros, and below 0."""
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)

    def similar(position: int) -> Array:
        found: Array = np.maximum(weighted_sums(rows, rows[position]), np.float32(0))
        return found

    return similar


def jaccard_rows(sets: Sequence[Set[str]]) -> Similarity:
    """Return the Jaccard similarity of the terms of candidates, for segments without vectors."""
    sizes = np.array([len(terms) for terms in sets], dtype=np.float32)

    def similar(position: int) -> Array:
        own = sets[position]
        shared = np.array([len(own & terms) for terms in sets], dtype=np.float32)
        found: Array = shared / np.maximum(sizes + sizes[position] - shared, np.float32(1))
        return found

    return similar


def similarity(corpus: Corpus, chunks: Array) -> Similarity:
    """Return the similarity of some chunks (i64[n]): by their vectors, or by their terms where a segment has none."""
    places = [corpus.member_of(chunk) for chunk in chunks.tolist()]
    vectors = [member.segment.vectors for member, _ in places]
    if places and all(vector is not None for vector in vectors):
        pairs = zip(vectors, places, strict=True)
        return cosine_rows(np.stack([one.rows[chunk] for one, (_, chunk) in pairs if one is not None]))
    texts = (member.segment.chunk_text(chunk) for member, chunk in places)
    return jaccard_rows([frozenset(term for word in words(text) for term in known_terms(word)) for text in texts])
