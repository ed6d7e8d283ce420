"""Confidences and what was right to AUC, calibration error and Brier score, against values worked out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.evaluate.calibration import BINS, Bin, calibrate

SURE = np.array([0.9, 0.8, 0.8, 0.3, 0.2])
RIGHT = np.array([True, True, False, True, False])


def test_figures_are_those_worked_out_by_hand() -> None:
    found = calibrate(SURE, RIGHT)
    assert found.questions == 5
    assert [found.right, found.confidence] == pytest.approx([0.6, 0.6])
    # Of the six pairs of a right and a wrong one: .9 beats both, .8 ties and beats, .3 loses and beats.
    assert found.auc == pytest.approx((2 + 1.5 + 1) / 6)
    assert found.brier == pytest.approx((0.1**2 + 0.2**2 + 0.8**2 + 0.7**2 + 0.2**2) / 5)
    # Five questions make five bins of one, the wrong one of two equal confidences first.
    assert [(one.confidence, one.right) for one in found.bins] == [(0.2, 0), (0.3, 1), (0.8, 0), (0.8, 1), (0.9, 1)]
    assert found.ece == pytest.approx((0.2 + 0.7 + 0.8 + 0.2 + 0.1) / 5)


def test_bins_hold_as_many_questions_each() -> None:
    sure = np.repeat([0.25, 0.75], 10)
    right = np.array([True, False] * 4 + [False] * 2 + [True] * 10)
    found = calibrate(sure, right)
    assert len(found.bins) == BINS
    assert {one.questions for one in found.bins} == {2}
    assert found.bins[-1] == Bin(2, 0.75, 0.75, 0.75, 1.0)
    # The lower half: 4 of 10 right at .25, sorted as three bins of none and two of all; the upper half is all right.
    assert found.ece == pytest.approx((6 * 0.25 + 4 * 0.75 + 10 * 0.25) / 20)


@pytest.mark.parametrize("right", [True, False])
def test_one_sort_alone_has_no_area(right: bool) -> None:
    assert calibrate(SURE, np.full(5, right)).auc is None


def test_no_question_has_no_bins() -> None:
    found = calibrate(np.array([]), np.array([], dtype=bool))
    assert (found.questions, found.auc, found.bins) == (0, None, ())


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=60))
def test_the_area_is_the_share_of_pairs_and_no_order_matters(rows: list[tuple[float, bool]]) -> None:
    sure, right = (np.array(column) for column in zip(*rows, strict=True))
    found = calibrate(sure, right)
    pairs = [(one > other) + (one == other) / 2 for one, other in product(sure[right], sure[~right])]
    assert found.auc == (pytest.approx(np.mean(pairs)) if pairs else None)
    assert 0 <= found.ece <= 1
    assert sum(one.questions for one in found.bins) == len(rows)
    assert calibrate(sure[::-1], right[::-1]) == found
