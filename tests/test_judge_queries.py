"""Judging `check-sql`: a right query to its mutations, and a bench to its figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.queries.command import run
from scripts.queries.mutations import Kind, mutants
from scripts.queries.sets import Gold, databases

DDL = """
CREATE TABLE customers (id integer PRIMARY KEY, name text, country text);
CREATE TABLE orders (number integer PRIMARY KEY, customer_id integer, total real);
CREATE TABLE shelves (aisle integer, height real);
"""
JOINED = "SELECT c.country, sum(total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.country"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (tmp_path / "ddl" / "shops").mkdir(parents=True)
    (tmp_path / "ddl" / "shops" / "shop.sql").write_text(DDL)
    (tmp_path / "items").mkdir()
    queries = [JOINED, "SELECT nmae FROM customers"]
    items = [{"id": f"q{at}", "db_id": "Shop", "gold_sql": sql, "dialect": "sqlite"} for at, sql in enumerate(queries)]
    (tmp_path / "items" / "shops.jsonl").write_text("\n".join(map(json.dumps, items)))
    return tmp_path


def mutated(bench: Path, sql: str) -> dict[Kind, str]:
    truth = databases(bench, "shops")["shop.sql"]
    gold = Gold("q", "shop.sql", "sqlite", sql)
    return {mutant.kind: mutant.sql for mutant in mutants(gold, truth, frozenset(truth.columns), seed=1)}


def test_a_query_has_a_mutation_of_each_kind(bench: Path) -> None:
    found = mutated(bench, JOINED)
    assert set(found) == set(Kind)
    assert found[Kind.JOIN_DROPPED] == JOINED.replace("ON o.customer_id = c.id ", " ")
    assert found[Kind.GROUP_DROPPED] == JOINED.replace("GROUP BY c.country", "")
    assert all(sql != JOINED for sql in found.values())


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT country FROM customers GROUP BY country", Kind.GROUP_DROPPED),  # no aggregate is left
        ("SELECT country, max(id) FROM customers GROUP BY country", Kind.GROUP_DROPPED),  # SQLite's row of the maximum
        ("SELECT name FROM customers JOIN (SELECT max(number) AS n FROM orders) ON n = id", Kind.JOIN_DROPPED),
        ("SELECT name FROM customers c JOIN orders o ON o.customer_id = c.id WHERE total = c.id", Kind.JOIN_DROPPED),
        ("SELECT name FROM customers", Kind.QUALIFIER),
    ],
)
def test_what_is_still_right_is_left_out(bench: Path, sql: str, kind: Kind) -> None:
    assert kind not in mutated(bench, sql)


@pytest.mark.slow
def test_a_bench_to_its_figures(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--bench", str(bench), "--dialect", "given", "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    wanted = {"queries": 1, "refused": 1, "false_alarms": 0, "warned": 0, "mutations": 8, "caught_as_errors": 1}
    assert {key: figures[key] for key in wanted} == wanted
    assert run(["--bench", str(bench), "--show"]) == 0
    assert "refused q1: no such column: nmae" in capsys.readouterr().out
