"""Tables to pictures: Mermaid text and SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from coderag.search.context.erd import as_mermaid
from coderag.search.context.erd_flowchart import as_mermaid_by_domain
from coderag.search.context.erd_svg import as_svg
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Table


def table(name: str, *columns: str, keys: tuple[ForeignKey, ...] = (), primary: str = "id", schema: str = "") -> Table:
    found = tuple(Column(column.split()[0], " ".join(column.split()[1:]), nullable="?" in column) for column in columns)
    return Table(Name(name, schema, "shop"), columns=found, primary_key=(primary,), foreign_keys=keys)


CUSTOMERS = table("customers", "id bigint", "e-mail varchar(20)")
ORDERS = table(
    "order items",
    "id bigint",
    "customer_id bigint ?",
    "parent_id bigint",
    keys=(
        ForeignKey(("customer_id",), Name("customers"), ("id",)),
        ForeignKey(("parent_id",), Name("order items"), ("id",), evidence=Evidence.MODEL),
        ForeignKey(("customer_id",), Name("elsewhere"), ("id",)),
    ),
)


def test_mermaid_has_boxes_keys_and_lines() -> None:
    assert as_mermaid([CUSTOMERS, ORDERS]) == (
        "erDiagram\n"
        "    customers {\n"
        "        bigint id PK\n"
        "        varchar_20 e-mail\n"
        "    }\n"
        '    "order items" {\n'
        "        bigint id PK\n"
        "        bigint customer_id FK\n"
        "        bigint parent_id FK\n"
        "    }\n"
        '    "order items" }o--o| customers : "customer_id"\n'
        '    "order items" }o..|| "order items" : "parent_id"'
    )


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    found = re.findall(r'class="box" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg)
    return [tuple(map(float, one)) for one in found]  # type: ignore[misc]


def test_svg_is_xml_and_boxes_do_not_overlap() -> None:
    many = [
        table(
            f"t{number}",
            *(f"c{column} int" for column in range(number % 20 + 1)),
            keys=(ForeignKey(("c0",), Name(f"t{number // 3}"), ("c0",)),) if number % 7 else (),
            primary="c0",
        )
        for number in range(60)
    ]
    svg = as_svg(many)
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    found = boxes(svg)
    assert len(found) == 60
    for number, (x, y, w, h) in enumerate(found):
        assert x >= 0
        assert x + w <= width
        assert y + h <= height
        for other_x, other_y, other_w, other_h in found[:number]:
            apart = x + w <= other_x or other_x + other_w <= x or y + h <= other_y or other_y + other_h <= y
            assert apart


def test_names_cannot_break_the_picture() -> None:
    svg = as_svg([table('<script>alert("x")</script>', "a&b <int>")])
    assert "<script>" not in svg
    ElementTree.fromstring(svg)


def test_large_tables_show_keys_and_count_the_rest() -> None:
    svg = as_svg([table("wide", *(f"column{number} int" for number in range(100)), primary="column99")])
    assert "column99" in svg
    assert "and 86 more" in svg


PARTS = ("order", "stock", "staff", "ledger")


def by_part() -> list[Table]:
    """Return more tables than are drawn together: four parts, whose tables refer to the first of their part."""
    ties = {"stock_0": "order_0", "staff_0": "order_0"}
    found = []
    for part in PARTS:
        for number in range(17):
            parents = [f"{part}_0"] * bool(number) + [ties[name] for name in [f"{part}_{number}"] if name in ties]
            keys = tuple(ForeignKey((f"{parent}_id",), Name(parent, "", "shop"), ("id",)) for parent in parents)
            columns = ("id int", *(f"{parent}_id int" for parent in parents))
            found.append(table(f"{part}_{number}", *columns, keys=keys))
    return found


def test_many_tables_are_drawn_by_domain() -> None:
    svg = as_svg(by_part())
    root = ElementTree.fromstring(svg)
    texts = [element.text or "" for element in root.iter()]
    assert [text for text in texts if text.endswith("tables")] == [f"{part}, 17 tables" for part in sorted(PARTS)]
    assert [text for text in texts if "→ order_0" in text and text.startswith("int")] == ["int → order_0"] * 2
    frames = re.findall(r'class="group" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg)
    held = []
    for frame in frames:
        x, y, width, height = map(float, frame)
        inside = [a for a in boxes(svg) if x <= a[0] and a[0] + a[2] <= x + width and y <= a[1]]
        held.append(sum(a[1] + a[3] <= y + height for a in inside))
    assert held == [17] * 4
    assert svg.count('class="line"') == 64  # none between the frames
    assert float(root.attrib["width"]) >= max(float(x) + float(width) for x, _, width, _ in frames)


def test_mermaid_has_a_group_for_each_domain_of_many_tables() -> None:
    lines = as_mermaid_by_domain(by_part()).splitlines()
    assert lines[0] == "flowchart LR"
    assert [line.strip() for line in lines if "subgraph" in line] == [
        f'subgraph d{number}["{part}, 17 tables"]' for number, part in enumerate(sorted(PARTS))
    ]
    assert lines[-2:] == ['    d2 -.->|"1 key"| d1', '    d3 -.->|"1 key"| d1']
    assert as_mermaid_by_domain([CUSTOMERS, ORDERS]) == as_mermaid([CUSTOMERS, ORDERS])
