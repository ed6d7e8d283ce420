"""Judging `check-answer`: true and false sentences to what is caught and what is flagged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from scripts.judge_checker import SENTENCES, TRUE, judge, table

CAUGHT, FLAGGED = 0.95, 0.03


@pytest.fixture(scope="module")
def shop(indexed_shop: Path) -> Iterator[Index]:
    with Index.open(indexed_shop) as index:
        yield index


@pytest.mark.slow
def test_false_sentences_are_caught_and_true_ones_are_not(shop: Index) -> None:
    lines = [json.loads(line) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    judged = judge(lines, shop)
    false = [one.flagged for one in judged if one.label != TRUE]
    true = [one.flagged for one in judged if one.label == TRUE]
    assert (len(false), len(true)) == (150, 150)
    assert sum(false) / len(false) >= CAUGHT, "\n".join(table(judged))
    assert sum(true) / len(true) <= FLAGGED, "\n".join(table(judged))
