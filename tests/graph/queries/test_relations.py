"""The close relations of a definition."""

from __future__ import annotations

from coderag.graph.queries.relations import Relations
from tests.graph.sketch import numbers_of, shop_graph, sketch

GRAPH = shop_graph()
RELATIONS = Relations(GRAPH)


def told(name: str) -> list[tuple[str, str]]:
    [found] = RELATIONS.of(numbers_of(GRAPH, name))
    return [(relation.kind, relation.name) for relation in found]


def test_callers_tests_and_tables() -> None:
    assert told("pay") == [("called by", "answer"), ("tested by", "test_pay")]
    assert told("Order.load") == [("called by", "pay"), ("reads", "orders")]
    assert told("answer") == [("handles", "POST /pay"), ("tested by", "test_answer")]
    assert told("Order") == [("maps to", "orders")]
    assert told("orders") == [("read by", "Order.load"), ("read by", "list_orders")]


def test_relations_of_several_are_those_of_each() -> None:
    numbers = [number for name in ("pay", "orders", "pay", "Order") for number in numbers_of(GRAPH, name)]
    assert RELATIONS.of(numbers) == [relations for number in numbers for relations in RELATIONS.of([number])]
    assert RELATIONS.of([]) == []


def test_three_of_a_kind_the_surest_first_and_how_many_there_are() -> None:
    callers = "".join(f"a.py function g{number} {number}-{number}\n" for number in range(10, 15))
    calls = "".join(f"g{number} -calls> f ?{14 - number}\n" for number in range(10, 15))
    graph = sketch(f"a.py function f 1-2\n{callers}\n{calls}")
    [found] = Relations(graph).of(numbers_of(graph, "f"))
    assert [(relation.name, relation.certainty, relation.total) for relation in found] == [
        ("g14", "resolved", 5),
        ("g13", "unique name", 5),
        ("g12", "candidate", 5),
    ]


def test_a_file_is_known_by_its_content() -> None:
    path = "shop/orders.py"
    file = RELATIONS.file(path, GRAPH.file_blob(path))
    assert file is not None
    assert RELATIONS.file(path, b"\1" * 20) is None
    assert RELATIONS.file("shop/none.py", GRAPH.file_blob(path)) is None
    assert RELATIONS.nodes([file, file], [19, 19], [28, 29]) == [None, *numbers_of(GRAPH, "pay")]
    assert RELATIONS.nodes([], [], []) == []


def test_a_table_by_the_file_that_declares_it() -> None:
    file = RELATIONS.file("schema.sql", GRAPH.file_blob("schema.sql"))
    assert file is not None
    assert RELATIONS.table(file, "Orders") == numbers_of(GRAPH, "orders")[0]
    assert RELATIONS.table(file, "nothing") is None


def test_neighbours_are_sure_and_no_tests() -> None:
    [pay] = numbers_of(GRAPH, "pay")
    assert {(GRAPH.node(node).qualified_name, why) for _, node, why in RELATIONS.near(pay)} == {
        ("answer", "calls pay"),
        ("Order.load", "is called by pay"),
    }
    assert RELATIONS.tables_named(["the", "ORDERS", "table"]) == numbers_of(GRAPH, "orders")
