"""What refers to a node."""

from __future__ import annotations

from coderag.graph.queries.refs import References, references_to
from coderag.graph.records import Certainty
from tests.graph.sketch import numbers_of, shop_graph

GRAPH = shop_graph()


def refs(name: str, shown: int | None = 10) -> References:
    [number] = numbers_of(GRAPH, name)
    return references_to(GRAPH, GRAPH.node(number), shown=shown)


def told(found: References) -> dict[str, list[str]]:
    return {group.role: [reference.spot.name for reference in group.references] for group in found.groups}


def test_of_a_table() -> None:
    assert told(refs("orders")) == {
        "read by": ["Order.load", "list_orders"],
        "mapped by": ["Order"],
        "views that derive from it": ["revenue"],
        "foreign keys to it": ["items"],
        "terms that describe it": ["turnover"],
    }


def test_a_reader_of_a_table_names_the_columns_that_it_reads() -> None:
    [readers] = [group for group in refs("orders").groups if group.role == "read by"]
    assert [reference.members for reference in readers.references] == [("total",), ("id",)]


def test_of_a_column() -> None:
    assert told(refs("orders.total")) == {
        "read by": ["Order.load"],
        "mapped by": ["Order.total"],
        "views that derive from it": ["revenue.sum"],
        "terms that describe it": ["turnover"],
    }


def test_of_a_function_tests_stand_apart() -> None:
    assert told(refs("pay")) == {"called by": ["answer"], "tests": ["test_pay"], "documents": ["Orders"]}


def test_what_a_function_does_to_data_and_what_it_overrides() -> None:
    assert told(refs("Order.load")) == {
        "called by": ["pay"],
        "called through a base or interface": ["nightly"],
        "overrides": ["Model.load"],
        "reads": ["orders", "orders.total"],
    }
    assert told(refs("nightly")) == {"writes": ["items"]}


def test_routes_and_handlers() -> None:
    assert told(refs("answer"))["handles"] == ["POST /pay"]
    assert told(refs("POST /pay")) == {"handled by": ["answer"]}


def test_places_and_certainty() -> None:
    [answers, tests] = refs("answer").groups
    assert (answers.references[0].path, answers.references[0].line) == ("shop/web.py", 4)
    assert (tests.references[0].certainty, tests.references[0].candidates) == (Certainty.CANDIDATE, 3)


def test_a_limit_leaves_the_number_of_all() -> None:
    [readers, *_] = refs("orders", shown=1).groups
    assert (readers.total, len(readers.references)) == (2, 1)
    assert refs("orders", shown=None).total == refs("orders").total


def test_what_is_not_known_is_said() -> None:
    assert [(one.line, one.text) for one in refs("nightly").unresolved] == [
        (4, "the name of a table is put in at run time")
    ]
