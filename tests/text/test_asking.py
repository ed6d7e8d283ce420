"""Questions about data: which words count, and how much."""

from __future__ import annotations

import pytest

from coderag.text.asking import WEAK_WEIGHT, asked_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How many singers are there?", {"many": WEAK_WEIGHT, "singers": 1.0}),
        (
            "the average age in ascending order",
            {"average": WEAK_WEIGHT, "age": 1.0, "ascending": WEAK_WEIGHT, "order": WEAK_WEIGHT},
        ),
        ("who placed the first order", {"placed": 1.0, "first": WEAK_WEIGHT, "order": 1.0}),
        ("games of 2014", {"games": 1.0, "2014": 0.1}),
        ("the 5 best", {"5": 0.2, "best": 1.0}),
        ("", {}),
    ],
)
def test_words_that_only_ask_count_little(text: str, words: dict[str, float]) -> None:
    assert {word: weight for word, weight in asked_words(text) if weight} == words
