"""Pictures of what is around something."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from coderag.graph.drawing.drawing import Drawing, neighbourhood
from coderag.graph.drawing.export import as_dot, as_graphml, as_mermaid
from coderag.graph.drawing.svg import as_svg
from tests.graph.sketch import numbers_of, shop_graph, sketch

GRAPH = shop_graph()
EVIL = 'a"b<c>&]\x1b[0m|#x\\'
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def drawn(name: str, depth: int = 1, k: int = 30) -> Drawing:
    return neighbourhood(GRAPH, numbers_of(GRAPH, name), depth=depth, k=k)


def lines(found: Drawing) -> set[str]:
    return {f"{found.spots[line.source].name} {line.label} {found.spots[line.target].name}" for line in found.lines}


def evil() -> Drawing:
    graph = sketch(f"a.py function f 1-2\na.py function {EVIL} 3-4\n\nf -calls> {EVIL}\n")
    return neighbourhood(graph, numbers_of(graph, "f"), depth=1, k=9)


def test_what_is_around_a_table_columns_and_fields_are_part_of_theirs() -> None:
    assert lines(drawn("orders")) == {
        "Order maps to orders",
        "Order.load reads orders",
        "list_orders reads orders",
        "revenue derives from orders",
        "items refers to orders",
        "turnover describes orders",
    }


def test_layers_tell_what_leads_there_and_what_it_leads_to() -> None:
    found = drawn("pay", depth=2)
    layers = dict(zip([spot.name for spot in found.spots], found.layers, strict=True))
    assert layers == {"pay": 0, "answer": -1, "test_pay": -1, "Order.load": 1, "POST /pay": -2, "test_answer": -2} | {
        "orders": 2,
        "Model.load": 2,
    }


def test_a_limit_leaves_out_and_says_so() -> None:
    found = drawn("orders", k=3)
    assert (len(found.spots), found.left_out, found.spots[0].name) == (3, 4, "orders")


def test_mermaid() -> None:
    text = as_mermaid(drawn("pay"))
    assert text.startswith("flowchart LR\n")
    assert '    subgraph f1["shop/orders.py"]\n        n0("pay<br/>function")\n' in text
    assert '-->|"calls"|' in text
    assert re.search(r"^    class n\d+ test$", text, re.MULTILINE)


def test_a_candidate_is_dashed() -> None:
    found = drawn("answer")
    assert '-.->|"calls"| n0' in as_mermaid(found)
    assert "style=dashed" in as_dot(found)
    assert "line doubt" in as_svg(found)


def test_what_a_name_holds_is_no_syntax() -> None:
    label = as_mermaid(evil()).splitlines()[2]
    assert label.count('"') == 2
    assert not set(label.partition('"')[2].rpartition("<br/>")[0]) & set('"<>[]|\\\x1b')
    assert '\\"' in as_dot(evil())
    for text in (as_graphml(evil()), as_svg(evil())):
        ElementTree.fromstring(text)


def test_graphml_has_nodes_and_edges_with_keys_that_are_declared() -> None:
    root = ElementTree.fromstring(as_graphml(drawn("orders")))
    keys = {one.get("id") for one in root.iter(f"{GRAPHML}key")}
    used = {one.get("key") for one in root.iter(f"{GRAPHML}data")}
    nodes = {one.get("id") for one in root.iter(f"{GRAPHML}node")}
    ends = {one.get(end) for one in root.iter(f"{GRAPHML}edge") for end in ("source", "target")}
    assert used == keys
    assert ends <= nodes


def test_svg_has_a_box_and_a_name_for_each_spot() -> None:
    found = drawn("orders")
    root = ElementTree.fromstring(as_svg(found))
    texts = {one.text for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {spot.name for spot in found.spots} <= texts
    boxes = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if "box" in one.attrib["class"].split()]
    assert len(boxes) == len(found.spots)


def test_svg_has_a_frame_for_each_file_with_several_boxes() -> None:
    found = drawn("orders")
    root = ElementTree.fromstring(as_svg(found))
    rects = [one.attrib for one in root.iter("{http://www.w3.org/2000/svg}rect")]
    (frame,) = (rectangle for rectangle in rects if rectangle["class"] == "file")
    (path,) = (one.text for one in root.iter("{http://www.w3.org/2000/svg}text") if one.get("class") == "path")
    begin, top = float(frame["x"]), float(frame["y"])
    end, bottom = begin + float(frame["width"]), top + float(frame["height"])
    boxes = [
        (float(rectangle["x"]), float(rectangle["y"])) for rectangle in rects if "box" in rectangle["class"].split()
    ]
    inside = [spot for spot, (x, y) in zip(found.spots, boxes, strict=True) if begin < x < end and top < y < bottom]
    assert {spot.path for spot in inside} == {path}
    assert len(inside) == sum(spot.path == path for spot in found.spots) > 1
