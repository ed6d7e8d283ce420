"""Lists of scores that become one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coderag.ranking.fuse import RANK_DAMPING, fuse, listed
from coderag.types import Fusion

WORDS = np.array([9.0, 0.0, 5.0, 1.0, 0.0], dtype=np.float32)
NEAR = np.array([0.2, 0.9, 0.6, 0.0, 0.0], dtype=np.float32)


def test_scores_are_scaled_between_the_least_and_the_greatest_and_weighed() -> None:
    chunks, total = fuse([(listed(WORDS), 1.0), (listed(NEAR), 0.5)])
    assert chunks.tolist() == [0, 1, 2, 3]
    assert total == pytest.approx([1 + 0.5 * 0.2 / 0.9, 0.5, 5 / 9 + 0.5 * 0.6 / 0.9, 1 / 9])


def test_a_full_list_begins_where_its_last_one_is() -> None:
    best = listed(WORDS, 2)
    assert best.best.tolist() == [0, 2]
    assert best.scaled(np.array([0, 2, 3])).tolist() == [1.0, 0.0, 0.0]


def test_ranks_alone_forget_how_far_apart_scores_are() -> None:
    chunks, total = fuse([(listed(WORDS), 1.0), (listed(NEAR), 1.0)], Fusion.RANKS)
    first, second, third = ((RANK_DAMPING + 1) / (RANK_DAMPING + rank) for rank in (1, 2, 3))
    assert dict(zip(chunks.tolist(), total.tolist(), strict=True)) == pytest.approx(
        {0: first + third, 1: first, 2: second + second, 3: third}
    )


def test_a_list_without_weight_brings_nothing() -> None:
    chunks, total = fuse([(listed(WORDS), 1.0), (listed(NEAR), 0.0)])
    assert chunks.tolist() == [0, 2, 3]
    assert total.max() == 1.0


def test_no_list_gives_nothing() -> None:
    chunks, total = fuse([(listed(np.zeros(4, dtype=np.float32)), 1.0)])
    assert not len(chunks)
    assert not len(total)


@given(arrays(np.float32, st.integers(1, 400), elements=st.floats(0, 100, width=32)), st.sampled_from(Fusion))
def test_a_better_score_never_costs_a_place(scores: np.ndarray, fusion: Fusion) -> None:
    chunks, total = fuse([(listed(scores), 1.0)], fusion)
    order = np.argsort(-scores[chunks], kind="stable")
    assert (np.diff(total[order]) <= 1e-6).all()
    assert ((total >= 0) & (total <= 1)).all()
