"""Ranks to measures, and measures to intervals and comparisons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from coderag.evaluate.metrics import measures, score
from coderag.evaluate.resampling import compare, interval

K = 10
pytestmark = pytest.mark.dev("ir_measures", "scipy")


@pytest.fixture(scope="module")
def stats() -> Any:
    """Return scipy.stats, without types, which ir-measures brings; it takes a second to import, where it is used."""
    return pytest.importorskip("scipy.stats")


def test_the_measures_are_those_of_the_textbook() -> None:
    # Both targets at ranks 1 and 3; one of two at rank 2; none; no hit at all.
    scores = score([(0, -1, 1), (-1, 1), (-1, -1), ()], [2, 2, 1, 1], k=K)
    ideal = 1 + 1 / math.log2(3)
    assert tuple(scores) == measures(K) == ("nDCG@10", "MRR@10", "recall@10", "precision@10", "success@1")
    assert scores["nDCG@10"] == pytest.approx([(1 + 1 / 2) / ideal, 1 / math.log2(3) / ideal, 0, 0])
    assert scores["MRR@10"] == pytest.approx([1, 1 / 2, 0, 0])
    assert scores["recall@10"] == pytest.approx([1, 1 / 2, 0, 0])
    assert scores["precision@10"] == pytest.approx([0.2, 0.1, 0, 0])
    assert scores["success@1"].tolist() == [1, 0, 0, 0]


def test_only_the_first_k_ranks_count() -> None:
    scores = score([(-1, -1, 0)], [1], k=2)
    assert {name: values.tolist() for name, values in scores.items()} == {name: [0.0] for name in measures(2)}


def test_an_interval_is_that_of_scipy_and_the_same_for_a_seed(stats: Any) -> None:
    values = np.random.default_rng(5).beta(0.5, 0.7, 300)
    found = interval(values, seed=3)
    expected = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=5000, rng=np.random.default_rng(1))
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=0.006)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=0.006)
    assert interval(values, seed=3) == found != interval(values, seed=4)


def test_no_question_has_no_interval() -> None:
    found = interval(np.array([]), seed=1)
    assert (found.mean, found.low, found.high) == (0, 0, 0)


def test_a_comparison_is_that_of_scipy(stats: Any) -> None:
    random = np.random.default_rng(2)
    first = random.random(60)
    second = first + random.normal(0.04, 0.15, 60)

    def statistic(one: np.ndarray, other: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(np.mean(other - one, axis=axis))

    expected = stats.permutation_test(
        (first, second), statistic, permutation_type="samples", n_resamples=20_000, rng=random
    )
    found = compare(first, second, seed=1)
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)
    assert 0.01 < found.p < 0.2
    assert found.difference.mean == pytest.approx((second - first).mean())
    assert found.wins + found.losses == 60


def test_what_does_not_differ_is_a_tie() -> None:
    values = np.array([0.1, 0.5, 1.0])
    found = compare(values, values.copy(), seed=1)
    assert (found.p, found.wins, found.ties, found.losses) == (1.0, 0, 3, 0)


def test_few_questions_prove_nothing() -> None:
    found = compare(np.zeros(3), np.ones(3), seed=1)
    assert found.difference.low == found.difference.high == 1
    assert found.p == pytest.approx(2 / 8, abs=0.02)
