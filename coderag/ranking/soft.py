"""How much of a question each chunk holds, in its words or in words that are like them.

Late interaction (MaxSim) by way of the postings: each word of the question keeps the likeness of the most like word
that a chunk holds, and the words are averaged by their rarity. No chunk is read for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from coderag.errors import EncoderError
from coderag.index.arrays import Array
from coderag.index.corpus import Corpus
from coderag.models.neighbours import shipped_neighbours
from coderag.ranking.likeness import name_words
from coderag.ranking.understand import STOP_WEIGHT, Question
from coderag.text.tokens import stem, term_hash

__all__ = ["held_share"]

MOST_WORDS = 16  # of a question; a longer one names enough


def held_share(corpus: Corpus, question: Question, rarity: dict[str, float]) -> tuple[Array, Array]:
    """Return the share of the question, by rarity, that each chunk holds: in its words, and in words like them.

    Both are f32[chunks] in 0..1; the second is never less than the first.
    """
    exact = np.zeros(len(corpus), dtype=np.float32)
    alike = np.zeros(len(corpus), dtype=np.float32)
    asked = _asked(question, rarity)
    total = sum(weight for _, weight in asked)
    if total <= 0:
        return exact, alike
    for word, weight in asked:
        hashes, likeness = _expanded(word)
        share = np.float32(weight / total)
        for member in corpus.members:
            postings = member.segment.text_postings
            own = np.zeros(len(member.segment), dtype=np.float32)
            # The least like first, so that the most like is what stays.
            for position, value in zip(postings.find(hashes).tolist(), likeness, strict=True):
                if position >= 0:
                    own[postings.docs_of(position)] = value
            here = slice(member.first_chunk, member.first_chunk + len(member.segment))
            exact[here] += share * (own == 1.0)
            alike[here] += share * own
    return exact, alike


def _asked(question: Question, rarity: dict[str, float]) -> Sequence[tuple[str, float]]:
    """Return the words of a question with what each weighs: its rarity, and the most where no chunk has it."""
    most = max(rarity.values(), default=0.0) or 1.0
    weighed = []
    for word in name_words(question.text):
        weight = question.terms.get(stem(word), 1.0)
        if weight > STOP_WEIGHT:
            weighed.append((word, rarity.get(stem(word), 0.0) or weight * most))
    return sorted(weighed, key=lambda one: -one[1])[:MOST_WORDS]


@lru_cache(maxsize=10_000)
def _expanded(word: str) -> tuple[Array, tuple[float, ...]]:
    """Return the hashes u64[n] of a word's term and of those that are like it, and how much; the word itself last."""
    try:
        near = shipped_neighbours().of(word)
    except EncoderError:
        near = []  # the encoder says so itself
    terms = [(stem(other), likeness) for other, likeness in reversed(near)] + [(stem(word), 1.0)]
    hashes = np.array([term_hash(term) for term, _ in terms], dtype=np.uint64)
    return hashes, tuple(likeness for _, likeness in terms)
