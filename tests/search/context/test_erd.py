"""Tables to pictures: Mermaid text and SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from coderag.search.context.erd import as_mermaid
from coderag.search.context.erd_svg import as_svg
from coderag.sql.records import Column, Evidence, ForeignKey, Name, Table


def table(name: str, *columns: str, keys: tuple[ForeignKey, ...] = (), primary: str = "id", schema: str = "") -> Table:
    found = tuple(Column(one.split()[0], " ".join(one.split()[1:]), nullable="?" in one) for one in columns)
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
