"""Filters leave exactly the chunks that meet them, before anything is ranked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from coderag.errors import QueryError
from coderag.types import Hit

MANY = 300  # more than are looked at closely
SHOP_SQL = """CREATE TABLE orders (id int PRIMARY KEY, total int);
"""
BILLING_SQL = """CREATE TABLE invoices (id int PRIMARY KEY, total int);
"""
SETTINGS = """
[[schema.files]]
path = "sql/shop/"
database = "shop"
environment = "prod"

[[schema.files]]
path = "sql/billing/"
database = "billing"
environment = "staging"
"""


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two repositories: one with many functions that answer as well as each other, one with few."""
    shop, lib = (tmp_path_factory.mktemp("filters") / name for name in ("shop", "lib"))
    texts = {
        shop / f"src/many_{number}.py": f"def order_total_{number}(order):\n    return order.total * {number}\n"
        for number in range(MANY)
    }
    texts |= {
        shop / "coderag.toml": SETTINGS,
        shop / "reports/total.sql": "-- What is the total of all orders?\nSELECT sum(total) FROM orders;\n",
        shop / "src/test/test_total.py": "def test_total():\n    assert order_total(1) == 1\n",
        shop
        / "go/total.go": "package total\n\ntype Total struct{}\n\n// Add adds an order.\nfunc Add() int { return 1 }\n",
        shop / "sql/shop/orders.sql": SHOP_SQL,
        shop / "sql/billing/invoices.sql": BILLING_SQL,
        shop / "docs/orders.md": "# Orders\n\nHow the total of an order is added up.\n",
        lib / "src/total.py": "def total(order):\n    return sum(order)\n",
    }
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [shop, lib]


@pytest.fixture(scope="module")
def index(roots: list[Path]) -> Index:
    """Return both as one index."""
    return Index.build(*roots, workers=0)


def is_of_shop(hit: Hit) -> bool:
    """Tell whether a hit is in a file that declares or queries the tables of the database `shop`."""
    return hit.chunk.path in ("sql/shop/orders.sql", "reports/total.sql")


CASES: list[tuple[dict[str, Any], Callable[[Hit], bool]]] = [
    ({"languages": ["go"]}, lambda hit: hit.chunk.language == "go"),
    ({"languages": ["go", "markdown"]}, lambda hit: hit.chunk.language in ("go", "markdown")),
    ({"kinds": ["struct", "section"]}, lambda hit: hit.chunk.kind in ("struct", "section")),
    ({"paths": ["docs/", "src/**/test/*.py"]}, lambda hit: hit.chunk.path.startswith(("docs/", "src/test/"))),
    ({"paths": ["!many_*"]}, lambda hit: "many_" not in hit.chunk.path),
    ({"tests": "exclude"}, lambda hit: "test" not in hit.chunk.labels),
    ({"repositories": ["lib"]}, lambda hit: hit.chunk.repository == "lib"),
    ({"databases": ["SHOP"]}, is_of_shop),
    ({"environments": ["prod"]}, is_of_shop),
    ({"databases": ["shop", "billing"], "environments": ["staging"]}, lambda hit: "billing" in hit.chunk.path),
    ({"databases": ["shop"], "paths": ["sql/"]}, lambda hit: hit.chunk.path == "sql/shop/orders.sql"),
    ({"repositories": ["shop"], "kinds": ["method"]}, lambda _: False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("conditions", "meets"), CASES)
def test_a_filter_leaves_what_meets_it_and_nothing_else(
    index: Index, conditions: dict[str, Any], meets: Callable[[Hit], bool]
) -> None:
    for question in ("order total", "order_total_7", "how is the total of orders added up?"):
        everything = index.search(question, k=2 * MANY, collapse=False)
        filtered = index.search(question, k=2 * MANY, collapse=False, **conditions)
        assert all(map(meets, filtered))
        found = {(hit.chunk.repository, hit.chunk.id) for hit in filtered}
        assert {(hit.chunk.repository, hit.chunk.id) for hit in everything if meets(hit)} <= found


def test_what_is_filtered_out_takes_no_place_among_the_candidates(index: Index) -> None:
    assert "docs/orders.md" in {hit.chunk.path for hit in index.search("order total", paths=["docs/**", "go/**"])}
    assert len(index.search("order total", k=MANY, collapse=False, paths=["src/many_*"])) == 200


def test_what_is_filtered_out_is_no_measure_for_the_rest(index: Index) -> None:
    best = index.search("add up the total of an order", paths=["docs/"])[0]
    assert best.parts["text"] == pytest.approx(1.5)
    assert best.parts["file"] == pytest.approx(0.5)


def test_a_symbol_that_is_only_defined_elsewhere_is_no_symbol(index: Index) -> None:
    assert index.search("order_total_7", paths=["docs/"])
    assert not any("symbol" in hit.parts for hit in index.search("order_total_7", languages=["go"]))


@pytest.mark.slow
def test_the_same_filter_gives_the_same_answer_again(index: Index) -> None:
    for number in range(40):  # more than are remembered
        conditions = [f"!src/many_{number}*"]
        first = index.search("order total", paths=conditions)
        assert first == index.search("order total", paths=conditions)
        assert all(f"many_{number}" not in hit.chunk.path for hit in first)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"languages": ["klingon"]}, "unknown language 'klingon'"),
        ({"repositories": ["app"]}, "no file is of the repository 'app'; known are lib, shop"),
        ({"databases": ["crm"]}, "no file tells of the database 'crm'; known are billing, shop"),
        ({"environments": ["test"]}, "no file tells of the environment 'test'; known are prod, staging"),
        ({"paths": ["/"]}, "the path filter '/' names nothing"),
    ],
)
def test_a_filter_that_nothing_can_meet_is_an_error(index: Index, conditions: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        index.search("order total", **conditions)


@pytest.mark.slow
def test_databases_of_several_roots_carry_their_names(roots: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "sql/shop").mkdir(parents=True)
    (other / "coderag.toml").write_text(SETTINGS)
    (other / "sql/shop/orders.sql").write_text(SHOP_SQL)
    index = Index.build(roots[0], other, workers=0)
    found = index.search("orders", databases=["other/shop"], k=50)
    assert {(hit.chunk.repository, hit.chunk.path) for hit in found} == {("other", "sql/shop/orders.sql")}
    with pytest.raises(QueryError, match="known are other/shop, shop/billing, shop/shop"):
        index.search("orders", databases=["shop"])
