"""Targets as people write them."""

from __future__ import annotations

import pytest

from coderag.graph.queries.lookup import closest_names, find_nodes
from coderag.graph.records import NodeKind
from tests.graph.sketch import shop_graph

GRAPH = shop_graph()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("orders", ["table orders"]),
        ("shop:orders", ["table orders"]),
        ("orders.total", ["column orders.total"]),
        ("shop.orders.total", ["column orders.total"]),
        ("ORDERS.TOTAL", ["column orders.total", "field Order.total"][:1]),
        ("Order.total", ["field Order.total"]),
        ("total", ["column orders.total", "field Order.total"]),
        ("Order", ["class Order"]),
        ("order", ["class Order"]),
        ("Order.load", ["method Order.load"]),
        ("Order::load", ["method Order.load"]),
        ("Order#load", ["method Order.load"]),
        ("shop.orders.Order.load", ["method Order.load"]),
        ("load", ["method Model.load", "method Order.load"]),
        ("pay()", ["function pay", "function pay"]),
        ("shop.orders.pay", ["function pay"]),
        ("shop/orders.py::pay", ["function pay"]),
        ("shop/orders.py", ["file shop/orders.py"]),
        ("./shop/orders.py", ["file shop/orders.py"]),
        ("orders.py", ["file shop/orders.py"]),
        ("shop/orders.py:8", ["method Order.load"]),
        ("orders.py:15", ["file shop/orders.py"]),
        ("POST /pay", ["route POST /pay"]),
        ("post /pay", ["route POST /pay"]),
        ("/pay", ["route POST /pay"]),
        ("GET /pay", []),
        ("other:orders", []),
        ("nothing", []),
        ("...", []),
    ],
)
def test_a_target_means(target: str, expected: list[str]) -> None:
    assert [f"{node.kind} {node.qualified_name}" for node in find_nodes(GRAPH, target)] == expected


def test_the_best_of_a_name_is_not_vendored() -> None:
    assert [node.path for node in find_nodes(GRAPH, "pay")] == ["shop/orders.py", "vendor/lib.py"]


def test_kinds_and_paths_narrow() -> None:
    assert [node.kind for node in find_nodes(GRAPH, "total", kinds={NodeKind.FIELD})] == [NodeKind.FIELD]
    assert [node.path for node in find_nodes(GRAPH, "pay", paths=["vendor/**"])] == ["vendor/lib.py"]
    assert find_nodes(GRAPH, "pay", paths=["docs/**"]) == []


def test_names_that_are_spelled_alike() -> None:
    assert "list_orders" in closest_names(GRAPH, "list_order")
    assert closest_names(GRAPH, "zzzzzzzzzzzz") == ()
