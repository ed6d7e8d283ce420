"""Several lists of scores to one: each scaled to 0..1 over its best, weighted and summed; or by rank alone.

Scaling by the least and the greatest score of a list (min-max, a convex combination; Bruch, Gai and Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", 2023) keeps how far apart scores are. Reciprocal rank fusion
(Cormack, Clarke and Buettcher, 2009) does not, and needs no scores that mean anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coderag.index.arrays import Array
from coderag.index.sparse import top_k
from coderag.types import Fusion

__all__ = ["DEPTH", "Listed", "fuse", "listed"]

DEPTH = 200  # of each list that counts
RANK_DAMPING = 60.0  # the k of reciprocal rank fusion


class Listed:
    """The best of a list of scores: which, and their scores scaled to 0..1."""

    def __init__(self, scores: Array, depth: int = DEPTH) -> None:
        self.best = top_k(scores, depth)
        found = scores[self.best]
        # A list that is not full ends at 0; then the least of its scores is still something.
        self.least = float(found[-1]) if len(found) == depth else 0.0
        self.greatest = float(found[0]) if len(found) else 0.0
        self._scores = scores

    def scaled(self, chunks: Array) -> Array:
        """Return the scores of some chunks between the least and the greatest of the list, f32[chunks] in 0..1."""
        reach = max(self.greatest - self.least, 1e-9)
        found: Array = np.clip((self._scores[chunks] - self.least) / reach, 0.0, 1.0).astype(np.float32)
        return found

    def reciprocal(self, chunks: Array) -> Array:
        """Return what the rank of some chunks is worth, f32[chunks] in 0..1; 0 for those not on the list."""
        worth = {chunk: (RANK_DAMPING + 1) / (RANK_DAMPING + rank) for rank, chunk in enumerate(self.best.tolist(), 1)}
        return np.array([worth.get(chunk, 0.0) for chunk in chunks.tolist()], dtype=np.float32)


def listed(scores: Array, depth: int = DEPTH) -> Listed:
    """Return the best of some scores."""
    return Listed(scores, depth)


def fuse(lists: Sequence[tuple[Listed, float]], fusion: Fusion = Fusion.MIN_MAX) -> tuple[Array, Array]:
    """Return the chunks that are on some list, ascending, and their scores summed by weight: i64[n], f32[n]."""
    used = [(one, weight) for one, weight in lists if weight > 0]
    chunks = np.unique(np.concatenate([one.best for one, _ in used])) if used else np.zeros(0, dtype=np.int64)
    total = np.zeros(len(chunks), dtype=np.float32)
    for one, weight in used:
        total += np.float32(weight) * (one.scaled(chunks) if fusion is Fusion.MIN_MAX else one.reciprocal(chunks))
    return chunks, total
