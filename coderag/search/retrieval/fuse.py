"""Several lists of scores to one (fusion): each scaled to 0..1, weighted and summed; or by reciprocal rank.

Scaling by the least and the greatest score of a list (min-max, a convex combination; Bruch, Gai and Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", 2023) keeps how far apart scores are. Reciprocal rank fusion
(Cormack, Clarke and Buettcher, 2009) does not, and needs no scores that mean anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct
from coderag.index.storage.postings import top_k
from coderag.types import Fusion

__all__ = ["DEPTH", "Listed", "fuse", "joined", "listed"]

DEPTH = 200  # of each list that counts
RANK_DAMPING = 60.0  # the k of reciprocal rank fusion


class Listed:
    """The best of a list of scores, and the range of these."""

    def __init__(self, best: Array, scores: Array, depth: int = DEPTH) -> None:
        """Take the best, i64[n], and their scores, f32[n], best first; a full list has `depth`."""
        self.best, self.scores = best, scores
        # A list that is not full ends at 0; then the least of its scores is still something.
        self.least = float(scores[-1]) if len(scores) == depth else 0.0
        self.greatest = float(scores[0]) if len(scores) else 0.0

    def scaled(self, scores: Array) -> Array:
        """Return some scores between the least and the greatest of the list, f32[n] in 0..1."""
        reach = max(self.greatest - self.least, 1e-9)
        found: Array = np.clip((scores - self.least) / reach, 0.0, 1.0).astype(np.float32)
        return found

    def reciprocal_ranks(self, chunks: Array) -> Array:
        """Return 1 / rank of some chunks on the list, f32[chunks]; 0 for those not on it.

        Equal scores share the best of their ranks: the order among them says when their files were read.
        """
        if not len(self.best):
            return np.zeros(len(chunks), dtype=np.float32)
        by_number = np.argsort(self.best)
        places = by_number[np.minimum(self.best.searchsorted(chunks, sorter=by_number), len(self.best) - 1)]
        ranks = np.searchsorted(-self.scores, -self.scores[places], side="left") + 1
        found: Array = np.where(self.best[places] == chunks, 1 / ranks, 0).astype(np.float32)
        return found

    def reciprocal(self, chunks: Array, scores: Array) -> Array:
        """Return the reciprocal rank of some chunks, f32[chunks] in 0..1; 0 for those not on the list.

        All of the list are among them; equal scores rank in the order in which they are given.
        """
        worth = np.zeros(len(chunks), dtype=np.float32)
        own = np.flatnonzero(np.isin(chunks, self.best))
        ranked = own[np.argsort(-scores[own], kind="stable")]
        worth[ranked] = (RANK_DAMPING + 1) / (RANK_DAMPING + np.arange(1, len(own) + 1))
        return worth


def listed(scores: Array, depth: int = DEPTH) -> Listed:
    """Return the best of the scores of every chunk."""
    best = top_k(scores, depth)
    return Listed(best, scores[best], depth)


def joined(lists: Sequence[Listed]) -> Array:
    """Return the chunks that are on some list, each once, ascending: i64[n]."""
    return distinct(np.concatenate([listed.best for listed in lists])) if lists else np.zeros(0, dtype=np.int64)


def fuse(chunks: Array, lists: Sequence[tuple[Listed, Array, float]], fusion: Fusion = Fusion.MIN_MAX) -> Array:
    """Return the scores of some chunks on several lists, summed by weight: f32[chunks].

    A list comes with the scores, f32[chunks], that it has for all of them, and its weight.
    """
    total = np.zeros(len(chunks), dtype=np.float32)
    for own, scores, weight in lists:
        total += np.float32(weight) * (
            own.scaled(scores) if fusion is Fusion.MIN_MAX else own.reciprocal(chunks, scores)
        )
    return total
