"""Boxes to places on a canvas, and the lines between them: what pictures in SVG share."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BEND",
    "CHARACTER",
    "MARGIN",
    "PADDING",
    "Frame",
    "curve",
    "cut",
    "neighbours_of",
    "pack",
    "place",
    "place_layers",
    "svg_head",
]

# In pixels.
CHARACTER, PADDING = 7.2, 10
MAX_NAME = 34  # characters
GAP_X, GAP_Y, MARGIN, BEND = 90, 28, 24, 45
SHAPE = 1.25  # the root of how much wider than high what is packed becomes
MAX_HEIGHT = 1400  # of a column of boxes; a higher one goes on beside it
STYLE = """\
.box{fill:#fff;stroke:#64748b}.head{fill:#1e3a5f}.title{fill:#fff;font-weight:600}.key{font-weight:600}
.type{fill:#64748b}.line{fill:none;stroke:#64748b;stroke-width:1.4}.inferred{stroke-dasharray:5 4}
.mark{fill:#64748b;font-size:11px}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#0f172a}
@media(prefers-color-scheme:dark){svg{background:#0f172a}.box{fill:#1e293b;stroke:#94a3b8}.head{fill:#38598b}
text{fill:#e2e8f0}.type,.mark{fill:#94a3b8}.line{stroke:#94a3b8}}"""


@dataclass(slots=True, kw_only=True)
class Frame:
    """A box on the canvas, in pixels."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


def svg_head(width: float, height: float, *, title: str, style: str = "") -> str:
    """Return the beginning of a picture; the title is text for XML."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img"><title>{title}</title>'
        f"<style>{STYLE}{style}</style>"
    )


def cut(text: str) -> str:
    """Return a text that fits a box."""
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def neighbours_of(count: int, ties: Sequence[tuple[int, int]]) -> list[set[int]]:
    """Return which boxes are tied to each, in either direction."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for one, other in ties:
        if one != other:
            neighbours[one].add(other)
            neighbours[other].add(one)
    return neighbours


def curve(one: Frame, other: Frame, y1: float, y2: float) -> tuple[str, float]:
    """Return the path of a line between two boxes at some heights, and where it ends, from left to right."""
    if one is other or abs(one.x - other.x) < 1:
        x1, x2 = one.x + one.width, other.x + other.width
        bend1 = bend2 = max(x1, x2) + BEND
    else:
        rightward = one.x < other.x
        x1, x2 = (one.x + one.width, other.x) if rightward else (one.x, other.x + other.width)
        bend1, bend2 = (x1 + BEND, x2 - BEND) if rightward else (x1 - BEND, x2 + BEND)
    return f"M{x1:.0f},{y1:.0f} C{bend1:.0f},{y1:.0f} {bend2:.0f},{y2:.0f} {x2:.0f},{y2:.0f}", x2


def place(boxes: Sequence[Frame], ties: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Give each box its place and return the size of the canvas: components below each other, the largest first."""
    neighbours = neighbours_of(len(boxes), ties)
    top, right = float(MARGIN), 0.0
    components = sorted(_components(neighbours), key=lambda one: (-len(one), one))
    single = [one[0] for one in components if len(one) == 1]
    for component in [one for one in components if len(one) > 1]:
        width, bottom = place_layers(boxes, _layers(component, neighbours), neighbours, top)
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


def pack(frames: Sequence[Frame]) -> tuple[float, float]:
    """Give frames their places in rows, the highest first, and return the size of the canvas, wider than high."""
    area = sum((frame.width + GAP_X) * (frame.height + GAP_Y) for frame in frames)
    most = max([area**0.5 * SHAPE, *(frame.width for frame in frames)])
    x = y = float(MARGIN)
    right = high = 0.0
    for frame in sorted(frames, key=lambda one: -one.height):
        if x > MARGIN and x + frame.width > most:
            x, y, high = float(MARGIN), y + high + GAP_Y, 0.0
        frame.x, frame.y = x, y
        x += frame.width + GAP_Y
        high, right = max(high, frame.height), max(right, x)
    return right + MARGIN - GAP_Y, y + high + MARGIN


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


def place_layers(
    boxes: Sequence[Frame],
    layers: list[list[int]],
    neighbours: Sequence[set[int]],
    top: float,
    *,
    groups: Sequence[str] = (),
) -> tuple[float, float]:
    """Place layers beside each other, each ordered by where its neighbours to the left are; return right and bottom.

    Boxes of one of the `groups`, of which each box has one, stay together.
    """
    x = float(MARGIN)
    stacks: list[list[Frame]] = []
    for number, layer in enumerate(layers):
        before = set(layers[number - 1]) if number else set()

        def middle(position: int, before: set[int] = before) -> tuple[float, int]:
            left = [boxes[other].y + boxes[other].height / 2 for other in neighbours[position] & before]
            return (sum(left) / len(left) if left else 0.0), position

        ordered = _together(sorted(layer, key=middle), groups)
        for stack in _stacks([boxes[position] for position in ordered]):
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


def _together(positions: list[int], groups: Sequence[str]) -> list[int]:
    """Return positions in order, those of one group behind the first of them; "" is no group."""
    first: dict[str, int] = {}
    for place, position in enumerate(positions if groups else ()):
        first.setdefault(groups[position] or f"\0{position}", place)
    return sorted(positions, key=lambda one: first[groups[one] or f"\0{one}"]) if groups else positions


def _stacks(boxes: list[Frame]) -> list[list[Frame]]:
    """Return the boxes of a layer in columns, none of them too high."""
    stacks: list[list[Frame]] = [[]]
    height = 0.0
    for box in boxes:
        if stacks[-1] and height + box.height > MAX_HEIGHT:
            stacks.append([])
            height = 0.0
        stacks[-1].append(box)
        height += box.height + GAP_Y
    return stacks
