"""Confidences of first hits, and which of these were right, to how far a confidence can be believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["BINS", "Bin", "Calibration", "calibrate"]

BINS = 10  # of as many questions each


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions whose first hits had nearly the same confidence: a point of the reliability diagram."""

    questions: int
    low: float  # the least confidence
    high: float  # ... and the greatest
    confidence: float  # their mean
    right: float  # share whose first hit was right


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well confidences tell right first hits from wrong ones, and how far they are from the share of right ones."""

    questions: int
    right: float  # share whose first hit was right
    confidence: float  # the mean
    auc: float | None  # how often a right hit has more confidence than a wrong one; None without one of each
    ece: float  # expected calibration error: the mean distance of a bin's confidence from its share of right hits
    brier: float  # mean squared distance of a confidence from 1 for right and 0 for wrong
    bins: tuple[Bin, ...]  # by confidence, ascending


def calibrate(confidences: Array, right: Array) -> Calibration:
    """Return the calibration of f64[questions] with bool[questions].

    The bins hold as many questions each, as Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities
    Using Bayesian Binning" (2015), do for the expected calibration error: bins of equal width would be nearly empty.
    """
    count = len(confidences)
    if not count:
        return Calibration(0, 0.0, 0.0, None, 0.0, 0.0, ())
    # Sorted by both, so that the order of the input decides nothing.
    order = np.lexsort((right, confidences))
    confidences, right = confidences[order], right[order]
    bins = tuple(
        Bin(len(sure), float(sure[0]), float(sure[-1]), float(sure.mean()), float(was_right.mean()))
        for sure, was_right in zip(
            *(np.array_split(one, min(BINS, count)) for one in (confidences, right)), strict=True
        )
    )
    return Calibration(
        questions=count,
        right=float(right.mean()),
        confidence=float(confidences.mean()),
        auc=_auc(confidences, right),
        ece=sum(one.questions * abs(one.confidence - one.right) for one in bins) / count,
        brier=float(np.mean((confidences - right) ** 2)),
        bins=bins,
    )


def _auc(confidences: Array, right: Array) -> float | None:
    """Return the area under the ROC curve, by the Mann-Whitney statistic; equal confidences count half."""
    positive = int(right.sum())
    negative = len(right) - positive
    if not positive or not negative:
        return None
    _, group, sizes = np.unique(confidences, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[group]
    return float((ranks[right].sum() - positive * (positive + 1) / 2) / (positive * negative))
