"""The lists of scores to the chunks that are worth a closer look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.arrays import Array
from coderag.index.corpus import Corpus
from coderag.ranking.fuse import fuse, listed
from coderag.ranking.retrieve import Scores
from coderag.types import Fusion

__all__ = ["CANDIDATES", "Candidates", "find_candidates"]

CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Candidates:
    """Some chunks, ascending, with what the lists say of them."""

    chunks: Array  # i64[n]
    fused: Array  # f32[n]: the lists' scores together, 0..1
    near: Array  # f32[n]: cosine with the question, from the least to the best of the dense list


def find_candidates(
    corpus: Corpus,
    scores: Scores,
    factor: Array,
    *,
    weights: Mapping[str, float],
    dense: float,
    fusion: Fusion = Fusion.MIN_MAX,
) -> Candidates:
    """Return the best chunks by what is known of every chunk.

    Two lists meet: words, paths and symbols weighed as in the final score, and the vectors, which count `dense`.
    """
    words = listed(_lexical(corpus, scores, weights) * factor)
    near = listed(scores.near * factor)
    chunks, total = fuse([(words, 1.0), (near, dense)], fusion)
    kept = np.sort(np.argsort(-total, kind="stable")[:CANDIDATES])
    return Candidates(chunks[kept], total[kept] / (1.0 + dense), near.scaled(chunks[kept]))


def _lexical(corpus: Corpus, scores: Scores, weights: Mapping[str, float]) -> Array:
    """Return f32[chunks]: words, paths and symbols, weighed like the features that are looked at closely later."""
    best_text = max(float(scores.text.max(initial=0.0)), 1e-6)
    best_file = max(float(scores.file_text.max(initial=0.0)), 1e-6)
    of_file = weights["file"] / best_file * scores.file_text + weights["path"] * scores.path
    first: Array = weights["text"] / best_text * scores.text + of_file[corpus.chunk_file] * (scores.text > 0)
    for found, name in ((scores.symbols, "symbol"), (scores.capitals, "capital")):
        for chunk, exactness in found.items():
            first[chunk] += weights[name] * exactness
    return first
