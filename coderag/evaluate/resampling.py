"""Scores of questions to a mean with its confidence interval, and of two searches to whether they differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["Comparison", "Interval", "compare", "interval"]

RESAMPLES = 2000
PERMUTATIONS = 10_000
CHUNK = 250  # resamples at a time, which bounds the memory
LOW, HIGH = 2.5, 97.5  # percentiles of a 95 % interval
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and where it would lie for 95 % of the samples of as many questions."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a second search differs from a first on the same questions."""

    difference: Interval  # second minus first
    p: float  # how often chance alone would make them differ as much
    wins: int  # questions where the second is better
    ties: int
    losses: int


def interval(values: Array, *, seed: int) -> Interval:
    """Return the mean of f64[questions] with its percentile bootstrap interval (Efron 1979), 0 of no questions."""
    if not len(values):
        return Interval(0.0, 0.0, 0.0)
    random = np.random.default_rng(seed)
    means = [
        values[random.integers(0, len(values), (CHUNK, len(values)))].mean(axis=1) for _ in range(RESAMPLES // CHUNK)
    ]
    low, high = np.percentile(np.concatenate(means), (LOW, HIGH))
    return Interval(float(values.mean()), float(low), float(high))


def compare(first: Array, second: Array, *, seed: int) -> Comparison:
    """Return how two searches differ on the same questions, f64[questions] each.

    The test is that of Fisher's randomisation, two-sided, with random signs: Smucker, Allan and Carterette (CIKM 2007)
    compare it with others. The p value counts the observed difference too, so it is never 0.
    """
    difference = second - first
    random = np.random.default_rng(seed)
    observed = abs(float(difference.sum())) - EQUAL
    extreme = 0
    for _ in range(PERMUTATIONS // CHUNK):
        signs = random.integers(0, 2, (CHUNK, len(difference))) * 2 - 1
        extreme += int((np.abs(signs @ difference) >= observed).sum())
    return Comparison(
        interval(difference, seed=seed),
        (extreme + 1) / (PERMUTATIONS + 1),
        int((difference > EQUAL).sum()),
        int((np.abs(difference) <= EQUAL).sum()),
        int((difference < -EQUAL).sum()),
    )
