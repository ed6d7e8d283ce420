"""Questions to routes: those of fixtures/ask, asked of fixtures/shop."""

from __future__ import annotations

import json

import pytest

from coderag import Index
from coderag.ask.known_names import known_in
from coderag.ask.records import Route
from coderag.ask.routing import routes_of
from tests.workspace import REPOSITORY

LEAST = 0.95  # share of the questions that go where they should
LINES = (REPOSITORY / "fixtures/ask/routes.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("half", ["tuning", "measuring"])
def test_questions_go_where_their_answer_is(shop: Index, half: str) -> None:
    known = known_in(shop)
    asked = [one for one in map(json.loads, LINES) if one["half"] == half]
    wrong = [one["question"] for one in asked if routes_of(one["question"], known)[0] != one["route"]]
    assert len(asked) == 100
    assert 1 - len(wrong) / len(asked) >= LEAST, wrong


def test_a_relation_of_a_name_that_nobody_knows_is_looked_for_in_code(shop: Index) -> None:
    known = known_in(shop)
    assert routes_of("who calls Cart.lines?", known) == (Route.GRAPH,)
    assert routes_of("who calls Kart.lanes?", known) == (Route.CODE,)
