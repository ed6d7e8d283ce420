"""Tables and their joins as a picture in SVG, which any browser shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from coderag.graph.drawing.layout import CHARACTER, PADDING, Frame, curve, cut, place, svg_head
from coderag.search.context.erd import Edge, drawn_columns, edges_of, label_of
from coderag.sql.records import Column, Evidence, Table
from coderag.text.visible import visible

__all__ = ["as_svg"]

ROW, HEAD = 18, 26  # pixels


@dataclass(slots=True, kw_only=True)
class Box(Frame):
    """A table on the canvas."""

    table: Table
    rows: list[Column]

    def row_y(self, names: Sequence[str]) -> float:
        """Return the height at which a line to the first of some columns ends."""
        for number, column in enumerate(self.rows):
            if column.name in names:
                return self.y + HEAD + ROW * number + ROW / 2
        return self.y + HEAD / 2


def as_svg(tables: Sequence[Table]) -> str:
    """Return an entity relationship diagram as SVG: layers of joined tables from left to right."""
    edges = edges_of(tables)
    boxes = [_box(table, drawn_columns(table, edges, position)) for position, table in enumerate(tables)]
    width, height = place(boxes, [(edge.child, edge.parent) for edge in edges])
    parts = [svg_head(width, height, title="Tables and their joins")]
    parts += [_line(boxes[edge.child], boxes[edge.parent], edge) for edge in edges]
    parts += [part for box in boxes for part in _drawn(box, edges, boxes)]
    return "\n".join([*parts, "</svg>"])


def _box(table: Table, rows: list[Column]) -> Box:
    texts = [len(_shown(label_of(table.name))) + 2]
    texts += [len(_shown(column.name)) + len(_shown(column.type)) + 8 for column in rows]
    hidden = len(table.columns) > len(rows)
    return Box(
        table=table,
        rows=rows,
        width=max(texts) * CHARACTER + 2 * PADDING,
        height=HEAD + ROW * (len(rows) + hidden) + 6,
    )


def _shown(text: str) -> str:
    return cut(visible(text))


def _line(child: Box, parent: Box, edge: Edge) -> str:
    kind = "line" if edge.key.evidence is Evidence.DECLARED else "line inferred"
    one, other, columns = label_of(child.table.name), label_of(parent.table.name), ", ".join(edge.key.columns)
    title = f"{one}.{columns} → {other} ({edge.key.evidence})"
    y1, y2 = child.row_y(edge.key.columns), parent.row_y(edge.key.referenced or parent.table.primary_key)
    path, x2 = curve(child, parent, y1, y2)
    return (
        f'<g><title>{escape(visible(title))}</title><path class="{kind}" d="{path}"/>'
        f'<circle class="mark" cx="{x2:.0f}" cy="{y2:.0f}" r="3"/></g>'
    )


def _drawn(box: Box, edges: Sequence[Edge], boxes: Sequence[Box]) -> Iterator[str]:
    foreign = {name for edge in edges if boxes[edge.child] is box for name in edge.key.columns}
    table = box.table
    name = escape(_shown(label_of(table.name)))
    yield (
        f"<g><title>{escape(visible(' '.join(table.comment.split()) or label_of(table.name)))}</title>"
        f'<rect class="box" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="4"/>'
        f'<rect class="head" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{HEAD - 4}" rx="4"/>'
        f'<text class="title" x="{box.x + PADDING:.0f}" y="{box.y + 15:.0f}">{name}</text>'
    )
    for number, column in enumerate(box.rows):
        y = box.y + HEAD + ROW * number + 13
        marks = (("PK", column.name in table.primary_key), ("FK", column.name in foreign))
        key = " ".join(mark for mark, there in marks if there)
        style = ' class="key"' if key else ""
        yield f'<text{style} x="{box.x + PADDING:.0f}" y="{y:.0f}">{escape(_shown(column.name))}</text>'
        right = box.x + box.width - PADDING
        kind = f"{_shown(column.type)} {key}".strip()
        yield f'<text class="type" text-anchor="end" x="{right:.0f}" y="{y:.0f}">{escape(kind)}</text>'
    if len(table.columns) > len(box.rows):
        y = box.y + HEAD + ROW * len(box.rows) + 13
        more = len(table.columns) - len(box.rows)
        yield f'<text class="type" x="{box.x + PADDING:.0f}" y="{y:.0f}">and {more} more</text>'
    yield "</g>"
