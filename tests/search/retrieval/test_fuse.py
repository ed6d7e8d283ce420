"""Lists of scores that become one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coderag.search.retrieval.fuse import RANK_DAMPING, fuse, joined, listed
from coderag.types import Fusion

WORDS = np.array([9.0, 0.0, 5.0, 1.0, 0.0], dtype=np.float32)
NEAR = np.array([0.2, 0.9, 0.6, 0.0, 0.0], dtype=np.float32)


def both(first: np.ndarray, second: np.ndarray, weight: float, **how: Fusion) -> tuple[np.ndarray, np.ndarray]:
    """Return the chunks that are on one of two lists and their scores, the second list counting so much."""
    lists = [listed(first), listed(second)]
    chunks = joined(lists)
    return chunks, fuse(chunks, [(lists[0], first[chunks], 1.0), (lists[1], second[chunks], weight)], **how)


def test_scores_are_scaled_between_the_least_and_the_greatest_and_weighed() -> None:
    chunks, total = both(WORDS, NEAR, 0.5)
    assert chunks.tolist() == [0, 1, 2, 3]
    assert total == pytest.approx([1 + 0.5 * 0.2 / 0.9, 0.5, 5 / 9 + 0.5 * 0.6 / 0.9, 1 / 9])


def test_a_full_list_begins_where_its_last_one_is() -> None:
    best = listed(WORDS, 2)
    assert best.best.tolist() == [0, 2]
    assert best.scaled(WORDS[[0, 2, 3]]).tolist() == [1.0, 0.0, 0.0]


def test_ranks_alone_forget_how_far_apart_scores_are() -> None:
    chunks, total = both(WORDS, NEAR, 1.0, fusion=Fusion.RANKS)
    first, second, third = ((RANK_DAMPING + 1) / (RANK_DAMPING + rank) for rank in (1, 2, 3))
    assert dict(zip(chunks.tolist(), total.tolist(), strict=True)) == pytest.approx(
        {0: first + third, 1: first, 2: second + second, 3: third}
    )


def test_nothing_is_on_no_list() -> None:
    assert not len(joined([]))
    best = listed(np.zeros(4, dtype=np.float32))
    chunks = joined([best])
    assert not len(chunks)
    assert not len(fuse(chunks, [(best, np.zeros(0, dtype=np.float32), 1.0)]))


@given(arrays(np.float32, st.integers(1, 400), elements=st.floats(0, 100, width=32)), st.sampled_from(Fusion))
def test_a_better_score_never_costs_a_place(scores: np.ndarray, fusion: Fusion) -> None:
    best = listed(scores)
    chunks = joined([best])
    total = fuse(chunks, [(best, scores[chunks], 1.0)], fusion)
    order = np.argsort(-scores[chunks], kind="stable")
    assert (np.diff(total[order]) <= 1e-6).all()
    assert ((total >= 0) & (total <= 1)).all()
