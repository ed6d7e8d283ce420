"""Tables and their joins as a picture in SVG, which any browser shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from coderag.context.erd import Edge, drawn_columns, edges_of, label_of
from coderag.sql.model import Column, Evidence, Table

__all__ = ["as_svg"]

# In pixels.
CHARACTER, ROW, HEAD, PADDING = 7.2, 18, 26, 10
MAX_NAME = 34  # characters
GAP_X, GAP_Y, MARGIN, BEND = 90, 28, 24, 45
MAX_HEIGHT = 1400  # of a column of boxes; a higher one goes on beside it
STYLE = """\
.box{fill:#fff;stroke:#64748b}.head{fill:#1e3a5f}.title{fill:#fff;font-weight:600}.key{font-weight:600}
.type{fill:#64748b}.line{fill:none;stroke:#64748b;stroke-width:1.4}.inferred{stroke-dasharray:5 4}
.mark{fill:#64748b;font-size:11px}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#0f172a}
@media(prefers-color-scheme:dark){svg{background:#0f172a}.box{fill:#1e293b;stroke:#94a3b8}.head{fill:#38598b}
text{fill:#e2e8f0}.type,.mark{fill:#94a3b8}.line{stroke:#94a3b8}}"""


@dataclass(slots=True)
class Box:
    """A table on the canvas."""

    table: Table
    rows: list[Column]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

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
    width, height = _place(boxes, edges)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img"><title>Tables and their joins</title>'
        f"<style>{STYLE}</style>"
    ]
    parts += [_line(boxes[edge.child], boxes[edge.parent], edge) for edge in edges]
    parts += [part for box in boxes for part in _drawn(box, edges, boxes)]
    return "\n".join([*parts, "</svg>"])


def _box(table: Table, rows: list[Column]) -> Box:
    texts = [len(_cut(label_of(table.name))) + 2]
    texts += [len(_cut(column.name)) + len(_cut(column.type)) + 8 for column in rows]
    hidden = len(table.columns) > len(rows)
    return Box(table, rows, max(texts) * CHARACTER + 2 * PADDING, HEAD + ROW * (len(rows) + hidden) + 6)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def _place(boxes: Sequence[Box], edges: Sequence[Edge]) -> tuple[float, float]:
    """Give each box its place and return the size of the canvas: components below each other, the largest first."""
    neighbours: list[set[int]] = [set() for _ in boxes]
    for edge in edges:
        if edge.child != edge.parent:
            neighbours[edge.child].add(edge.parent)
            neighbours[edge.parent].add(edge.child)
    top, right = float(MARGIN), 0.0
    components = sorted(_components(neighbours), key=lambda one: (-len(one), one))
    single = [one[0] for one in components if len(one) == 1]
    for component in [one for one in components if len(one) > 1]:
        width, bottom = _place_layers(boxes, _layers(component, neighbours), neighbours, top)
        right, top = max(right, width), bottom + GAP_Y
    if single:
        columns = max(round(len(single) ** 0.5), int((right - MARGIN) // 320), 1)
        layers = [single[at : at + columns] for at in range(0, len(single), columns)]
        for row in layers:
            x = float(MARGIN)
            for position in row:
                boxes[position].x, boxes[position].y = x, top
                x += boxes[position].width + GAP_X / 2
            right = max(right, x)
            top += max(boxes[position].height for position in row) + GAP_Y
    return max(right, 200.0) + BEND + MARGIN, top + MARGIN - GAP_Y


def _components(neighbours: Sequence[set[int]]) -> list[list[int]]:
    seen: set[int] = set()
    found = []
    for start in range(len(neighbours)):
        if start in seen:
            continue
        component, queue = [], deque([start])
        seen.add(start)
        while queue:
            position = queue.popleft()
            component.append(position)
            for other in sorted(neighbours[position] - seen):
                seen.add(other)
                queue.append(other)
        found.append(component)
    return found


def _layers(component: Sequence[int], neighbours: Sequence[set[int]]) -> list[list[int]]:
    """Return a component in layers by the distance from one end of it, so that lines seldom run behind boxes."""
    start = _farthest(component[0], neighbours)
    depth = {start: 0}
    queue = deque([start])
    while queue:
        position = queue.popleft()
        for other in sorted(neighbours[position] - depth.keys()):
            depth[other] = depth[position] + 1
            queue.append(other)
    layers: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for position in sorted(depth):
        layers[depth[position]].append(position)
    return layers


def _farthest(start: int, neighbours: Sequence[set[int]]) -> int:
    seen, queue, last = {start}, deque([start]), start
    while queue:
        last = queue.popleft()
        for other in sorted(neighbours[last] - seen):
            seen.add(other)
            queue.append(other)
    return last


def _place_layers(
    boxes: Sequence[Box], layers: list[list[int]], neighbours: Sequence[set[int]], top: float
) -> tuple[float, float]:
    """Place layers beside each other, each ordered by where its neighbours to the left are; return right and bottom."""
    x = float(MARGIN)
    stacks: list[list[Box]] = []
    for number, layer in enumerate(layers):
        before = set(layers[number - 1]) if number else set()

        def middle(position: int, before: set[int] = before) -> tuple[float, int]:
            left = [boxes[other].y + boxes[other].height / 2 for other in neighbours[position] & before]
            return (sum(left) / len(left) if left else 0.0), position

        for stack in _stacks([boxes[position] for position in sorted(layer, key=middle)]):
            y = top
            for box in stack:
                box.x, box.y = x, y
                y += box.height + GAP_Y
            x += max(box.width for box in stack) + GAP_X
            stacks.append(stack)
    bottom = max(stack[-1].y + stack[-1].height for stack in stacks)
    for stack in stacks:
        lower = (bottom - stack[-1].y - stack[-1].height) / 2
        for box in stack:
            box.y += lower
    return x - GAP_X, bottom


def _stacks(boxes: list[Box]) -> list[list[Box]]:
    """Return the boxes of a layer in columns, none of them too high."""
    stacks: list[list[Box]] = [[]]
    height = 0.0
    for box in boxes:
        if stacks[-1] and height + box.height > MAX_HEIGHT:
            stacks.append([])
            height = 0.0
        stacks[-1].append(box)
        height += box.height + GAP_Y
    return stacks


def _line(child: Box, parent: Box, edge: Edge) -> str:
    kind = "line" if edge.key.evidence is Evidence.DECLARED else "line inferred"
    one, other, columns = label_of(child.table.name), label_of(parent.table.name), ", ".join(edge.key.columns)
    title = f"{one}.{columns} → {other} ({edge.key.evidence})"
    y1, y2 = child.row_y(edge.key.columns), parent.row_y(edge.key.referenced or parent.table.primary_key)
    if child is parent or abs(child.x - parent.x) < 1:
        x1, x2 = child.x + child.width, parent.x + parent.width
        bend1 = bend2 = max(x1, x2) + BEND
    else:
        rightward = child.x < parent.x
        x1, x2 = (child.x + child.width, parent.x) if rightward else (child.x, parent.x + parent.width)
        bend1, bend2 = (x1 + BEND, x2 - BEND) if rightward else (x1 - BEND, x2 + BEND)
    path = f"M{x1:.0f},{y1:.0f} C{bend1:.0f},{y1:.0f} {bend2:.0f},{y2:.0f} {x2:.0f},{y2:.0f}"
    return (
        f'<g><title>{escape(title)}</title><path class="{kind}" d="{path}"/>'
        f'<circle class="mark" cx="{x2:.0f}" cy="{y2:.0f}" r="3"/></g>'
    )


def _drawn(box: Box, edges: Sequence[Edge], boxes: Sequence[Box]) -> Iterator[str]:
    foreign = {name for edge in edges if boxes[edge.child] is box for name in edge.key.columns}
    table = box.table
    name = escape(_cut(label_of(table.name)))
    yield (
        f"<g><title>{escape(' '.join(table.comment.split()) or label_of(table.name))}</title>"
        f'<rect class="box" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="4"/>'
        f'<rect class="head" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{HEAD - 4}" rx="4"/>'
        f'<text class="title" x="{box.x + PADDING:.0f}" y="{box.y + 15:.0f}">{name}</text>'
    )
    for number, column in enumerate(box.rows):
        y = box.y + HEAD + ROW * number + 13
        marks = (("PK", column.name in table.primary_key), ("FK", column.name in foreign))
        key = " ".join(mark for mark, there in marks if there)
        style = ' class="key"' if key else ""
        yield f'<text{style} x="{box.x + PADDING:.0f}" y="{y:.0f}">{escape(_cut(column.name))}</text>'
        right = box.x + box.width - PADDING
        kind = f"{_cut(column.type)} {key}".strip()
        yield f'<text class="type" text-anchor="end" x="{right:.0f}" y="{y:.0f}">{escape(kind)}</text>'
    if len(table.columns) > len(box.rows):
        y = box.y + HEAD + ROW * len(box.rows) + 13
        more = len(table.columns) - len(box.rows)
        yield f'<text class="type" x="{box.x + PADDING:.0f}" y="{y:.0f}">and {more} more</text>'
    yield "</g>"
