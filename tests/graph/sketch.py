"""A graph written as lines: nodes, then edges between them by name."""

from __future__ import annotations

from coderag.graph.graph import Graph, GraphDraft
from coderag.graph.records import EdgeKind, NodeKind

__all__ = ["numbers_of", "shop_graph", "sketch"]

SHOP = """
shop/orders.py      class Order 3-11
shop/orders.py      field Order.total 5-5
shop/orders.py      method Order.load 7-11
shop/orders.py      function pay 20-30
shop/orders.py      function list_orders 32-40
shop/base.py        class Model 1-9
shop/base.py        method Model.load 3-9
shop/web.py         route POST /pay 4-4
shop/web.py         function answer 5-9
shop/jobs.py        function nightly 1-9
tests/test_pay.py   function test_pay 3-5
tests/test_pay.py   function test_answer 7-9
vendor/lib.py       function pay 1-3
docs/orders.md      section Orders 1-9
schema.sql          table orders 1-9
schema.sql          column orders.id 2-2
schema.sql          column orders.total 3-3
schema.sql          view revenue 12-15
schema.sql          column revenue.sum 13-13
schema.sql          table items 20-29
schema.sql          column items.order_id 21-21
schema.sql          term turnover 40-40

Order -contains> Order.total
Order -contains> Order.load
Model -contains> Model.load
orders -contains> orders.id
orders -contains> orders.total
revenue -contains> revenue.sum
items -contains> items.order_id
Order -inherits> Model
Order -maps> orders
Order.total -maps> orders.total
Order.load -overrides> Model.load
Order.load -reads> orders
Order.load -reads> orders.total
list_orders -reads> orders
list_orders -reads> orders.id
pay -calls> Order.load
answer -calls> pay
nightly -calls> Model.load
nightly -writes> items
POST /pay -routes> answer
test_pay -calls> pay
test_answer -calls> answer ?3
revenue -derives from> orders
revenue.sum -derives from> orders.total
items -foreign key> orders
items.order_id -foreign key> orders.id
turnover -describes> orders.total
Orders -documents> pay
"""
LABELS = {"tests/": frozenset({"test"}), "vendor/": frozenset({"vendored"})}
DATA = {NodeKind.TABLE, NodeKind.VIEW, NodeKind.COLUMN, NodeKind.TERM}
ALIASES = {"derives from": "derives"}


def sketch(text: str) -> Graph:
    """Return the graph of lines: `path kind name first-last`, an empty line, `source -kind> target ?candidates`."""
    draft = GraphDraft()
    nodes, edges = (part.splitlines() for part in f"{text.strip()}\n\n".split("\n\n")[:2])
    rows = [line.split(maxsplit=2) for line in nodes]
    numbers: dict[str, int] = {}
    files = {path: number for number, path in enumerate(sorted({path for path, _, _ in rows}))}
    for path in files:
        labels = next((found for start, found in LABELS.items() if path.startswith(start)), frozenset())
        draft.add_file(path, labels=labels, blob=path.encode().ljust(20, b"\0")[:20])
    for path, file in files.items():
        home = draft.add_node(NodeKind.FILE, path.rpartition("/")[2], path, file=file)
        for _, kind_text, rest in [row for row in rows if row[0] == path]:
            name, _, span = rest.rpartition(" ")
            first, last = (int(one) - 1 for one in span.split("-"))
            kind = NodeKind(kind_text)
            own = name if kind is NodeKind.ROUTE else name.rpartition(".")[2]
            database = "shop" if kind in DATA else ""
            number = draft.add_node(kind, own, name, file=file, rows=(first, first, last), database=database)
            numbers.setdefault(name, number)
            if "." not in name and kind not in DATA:
                draft.add_edge(home, number, EdgeKind.CONTAINS, file=file, row=first)
    for line in edges:
        source, _, rest = line.partition(" -")
        kind_text, _, target = rest.partition("> ")
        target, _, candidates = target.partition(" ?")
        start = numbers[source]
        draft.add_edge(
            start,
            numbers[target],
            EdgeKind(ALIASES.get(kind_text, kind_text)),
            candidates=int(candidates or 0),
            file=draft.nodes[start][3],
            row=draft.nodes[start][5],
        )
    if "nightly" in numbers:
        draft.add_note(
            numbers["nightly"], "the name of a table is put in at run time", file=files["shop/jobs.py"], row=3
        )
    return Graph(draft.arrays())


def shop_graph() -> Graph:
    """Return the graph of a small shop."""
    return sketch(SHOP)


def numbers_of(graph: Graph, *names: str) -> list[int]:
    """Return the nodes of qualified names, the first of each."""
    known = {graph.node(number).qualified_name: number for number in reversed(range(len(graph)))}
    return [known[name] for name in names]
