"""What matters in a graph."""

from __future__ import annotations

import numpy as np

from coderag.graph.queries.centrality import importance
from tests.graph.sketch import numbers_of, shop_graph, sketch

GRAPH = shop_graph()


def test_ranks_sum_to_one_and_tests_and_vendored_have_none() -> None:
    ranks = importance(GRAPH)
    assert ranks.dtype == np.float32
    assert ranks.shape == (len(GRAPH),)
    assert np.isclose(ranks.sum(), 1)
    assert not ranks[numbers_of(GRAPH, "test_pay", "test_answer", "vendor/lib.py")].any()


def test_what_many_use_matters_more() -> None:
    ranks = importance(GRAPH)
    orders, items, load, pay = ranks[numbers_of(GRAPH, "orders", "items", "Order.load", "pay")].tolist()
    assert orders > items
    assert load > pay


def test_a_class_is_worth_what_its_members_are() -> None:
    graph = sketch(
        "a.py class A 1-9\na.py method A.m 2-3\na.py class B 10-19\na.py method B.m 12-13\na.py function f 20-22\n\n"
        "A -contains> A.m\nB -contains> B.m\nf -calls> A.m\n"
    )
    ranks = importance(graph)
    one, other = ranks[numbers_of(graph, "A", "B")].tolist()
    assert one > other


def test_a_graph_of_nothing_but_tests() -> None:
    graph = sketch("tests/a.py function f 1-2\ntests/a.py function g 3-4\n\nf -calls> g\n")
    assert not importance(graph).any()


def test_a_graph_without_edges() -> None:
    graph = sketch("a.py function f 1-2\n\n\n")
    assert np.allclose(importance(graph), 1 / len(graph))
