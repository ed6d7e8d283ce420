"""Evidence to confidence: the probability that a ranked chunk is the place that the question asks for.

A score says which chunk is best. Confidence says whether even the best is right: the share of chunks with such evidence
that are, where one question in five has no answer in the repository. It is a logistic regression, and no evidence of
a chunk's own, such as more of the question's words, lowers it.
"""

from __future__ import annotations

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import Question
from coderag.search.ranking.confidence_weights import BY_VECTORS, BY_WORDS, START_BY_VECTORS, START_BY_WORDS
from coderag.search.ranking.evidence import EVIDENCE, Competition, evidence
from coderag.search.ranking.sums import weighted_sums

__all__ = ["BY_VECTORS", "BY_WORDS", "START_BY_VECTORS", "START_BY_WORDS", "confidence", "probability"]


def confidence(corpus: Corpus, question: Question, chunks: Array, *, among: Competition) -> Array:
    """Return the probability that each of some ranked chunks (i64[chunks]) answers a question: f32[chunks].

    It is 0 for a question without a content word.
    """
    rows = evidence(corpus, question, chunks, among=among)
    return np.where(rows.any(axis=1), probability(rows, has_cosines=among.has_cosines), np.float32(0))


def probability(rows: Array, *, has_cosines: bool) -> Array:
    """Return the confidence of rows of evidence, f32[chunks, EVIDENCE]: f32[chunks]."""
    named, start = (BY_VECTORS, START_BY_VECTORS) if has_cosines else (BY_WORDS, START_BY_WORDS)
    weights = np.array([named[name] for name in EVIDENCE], dtype=np.float32)
    sure: Array = 1 / (1 + np.exp(-(weighted_sums(rows, weights) + np.float32(start))))
    return sure
