"""Overviews within a budget."""

from __future__ import annotations

import pytest

from coderag import Symbol
from coderag.graph.queries.map import RepositoryMap, entry_text, map_of, part_text
from coderag.graph.queries.overview import about_the_whole
from coderag.text.budget import tokens_of
from coderag.types import Kind, Span
from tests.graph.sketch import shop_graph

GRAPH = shop_graph()
PAY = Symbol("pay", "pay", Kind.FUNCTION, Span(20, 30), "def pay(order)", "Collect the money.", "shop/orders.py")


def mapped(budget: int = 1000, question: str = "", near: dict[str, float] | None = None) -> RepositoryMap:
    def outline(path: str) -> list[Symbol]:
        return [PAY] if path == PAY.path else []

    return map_of(GRAPH, outline, budget=budget, question=question, near=near)


def test_what_matters_is_there_with_its_signature_and_summary() -> None:
    found = mapped()
    entries = {entry.name: entry for part in found.parts for entry in part.entries}
    assert entry_text(entries["pay"]) == ("def pay(order)", "Collect the money.")
    assert entry_text(entries["orders"]) == ("table orders", "2 columns; read by Order.load, list_orders")
    assert "test_pay" not in entries
    assert {entry.path for entry in entries.values()}.isdisjoint({"vendor/lib.py", "tests/test_pay.py"})


@pytest.mark.parametrize("budget", [1, 40, 80, 160, 1000])
def test_it_fits_its_budget_but_for_the_title(budget: int) -> None:
    found = mapped(budget)
    lines = [
        line
        for part in found.parts
        for line in (part_text(part), *(" ".join(entry_text(entry)) for entry in part.entries))
    ]
    titles = sum(tokens_of(part_text(part)) + 1 for part in found.parts)
    assert sum(tokens_of(line) for line in lines) <= max(budget, titles)


def test_a_question_brings_what_it_is_about_first() -> None:
    found = mapped(question="jobs of the night", near={"shop/jobs.py": 1.0})
    assert "nightly" in {entry.name for entry in found.parts[0].entries}


@pytest.mark.parametrize(
    "question",
    [
        "what are the main parts?",
        "How is this repository organised?",
        "overview of the architecture",
        "architecture",
        "what are the important modules?",
    ],
)
def test_questions_about_the_whole(question: str) -> None:
    assert about_the_whole(question)


@pytest.mark.parametrize(
    "question",
    [
        "where are failed payments retried?",
        "main",
        "Repository.save",
        "how are the parts of a multipart message read?",
        "a long question that names the main module of some parts of it and goes on and on",
    ],
)
def test_questions_about_something(question: str) -> None:
    assert not about_the_whole(question)


def test_without_texts_there_are_no_sentences_and_no_entry_points() -> None:
    found = mapped()
    assert found.entry_points == ()
    assert {part.about for part in found.parts} == {None}


def test_addresses_are_entry_points_of_their_part() -> None:
    found = map_of(GRAPH, lambda _: [], budget=1000, chunks=lambda _: [])
    assert [(group.kind, group.total) for group in found.entry_points] == [("route", 1)]
    [part] = [part for part in found.parts if part.entry_points]
    assert part.entry_points[0].shown[0].handler == "answer"
