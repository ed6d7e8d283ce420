"""Maximal marginal relevance: what it picks, in which order, and what likeness is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.search.ranking.diversify import cosine_rows, jaccard_rows, mmr
from coderag.search.ranking.rank import spread
from tests.workspace import SHOP, write

VECTORS = np.array([[127, 0, 0], [120, 4, 0], [0, 127, 0], [0, 0, 0]], dtype=np.int8)
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no bug
SCORES = np.array([1.0, 0.9, 0.5, 0.1], dtype=np.float32)
Candidates = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 3)), min_size=0, max_size=25)


def order(diversity: float, k: int = 4) -> list[int]:
    return [position for position, _ in mmr(SCORES, cosine_rows(VECTORS), k=k, diversity=diversity)]


def test_none_keeps_the_order_of_the_scores() -> None:
    assert order(0) == [0, 1, 2, 3]


def test_some_puts_what_is_like_a_better_one_behind() -> None:
    assert order(0.5) == [0, 2, 3, 1]
    assert order(0.5, k=2) == [0, 2]


def test_all_goes_by_unlikeness_after_the_first() -> None:
    assert order(1)[0] == 0
    assert order(1)[-1] == 1


def test_a_score_stays_that_of_the_candidate() -> None:
    assert [score for _, score in mmr(SCORES, cosine_rows(VECTORS), k=4, diversity=0.5)] == pytest.approx(
        [1.0, 0.5, 0.1, 0.9]
    )


@UNHURRIED
@given(Candidates, st.integers(1, 50), st.sampled_from([0.4, 0.68, 0.95, 1.0]))
def test_without_diversity_it_is_the_spread_over_groups(candidates: list[tuple[int, int]], k: int, keep: float) -> None:
    ranked = sorted(candidates, reverse=True)
    scores = np.array([score for score, _ in ranked], dtype=np.float32)
    groups = np.array([group for _, group in ranked], dtype=np.int32)
    vectors = np.ones((len(ranked), 2), dtype=np.float32)
    picked = mmr(scores, cosine_rows(vectors), k=k, diversity=0, groups=groups, keep=keep)
    expected = spread(groups, scores, k=k, keep=keep)
    assert [score for _, score in picked] == pytest.approx([score for _, score in expected])


@pytest.mark.slow
@UNHURRIED
@given(Candidates, st.integers(1, 50), st.floats(0, 1))
def test_each_is_picked_once_and_the_best_first(candidates: list[tuple[int, int]], k: int, diversity: float) -> None:
    ranked = sorted(candidates, reverse=True)
    scores = np.array([score for score, _ in ranked], dtype=np.float32)
    sets = [{str(group), str(score % 7)} for score, group in ranked]
    positions = [position for position, _ in mmr(scores, jaccard_rows(sets), k=k, diversity=diversity)]
    assert len(positions) == len(set(positions)) == min(k, len(ranked))
    assert positions[:1] == [0][: len(ranked)]


def test_likeness_is_within_bounds() -> None:
    cosines = cosine_rows(VECTORS)(0)
    assert cosines.tolist() == pytest.approx([1.0, 0.999, 0.0, 0.0], abs=0.01)
    assert cosine_rows(np.array([[1, 0], [-1, 0]], dtype=np.float32))(0).tolist() == [1.0, 0.0]
    assert jaccard_rows([{"a", "b"}, {"b", "c"}, set()])(0).tolist() == pytest.approx([1.0, 1 / 3, 0.0])
    assert jaccard_rows([set(), set()])(0).tolist() == [0.0, 0.0]


@pytest.mark.slow
def test_a_search_gives_different_hits_and_keeps_the_best(tmp_path: Path) -> None:
    plain = Index.build(SHOP, index=tmp_path / "idx", workers=0)
    question = "where are failed payments retried?"
    hits, diverse = plain.search(question), plain.search(question, diversity=0.5)
    assert diverse[0].chunk.id == hits[0].chunk.id
    assert {hit.chunk.id for hit in diverse} != {hit.chunk.id for hit in hits}
    assert [hit.chunk.id for hit in plain.search(question, diversity=0)] == [hit.chunk.id for hit in hits]


@pytest.mark.parametrize("encoder", ["none", "static"])
def test_variants_of_one_function_do_not_fill_the_list(tmp_path: Path, encoder: str) -> None:
    variants = "\n\n".join(
        f"def parse_date_{name}(text):\n    '''Parse a date of text.'''\n    return parse_date(text, '{name}')\n"
        for name in "abcdef"
    )
    other = "def format_calendar(day):\n    '''How a date is shown.'''\n    return day.isoformat()\n"
    root = write(tmp_path / "root", {"dates.py": variants, "calendar.py": other})
    index = Index.build(root, index=tmp_path / encoder, encoder=encoder, workers=0)
    found = [hit.chunk.name for hit in index.search("parse date text", k=3, diversity=0.7)]
    assert found[0].startswith("parse_date_")
    assert "format_calendar" in found
