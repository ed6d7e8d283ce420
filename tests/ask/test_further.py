"""Sources that no statement cites, which fill the room that the budget has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Answer, Index
from coderag.text.budget import tokens_of
from tests.ask.models.scripted import serve_model
from tests.workspace import write

RETRIED = "where are failed payments retried?"


def further(answer: Answer) -> list[str]:
    """Return the names of what no statement cites; it is numbered behind the sources."""
    every = [*answer.sources, *answer.further]
    assert [source.number for source in every] == list(range(1, len(every) + 1))
    return [source.name for source in answer.further]


@pytest.mark.parametrize("budget", [150, 600, 2000])
def test_the_budget_holds_for_all_sources(shop: Index, budget: int) -> None:
    answer = shop.ask(RETRIED, budget=budget)
    assert sum(tokens_of(source.text) for source in (*answer.sources, *answer.further)) <= budget


def test_the_class_of_a_found_member_comes_near(tmp_path: Path) -> None:
    code = '''class Ledger:
    """Books of one year."""

    def close_year(self):
        """Close the year, so that nothing is booked into it any more."""
        self.closed = True

    def carry_forward(self):
        """Carry balances into the next one."""
        return self.balances
'''
    index = Index.build(write(tmp_path / "books", {"ledger.py": code}), workers=0)
    answer = index.ask("where is the year closed, so that nothing is booked?", k=2)
    assert "Ledger" in {source.name for source in (*answer.sources, *answer.further)}
    assert len(further(answer)) <= 2


def test_a_table_comes_near_the_code_that_uses_it_and_code_near_its_table(shop: Index) -> None:
    shop.graphs()  # what is near is read from a graph that is stored, and none is built for it
    assert "payment_attempts" in further(shop.ask("which function stores an attempt at a payment?", k=5))
    assert further(shop.ask("which table records every attempt at a payment and its outcome?"))


def test_what_lies_near_keeps_to_the_paths(shop: Index) -> None:
    for question in (RETRIED, "which table records every attempt at a payment and its outcome?"):
        answer = shop.ask(question, paths=("schema/**",) if "table" in question else ("shop/payments/**",))
        assert answer.sources
        start = "schema/" if "table" in question else "shop/payments/"
        assert all(source.path.startswith(start) for source in (*answer.sources, *answer.further))


def test_an_answer_that_is_not_found_has_no_sources(shop: Index) -> None:
    assert shop.ask("where is the Redis connection opened?").further == ()


def test_a_model_is_given_what_lies_near_too(shop: Index) -> None:
    plain = shop.ask(RETRIED)
    with serve_model() as server:
        written = shop.ask(RETRIED, model=server.chat("faithful"), cache=False)
    assert plain.further
    assert [source.place for source in written.sources] == [one.place for one in (*plain.sources, *plain.further)]
    assert written.further == ()
    assert all(source.text.split("\n")[0] in server.prompts[0].text for source in plain.further)
