"""Judging `check-answer`: true and false sentences to what is caught and what is flagged."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from coderag import Index
from scripts.judge_checker import SENTENCES, TRUE, judge, table
from tests.workspace import copy_shop

CAUGHT, FLAGGED = 0.95, 0.03


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with Index.build(copy_shop(tmp_path_factory.mktemp("judging") / "shop"), workers=0) as index:
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
