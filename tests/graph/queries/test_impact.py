"""What a change affects."""

from __future__ import annotations

from coderag.graph.queries.impact import Change, Impact, impact_of
from tests.graph.sketch import numbers_of, shop_graph, sketch

GRAPH = shop_graph()


def impact(name: str, change: Change = Change.RENAME, depth: int = 3) -> Impact:
    [number] = numbers_of(GRAPH, name)
    return impact_of(GRAPH, [GRAPH.node(number)], change=change, depth=depth)


def told(found: Impact) -> list[tuple[int, str, str]]:
    return [(one.distance, one.spot.name, one.why) for one in found.affected]


def test_of_a_column() -> None:
    found = impact("orders.total")
    assert told(found) == [
        (1, "revenue.sum", "derives from orders.total"),
        (1, "turnover", "describes orders.total"),
        (1, "Order.total", "maps to orders.total"),
        (1, "Order.load", "reads orders.total"),
        (2, "revenue", "holds revenue.sum"),
        (2, "pay", "calls Order.load"),
        (2, "nightly", "calls Model.load"),
        (3, "answer", "calls pay"),
    ]
    assert [one.way for one in found.affected if one.spot.name == "answer"] == [
        ("orders.total", "Order.load", "pay", "answer")
    ]


def test_a_call_of_the_base_may_run_what_overrides_it() -> None:
    [nightly] = [one for one in impact("orders.total").affected if one.spot.name == "nightly"]
    assert nightly.confidence == 0.8


def test_tests_are_found_beyond_the_depth_the_nearest_first() -> None:
    found = impact("orders.total", depth=1)
    assert {distance for distance, _, _ in told(found)} == {1}
    assert [(test.spot.name, test.distance) for test in found.tests] == [("test_pay", 3), ("test_answer", 4)]
    assert found.tests[1].confidence < 0.5  # one of three candidates


def test_what_is_behind_a_candidate_is_only_possible() -> None:
    graph = sketch("a.py function f 1-2\na.py function g 3-4\na.py function h 5-6\n\ng -calls> f ?2\nh -calls> g\n")
    [number] = numbers_of(graph, "f")
    found = impact_of(graph, [graph.node(number)])
    assert found.affected == ()
    assert [(one.spot.name, one.confidence) for one in found.possibly] == [("g", 0.5), ("h", 0.5)]


def test_of_a_table_its_columns_change_too() -> None:
    names = [name for _, name, _ in told(impact("orders"))]
    assert {"Order", "list_orders", "revenue", "items", "items.order_id"} <= set(names)
    assert "orders.total" not in names


def test_a_key_that_refers_to_a_column_is_where_the_change_ends() -> None:
    assert [name for _, name, _ in told(impact("orders.id"))] == ["items.order_id", "list_orders"]


def test_dropping_a_class_takes_its_members_along() -> None:
    assert "pay" not in [name for _, name, _ in told(impact("Order"))]
    assert "pay" in [name for _, name, _ in told(impact("Order", Change.DROP))]


def test_what_is_not_known_on_the_way_is_said() -> None:
    assert [one.path for one in impact("orders.total").unresolved] == ["shop/jobs.py"]


def test_cycles_end() -> None:
    graph = sketch("a.py function f 1-2\na.py function g 3-4\n\nf -calls> g\ng -calls> f\n")
    [number] = numbers_of(graph, "f")
    assert [one.spot.name for one in impact_of(graph, [graph.node(number)]).affected] == ["g"]


def test_a_field_of_a_model_is_used_where_its_column_is() -> None:
    [load] = [one for one in impact("Order.total").affected if one.spot.name == "Order.load"]
    assert (load.distance, load.confidence, load.why) == (1, 0.8, "reads orders.total")


def test_what_helps_tests_is_none_and_no_test_is_used_in_earnest() -> None:
    graph = sketch(
        "a.py function f 1-2\na.py function g 3-4\ntests/a.py class Case 1-20\ntests/a.py method Case.setUp 2-3\n"
        "tests/a.py method Case.test_one 4-5\ntests/a.py function helper 22-23\ntests/a.py function test_two 24-25\n\n"
        "Case -contains> Case.setUp\nCase -contains> Case.test_one\nCase.setUp -calls> f\nhelper -calls> f\n"
        "test_two -calls> helper\ng -calls> helper ?1\n"
    )
    [number] = numbers_of(graph, "f")
    found = impact_of(graph, [graph.node(number)])
    assert (found.affected, found.possibly) == ((), ())
    assert [(test.spot.name, test.why) for test in found.tests] == [
        ("Case.test_one", "is set up by Case.setUp"),
        ("test_two", "calls helper"),
    ]
