"""SQL and mapped models in code lead to the tables and columns that the judged set names, and decoys to none."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pytest

from scripts.embedded.cases import HALVES, Case, ColumnEdge, TableEdge, languages, read_cases
from scripts.embedded.command import judge
from scripts.embedded.found import Found, Uses
from scripts.embedded.scores import Verdict, judged, summed


class Floor(NamedTuple):
    """What was reached: precision and recall of edges to tables and to columns, and edges that start in decoys."""

    tables: tuple[float, float]
    columns: tuple[float, float]
    from_decoys: int


FLOORS = {
    "dev": Floor(tables=(0.995, 0.99), columns=(0.995, 0.99), from_decoys=0),
    "test": Floor(tables=(0.995, 0.90), columns=(0.98, 0.89), from_decoys=0),
}


@cache
def verdicts(half: str) -> tuple[list[Verdict], list[str]]:
    found, complaints = [], []
    for language in languages(half):
        held, wrong = judge(half, language)
        found += held
        complaints += wrong
    return found, complaints


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_the_set_fits_its_code(half: str) -> None:
    assert verdicts(half)[1] == []


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_edges_are_as_right_as_they_were(half: str) -> None:
    figures = summed(verdicts(half)[0])
    floor = FLOORS[half]
    reached = (
        (figures.precision(0), figures.recall(0)),
        (figures.precision(1), figures.recall(1)),
    )
    below = [
        (what, measured, wanted)
        for what, held, wants in zip(("tables", "columns"), reached, floor[:2], strict=True)
        for measured, wanted in zip(held, wants, strict=True)
        if measured < wanted
    ]
    assert below == []
    assert figures.from_decoys <= floor.from_decoys


def test_the_set_is_large_enough() -> None:
    sizes = {half: {language: read_cases(half, language, {}) for language in languages(half)} for half in HALVES}
    assert len(sizes["dev"]) == len(sizes["test"]) == 12
    for language in sizes["dev"]:
        cases = [one for half in HALVES for one in sizes[half][language]]
        assert sum(not one.decoy for one in cases) >= 20, language
        assert sum(one.decoy for one in cases) >= 20, language
    every = [one for held in sizes.values() for cases in held.values() for one in cases]
    assert sum(not one.decoy for one in every) >= 300
    assert sum(one.decoy for one in every) >= 300


READ = TableEdge("orders", "read")
STATUS, TOTAL = ColumnEdge("orders", "status", write=False), ColumnEdge("orders", "total_cents", write=False)


def case(function: str, *, decoy: bool = False) -> Case:
    """Return a case of a function that reads the status of orders, or of one that reads nothing."""
    return Case(
        language="python",
        file="desk.py",
        function=function,
        kind="prose" if decoy else "literal",
        tables=frozenset() if decoy else frozenset({READ}),
        columns=frozenset() if decoy else frozenset({STATUS}),
        free_tables=frozenset(),
        free_columns=frozenset(),
        decoy=decoy,
        dynamic=False,
    )


def test_what_is_missing_false_or_from_a_decoy_is_counted() -> None:
    uses = {
        ("desk.py", "one"): Uses({READ: 0}, {TOTAL: 0}, said=False),
        ("desk.py", "none"): Uses({TableEdge("users", "delete"): 1}, {}, said=False),
    }
    found = Found(schema={}, functions=frozenset(uses), inside={}, uses=uses)
    figures = summed(judged([case("one"), case("none", decoy=True), case("lost")], found))
    assert (figures.right, figures.missing, figures.false, figures.from_decoys) == ((1, 0), (1, 2), (0, 1), 1)


def test_a_candidate_beside_the_right_table_is_not_false() -> None:
    other = TableEdge("warehouse:orders", "read")
    uses = {("desk.py", "one"): Uses({READ: 2, other: 2}, {STATUS: 2}, said=False)}
    found = Found(schema={}, functions=frozenset(uses), inside={}, uses=uses)
    assert [one.is_right for one in judged([case("one")], found)] == [True]
