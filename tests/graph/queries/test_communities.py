"""Files and tables that belong together."""

from __future__ import annotations

import numpy as np

from coderag.graph.graph import Graph, GraphDraft
from coderag.graph.queries.communities import NO_COMMUNITY, communities
from coderag.graph.queries.community_names import part_names
from tests.graph.sketch import numbers_of, shop_graph, sketch


def two_sides() -> Graph:
    nodes, edges = [], []
    for side in "ab":
        for number in range(5):
            nodes.append(f"{side}/m{number}.py function {side}{number} 1-9")
            edges += [f"{side}{number} -calls> {side}{other}" for other in range(5) if other != number]
    return sketch("\n".join(nodes) + "\n\n" + "\n".join([*edges, "a0 -calls> b0"]))


def test_what_calls_each_other_is_together_and_the_rest_is_not() -> None:
    graph = two_sides()
    found = communities(graph)
    assert found.dtype == np.int32
    assert found.shape == (len(graph),)
    one, other = (found[numbers_of(graph, *(f"{side}{number}" for number in range(5)))] for side in "ab")
    assert set(one.tolist()) | set(other.tolist()) == {0, 1}
    assert len(set(one.tolist())) == len(set(other.tolist())) == 1


def test_it_is_the_same_every_time() -> None:
    assert (communities(two_sides()) == communities(two_sides())).all()


def test_definitions_are_where_their_file_is_and_columns_where_their_table_is() -> None:
    graph = shop_graph()
    found = communities(graph)
    file, pay, load = found[numbers_of(graph, "shop/orders.py", "pay", "Order.load")].tolist()
    assert file == pay == load
    assert len(set(found[numbers_of(graph, "orders", "orders.total", "orders.id")].tolist())) == 1


def test_tests_and_vendored_files_are_in_none() -> None:
    graph = shop_graph()
    assert set(communities(graph)[numbers_of(graph, "test_pay", "vendor/lib.py")].tolist()) == {NO_COMMUNITY}


def test_names_are_folders_or_what_matters_most_in_one() -> None:
    parts = [
        {"shop/web/app.py": 3.0, "shop/web/http.py": 2.0, "shop/errors.py": 0.1},
        {"shop/db/models.py": 3.0, "shop/orders.py": 2.0, "shop/money.py": 0.1},
        {"shop/jobs.py": 1.0},
        {},
    ]
    assert part_names(parts) == ["shop/web", "shop/db, shop/orders.py", "shop/jobs.py", "tables"]


def test_a_graph_without_edges_and_one_without_anything() -> None:
    assert set(communities(sketch("a.py function f 1-2\n\n\n")).tolist()) == {0}
    assert communities(Graph(GraphDraft().arrays())).tolist() == []
