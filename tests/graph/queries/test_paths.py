"""How one thing leads to another."""

from __future__ import annotations

import pytest

from coderag.graph.graph import Graph
from coderag.graph.queries.paths import GraphPath, paths_between, reached_like
from tests.graph.sketch import numbers_of, shop_graph, sketch

GRAPH = shop_graph()


def ways(source: str, target: str, k: int = 1) -> list[GraphPath]:
    start, end = (GRAPH.node(number) for number in numbers_of(GRAPH, source, target))
    return paths_between(GRAPH, [start], [end], k=k)


def told(way: GraphPath) -> list[str]:
    return [way.start.name, *(f"{step.how} {step.spot.name}" for step in way.steps)]


def test_an_endpoint_to_a_table() -> None:
    [way] = ways("POST /pay", "orders")
    assert told(way) == ["POST /pay", "handled by answer", "calls pay", "calls Order.load", "reads orders"]
    assert (way.backwards, way.steps[-1].path, way.steps[-1].line) == (False, "shop/orders.py", 7)


def test_a_call_of_a_base_goes_on_to_what_overrides_it() -> None:
    assert told(ways("nightly", "orders.total")[0]) == [
        "nightly",
        "calls Model.load",
        "is overridden by Order.load",
        "reads orders.total",
    ]


def test_the_way_back_is_said() -> None:
    [way] = ways("orders", "list_orders")
    assert (way.backwards, told(way)) == (True, ["list_orders", "reads orders"])


def test_different_ways_the_best_first() -> None:
    found = ways("nightly", "orders", k=3)
    assert told(found[0])[-2:] == ["is overridden by Order.load", "reads orders"]
    assert [way.cost for way in found] == sorted(way.cost for way in found)


def test_a_foreign_key_comes_last() -> None:
    found = [told(way) for way in ways("nightly", "orders", k=9)]
    over_keys = ["refers to orders" in way for way in found]
    assert over_keys == sorted(over_keys)
    assert found[-1] == ["nightly", "writes items", "refers to orders"]


WEB = """
web.py  route POST /pay 1-1
web.py  route DELETE /pay 2-2
web.py  route GET /pay 3-3
web.py  function answer 4-9
pay.py  function check 1-2
pay.py  function pay 3-4
pay.py  function record 5-6
pay.py  function forget 7-8
db.sql  table payments 1-9

POST /pay -routes> answer
DELETE /pay -routes> answer
GET /pay -routes> answer
answer -calls> check
answer -calls> pay
pay -calls> record
record -calls> forget
check -reads> payments
record -writes> payments
forget -deletes> payments
"""


@pytest.mark.parametrize(
    ("route", "use"),
    [("POST /pay", "writes payments"), ("DELETE /pay", "deletes from payments"), ("GET /pay", "reads payments")],
)
def test_an_address_that_changes_data_leads_to_what_changes_it(route: str, use: str) -> None:
    graph = sketch(WEB)
    start, end = (graph.node(number) for number in numbers_of(graph, route, "payments"))
    found = paths_between(graph, [start], [end], k=3)
    assert told(found[0])[-1] == use
    assert len(found) == 3


def test_a_sure_way_comes_before_a_short_one() -> None:
    graph = sketch(
        "a.py function f 1-2\na.py function g 3-4\na.py function h 5-6\n\nf -calls> h ?9\nf -calls> g\ng -calls> h\n"
    )
    start, end = (graph.node(number) for number in numbers_of(graph, "f", "h"))
    assert [step.spot.name for step in paths_between(graph, [start], [end])[0].steps] == ["g", "h"]


def test_where_there_is_none() -> None:
    assert ways("POST /pay", "items") == []
    start, end = (GRAPH.node(number) for number in numbers_of(GRAPH, "POST /pay", "items"))
    assert [one.name for one in reached_like(GRAPH, [start], [end])] == ["orders"]


STORE = """
serve.go  route POST /codes 1-1
serve.go  function serve 2-5
store.go  interface Store 1-9
store.go  method Store.Save 2-3
store.go  method Store.Sweep 4-5
sql.go  method Sql.Save 1-2
sql.go  method Sql.Sweep 3-4
db.sql  table codes 1-9

POST /codes -routes> serve
serve -calls> Store.Save
serve -references> Store
Store -contains> Store.Save
Store -contains> Store.Sweep
Sql.Save -overrides> Store.Save
Sql.Sweep -overrides> Store.Sweep
Sql.Save -writes> codes
Sql.Sweep -deletes> codes
"""


def between(graph: Graph, source: str, target: str, k: int = 3) -> list[list[str]]:
    start, end = (graph.node(number) for number in numbers_of(graph, source, target))
    return [told(way) for way in paths_between(graph, [start], [end], k=k)]


def test_a_type_that_is_mentioned_runs_nothing_that_it_has() -> None:
    graph = sketch(STORE)
    ran = ["serve", "calls Store.Save", "is overridden by Sql.Save", "writes codes"]
    assert between(graph, "serve", "codes") == [ran]


def test_what_begins_at_a_type_is_what_it_has() -> None:
    graph = sketch(STORE)
    found = between(graph, "Store", "codes")
    assert sorted(way[1] for way in found) == ["contains Store.Save", "contains Store.Sweep"]


def test_over_what_a_type_has_where_nothing_else_leads() -> None:
    graph = sketch(STORE.replace("serve -calls> Store.Save\n", ""))
    assert between(graph, "serve", "codes", k=1)[0][1] == "references Store"
