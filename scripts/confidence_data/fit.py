"""Rows of evidence to the weights of a confidence: logistic regression in which no evidence counts the wrong way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.evidence import EVIDENCE
from scripts.confidence_data.rows import Rows

__all__ = ["Fitted", "cross_fitted", "fit", "probabilities"]

STEPS = 50  # a few do
LENGTHS = tuple(0.5**number for number in range(12))  # of a step, longest first
TINY = 1e-9
PENALTY = 1e-3  # on the squares of the weights, of evidence in units of its deviation
LATER = 0.25  # what a hit after the first counts
NO_ANSWER = 0.25  # what a question counts where it has no answer: one in five is asked in vain
FOLDS = 5
EITHER_WAY = frozenset({"words", "is_symbol", "is_edit", "is_behavior"})  # evidence of the question, for or against


@dataclass(frozen=True, slots=True)
class Fitted:
    """A confidence: what each evidence weighs, and where it starts."""

    weights: Array  # f64[EVIDENCE]
    start: float


def fit(rows: Rows) -> Fitted:
    """Return the weights that make the rows likeliest; a chunk's own evidence weighs nothing or in its favour.

    By projected Newton steps (Bertsekas, "Projected Newton Methods for Optimization Problems with Simple
    Constraints", 1982): what is at its bound and pushed against it stays there.
    """
    mean, deviation = rows.evidence.mean(axis=0), rows.evidence.std(axis=0) + TINY
    scaled = np.column_stack([(rows.evidence - mean) / deviation, np.ones(len(rows.right))])
    share = np.where(rows.rank == 0, 1.0, LATER) * np.where(rows.own, 1.0, NO_ANSWER)
    share /= share.sum()
    least = np.array([*(-np.inf if name in EITHER_WAY else 0.0 for name in EVIDENCE), -np.inf])
    penalty = np.array([*([PENALTY] * len(EVIDENCE)), 0.0])

    def cost(weights: Array) -> float:
        logits = scaled @ weights
        return float(share @ (np.logaddexp(0, logits) - rows.right * logits) + penalty @ weights**2 / 2)

    weights = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-(scaled @ weights)))
        slope = scaled.T @ (share * (sure - rows.right)) + penalty * weights
        curve = (scaled * (share * sure * (1 - sure))[:, np.newaxis]).T @ scaled + np.diag(penalty)
        free = (weights > least) | (slope < 0)
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(curve[np.ix_(free, free)], slope[free])
        reached = cost(weights)
        tried = (np.maximum(weights - length * step, least) for length in LENGTHS)
        better = next((one for one in tried if cost(one) < reached - TINY), None)
        if better is None:
            break
        weights = better
    own = weights[:-1] / deviation
    return Fitted(own, float(weights[-1] - own @ mean))


def probabilities(rows: Rows, fitted: Fitted) -> Array:
    """Return the confidence of each row, f64[hits]."""
    found: Array = 1 / (1 + np.exp(-(rows.evidence @ fitted.weights + fitted.start)))
    return found


def cross_fitted(rows: Rows) -> Array:
    """Return the confidence of each row by weights that were fitted without its source, f64[hits]."""
    groups = sorted(set(rows.group.tolist()))
    fold = np.array([groups.index(group) % FOLDS for group in rows.group.tolist()])
    found = np.zeros(len(rows.right))
    for number in range(FOLDS):
        found[fold == number] = probabilities(rows.chosen(fold == number), fit(rows.chosen(fold != number)))
    return found
