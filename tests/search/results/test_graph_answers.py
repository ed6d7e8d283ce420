"""Questions for relations are answered by the graph: with the callers, readers and steps, and nothing besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Hit, Index
from coderag.errors import QueryError
from coderag.search.ranking.settings import make_pipeline
from tests.workspace import write

FILES = {
    "schema.sql": "CREATE TABLE orders (id int PRIMARY KEY, total int);\n",
    "pay.py": '''"""Payments."""


def charge(amount):
    """Charge a card."""
    return amount


def record(cursor, total):
    """Store what was paid."""
    cursor.execute("INSERT INTO orders (total) VALUES (%s)", (total,))
''',
    "shop.py": '''"""The shop."""

from pay import charge, record


def checkout(cursor, cart):
    """Pay for a cart."""
    record(cursor, charge(cart.total))


def renew(cursor, plan):
    """Pay for another month; whoever calls this wants to charge again."""
    return charge(plan.price)


def report(cursor):
    """Sum what was paid."""
    cursor.execute("SELECT total FROM orders")


def calls(charge_words):
    """Calls: who calls charge? Words alone would find this."""
    return charge_words
''',
    "tests/test_pay.py": "from pay import charge\n\n\ndef test_charge():\n    assert charge(1) == 1\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("relations")
    built = Index.build(write(folder / "root", FILES), index=folder / "index", workers=0)
    built.graphs()
    built.reload()
    return built


def names(hits: list[Hit]) -> list[str]:
    return [hit.chunk.name for hit in hits]


def test_callers_come_before_tests_and_the_definition_last(index: Index) -> None:
    hits = index.search("who calls charge()?")
    assert sorted(names(hits)[:2]) == ["checkout", "renew"]
    assert names(hits)[2:] == ["test_charge", "charge"]
    checkout = next(hit for hit in hits if hit.chunk.name == "checkout")
    assert checkout.reasons == ("calls pay.charge at line 8",) or checkout.reasons == ("calls charge at line 8",)
    assert checkout.lines == (8,)
    assert (checkout.relations[0].kind, checkout.relations[0].name.rpartition(".")[2]) == ("calls", "charge")
    assert {hit.confidence for hit in hits[:2]} == {1.0}


def test_tables_have_readers_and_writers(index: Index) -> None:
    assert names(index.search("what reads the table orders"))[0] == "report"
    assert names(index.search("who writes orders.total"))[0] == "record"
    assert "report" not in names(index.search("who writes orders.total"))


def test_a_change_affects_what_uses_a_column(index: Index) -> None:
    hits = index.search("what breaks if orders.total changes?")
    assert {"record", "report", "checkout"} <= set(names(hits))
    assert "2 steps away" in " ".join(hits[names(hits).index("checkout")].reasons)


def test_a_path_is_given_step_by_step(index: Index) -> None:
    hits = index.search("path from checkout to orders")
    assert names(hits)[:2] == ["checkout", "record"]
    assert hits[0].reasons[0].startswith("step 1 of the path to orders: calls")


def test_an_ordinary_word_leaves_the_other_hits_behind(index: Index) -> None:
    hits = index.search("who calls charge")
    assert sorted(names(hits)[:2]) == ["checkout", "renew"]
    assert "calls" in names(hits)
    assert "calls" not in names(index.search("who calls the function charge"))


def test_the_main_parts_are_what_matters_most(index: Index) -> None:
    hits = index.search("what are the main parts?", k=3)
    assert hits
    assert all(hit.reasons[0].startswith("matters most in ") for hit in hits)


def test_conditions_and_count_hold(index: Index) -> None:
    assert len(index.search("who calls charge()?", k=1)) == 1
    assert names(index.search("who calls charge()?", paths=["tests/**"])) == ["test_charge"]
    assert "test_charge" not in names(index.search("who calls charge()?", tests="exclude"))


def test_words_answer_where_the_graph_knows_nothing(index: Index) -> None:
    assert not any(hit.parts.get("graph") for hit in index.search("who calls nothing_of_that_name"))
    assert not any(hit.parts.get("graph") for hit in index.search("who calls report()?"))


def test_it_can_be_left_out(index: Index) -> None:
    hits = index.search("who calls charge()?", pipeline=make_pipeline(without=["graph"]))
    assert not any(hit.parts.get("graph") for hit in hits)
    with pytest.raises(QueryError, match="graph"):
        make_pipeline(without=["nonsense"])


def test_what_inherits_from_an_heir_follows_it(tmp_path: Path) -> None:
    source = "class Source:\n    def read(self):\n        raise NotImplementedError\n\n\n"
    files = {
        "base.py": f"{source}class FileSource(Source):\n    def open(self):\n        return self.path.open()\n",
        "zipped.py": (
            "from base import FileSource\n\n\nclass Zipped(FileSource):\n    def read(self):\n        return b''\n"
        ),
    }
    built = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0)
    built.graphs()
    built.reload()
    assert names(built.search("implementations of the class Source")) == ["FileSource", "Zipped", "Source"]


def test_what_is_named_alone_is_no_answer(index: Index) -> None:
    hits = index.search("who calls charge()?", paths=["pay.py"])
    assert names(hits)[0] == "charge"
    assert not any(hit.parts.get("graph") for hit in hits)


def test_a_graph_made_since_answers_at_once(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    with Index.build(root, index=tmp_path / "index", workers=0) as built:
        built.graphs()
        write(root, {"refund.py": "from pay import charge\n\n\ndef refund(amount):\n    return charge(-amount)\n"})
        built.update(workers=0)
        assert "refund" not in names(built.search("who calls charge()?"))  # the stored graph is older
        built.graphs()
        assert "refund" in names(built.search("who calls charge()?"))


def test_a_route_leads_to_what_handles_it_and_other_hits_follow(tmp_path: Path) -> None:
    files = {
        "app/routes.py": "from fastapi import FastAPI\n\nfrom app import views\n\napp = FastAPI()\n"
        "app.get('/orders/{number}')(views.show)\n\n\n@app.post('/orders')\ndef place(order):\n    return order\n",
        "app/client.js": "// POST /orders\nfunction orders(order) {\n  return fetch('/orders', order);\n}\n",
    }
    index = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0)
    index.graphs()
    index.reload()
    for question in ("POST /orders", "what handles POST /orders?"):
        first, *others = index.search(question)
        assert (first.chunk.name, first.reasons, first.confidence) == ("place", ("handles POST /orders",), 1.0)
        assert "orders" in names(others)
    assert "handles POST /nowhere" not in str([hit.reasons for hit in index.search("POST /nowhere")])
    assert names(index.search("/app/routes.py")) == names(index.search("app/routes.py"))
