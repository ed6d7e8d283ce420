"""Sums of rows: the same to the last bit, wherever a row stands and whatever stands beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.search.ranking.sums import weighted_sums


@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 1000))
def test_a_row_has_the_same_sum_among_any_others(count: int, width: int, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    rows = numbers.random((count, width), dtype=np.float32)
    weights = numbers.random(width, dtype=np.float32)
    sums = weighted_sums(rows, weights)
    assert sums.tolist() == pytest.approx((rows.astype(np.float64) @ weights.astype(np.float64)).tolist(), rel=1e-5)
    order = numbers.permutation(count)
    assert weighted_sums(rows[order], weights).tolist() == sums[order].tolist()
    assert [float(weighted_sums(row[np.newaxis], weights)[0]) for row in rows] == sums.tolist()
    assert weighted_sums(np.asfortranarray(rows), weights).tolist() == sums.tolist()


def test_no_rows_have_no_sums() -> None:
    assert weighted_sums(np.zeros((0, 3), dtype=np.float32), np.ones(3, dtype=np.float32)).tolist() == []
    assert weighted_sums(np.zeros((2, 0), dtype=np.float32), np.ones(0, dtype=np.float32)).tolist() == [0.0, 0.0]
