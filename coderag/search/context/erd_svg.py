"""Tables and their joins as a picture in SVG, which any browser shows; many tables in a group for each domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from coderag.graph.drawing.layout import BEND, CHARACTER, MARGIN, PADDING, Frame, curve, cut, pack, place, svg_head
from coderag.search.context.domains import MOST_TOGETHER, Domain, domains_of
from coderag.search.context.erd import Edge, drawn_columns, edges_of, label_of
from coderag.sql.records import Column, Evidence, Table
from coderag.text.counted import counted
from coderag.text.visible import visible

__all__ = ["as_svg"]

ROW, HEAD = 18, 26  # pixels
GROUP_HEAD, TITLE_CHARACTER = 16, 10  # pixels, on top of the margin; of a group
STYLE = """
.group{fill:#f1f5f9;stroke:#cbd5e1}.domain{font-size:16px;font-weight:600}
@media(prefers-color-scheme:dark){.group{fill:#131d31;stroke:#334155}}"""


@dataclass(slots=True, kw_only=True)
class Box(Frame):
    """A table on the canvas."""

    table: Table
    rows: list[Column]
    leads: Mapping[str, str]  # of columns whose key has no line: to which table

    def row_y(self, names: Sequence[str]) -> float:
        """Return the height at which a line to the first of some columns ends."""
        for number, column in enumerate(self.rows):
            if column.name in names:
                return self.y + HEAD + ROW * number + ROW / 2
        return self.y + HEAD / 2


@dataclass(slots=True, kw_only=True)
class Group(Frame):
    """A domain on the canvas."""

    domain: Domain
    boxes: Sequence[Box]


def as_svg(tables: Sequence[Table]) -> str:
    """Return an entity relationship diagram as SVG: layers of joined tables from left to right.

    Of more than MOST_TOGETHER tables those of each domain are in a frame, and a key to another domain has no line: its
    column names the table that it leads to.
    """
    if len(tables) > MOST_TOGETHER:
        return _in_groups(domains_of(tables, most=MOST_TOGETHER))
    edges = edges_of(tables)
    boxes = [_box(table, drawn_columns(table, edges, position), {}) for position, table in enumerate(tables)]
    width, height = place(boxes, [(edge.child, edge.parent) for edge in edges])
    parts = [svg_head(width, height, title="Tables and their joins")]
    return "\n".join([*parts, *_tables(boxes, edges), "</svg>"])


def _in_groups(domains: Sequence[Domain]) -> str:
    tables = [table for domain in domains for table in domain.tables]
    home = [number for number, domain in enumerate(domains) for _ in domain.tables]
    edges = edges_of(tables)
    near = [edge for edge in edges if home[edge.child] == home[edge.parent]]
    leads: list[dict[str, str]] = [{} for _ in tables]
    for edge in edges:
        if home[edge.child] != home[edge.parent]:
            leads[edge.child] |= dict.fromkeys(edge.key.columns, label_of(tables[edge.parent].name))
    boxes = [
        _box(table, drawn_columns(table, edges, position), leads[position]) for position, table in enumerate(tables)
    ]
    groups = [_group(domain, number, home=home, boxes=boxes, edges=near) for number, domain in enumerate(domains)]
    width, height = pack(groups)
    parts = [svg_head(width, height, title="Tables by domain, and their joins", style=STYLE)]
    for group in groups:
        for box in group.boxes:
            box.x, box.y = box.x + group.x, box.y + group.y + GROUP_HEAD
        parts.append(_frame(group))
    return "\n".join([*parts, *_tables(boxes, near), "</svg>"])


def _group(domain: Domain, number: int, *, home: Sequence[int], boxes: Sequence[Box], edges: Sequence[Edge]) -> Group:
    """Return a domain whose tables have their places in it."""
    inside = [position for position, one in enumerate(home) if one == number]
    own = {position: at for at, position in enumerate(inside)}
    ties = [(own[edge.child], own[edge.parent]) for edge in edges if edge.child in own]
    placed = [boxes[position] for position in inside]
    place(placed, ties)
    right = max(box.x + box.width for box in placed)
    bottom = max(box.y + box.height for box in placed)
    bent = any(abs(placed[one].x - placed[other].x) < 1 for one, other in ties)
    width = max(right + (BEND if bent else 0), len(_title(domain)) * TITLE_CHARACTER) + MARGIN
    return Group(domain=domain, boxes=placed, width=width, height=bottom + MARGIN + GROUP_HEAD)


def _title(domain: Domain) -> str:
    return f"{_shown(domain.name)}, {counted(len(domain.tables), 'table')}"


def _frame(group: Group) -> str:
    return (
        f'<rect class="group" x="{group.x:.0f}" y="{group.y:.0f}" width="{group.width:.0f}" '
        f'height="{group.height:.0f}" rx="8"/><text class="domain" x="{group.x + MARGIN:.0f}" '
        f'y="{group.y + MARGIN:.0f}">{escape(_title(group.domain))}</text>'
    )


def _tables(boxes: Sequence[Box], edges: Sequence[Edge]) -> Iterator[str]:
    for edge in edges:
        yield _line(boxes[edge.child], boxes[edge.parent], edge)
    for box in boxes:
        yield from _drawn(box, edges, boxes)


def _box(table: Table, rows: list[Column], leads: Mapping[str, str]) -> Box:
    texts = [len(_shown(label_of(table.name))) + 2]
    texts += [
        len(_shown(column.name)) + len(_shown(column.type)) + 8 + len(_shown(leads.get(column.name, "")))
        for column in rows
    ]
    hidden = len(table.columns) > len(rows)
    return Box(
        table=table,
        rows=rows,
        leads=leads,
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
        leads = f"→ {_shown(box.leads[column.name])}" if column.name in box.leads else ""
        kind = " ".join(filter(None, (_shown(column.type), key, leads)))
        yield f'<text class="type" text-anchor="end" x="{right:.0f}" y="{y:.0f}">{escape(kind)}</text>'
    if len(table.columns) > len(box.rows):
        y = box.y + HEAD + ROW * len(box.rows) + 13
        more = len(table.columns) - len(box.rows)
        yield f'<text class="type" x="{box.x + PADDING:.0f}" y="{y:.0f}">and {more} more</text>'
    yield "</g>"
