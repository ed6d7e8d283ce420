"""A drawing as SVG: what leads to what was asked for on the left, what that leads to on the right, grouped by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from coderag.graph.drawing.drawing import Drawing, Line
from coderag.graph.drawing.export import where
from coderag.graph.drawing.layout import (
    BEND,
    CHARACTER,
    MARGIN,
    PADDING,
    Frame,
    curve,
    cut,
    neighbours_of,
    place_layers,
    svg_head,
)
from coderag.graph.queries.locations import DATA_KINDS, Location
from coderag.graph.records import NodeKind
from coderag.text.visible import visible

__all__ = ["as_svg"]

HEIGHT, TEXT, SUBTEXT = 44, 18, 34  # of a box and of its lines, in pixels
LABEL_GAP = 9  # between a box and the words of a line
FRAME, FRAME_HEAD = 7, 18  # between a frame of a file and its boxes, and where its path stands, in pixels
PATH_CHARACTER = 6.1
SPREAD = 6  # pixels between the ends of lines at one box
STYLE = """
.asked{stroke:#c2410c;stroke-width:2.5}.data{fill:#e8eef6}.test{stroke-dasharray:4 3}.doubt{stroke-dasharray:5 4}
.name{font-weight:600}.sub{fill:#64748b;font-size:11px}.said{fill:#475569;font-size:10px;paint-order:stroke;
stroke:#fff;stroke-width:3px}.tip{fill:#64748b}
.file{fill:#f8fafc;stroke:#cbd5e1}.path{fill:#64748b;font-size:10px}
@media(prefers-color-scheme:dark){.asked{stroke:#fb923c}.data{fill:#22395b}.sub,.said{fill:#94a3b8}
.file{fill:#131d31;stroke:#334155}.path{fill:#94a3b8}
.said{stroke:#0f172a}.tip{fill:#94a3b8}}"""


@dataclass(slots=True, kw_only=True)
class Box(Frame):
    """A spot on the canvas."""

    spot: Location
    asked: bool
    layer: int


def as_svg(drawing: Drawing) -> str:
    """Return a drawing as SVG that any browser shows, in the colours of a light or a dark page."""
    boxes = [
        _box(spot, asked=number < drawing.asked, layer=drawing.layers[number])
        for number, spot in enumerate(drawing.spots)
    ]
    if not boxes:
        return svg_head(0, 0, title="nothing") + "</svg>"
    layers = [
        [number for number, layer in enumerate(drawing.layers) if layer == one] for one in sorted(set(drawing.layers))
    ]
    neighbours = neighbours_of(len(boxes), [(line.source, line.target) for line in drawing.lines])
    files = ["" if one.spot.kind in DATA_KINDS else one.spot.path for one in boxes]
    right, bottom = place_layers(boxes, layers, neighbours, float(MARGIN), groups=files)
    bent = any(
        drawing.layers[line.source] == drawing.layers[line.target] == max(drawing.layers) for line in drawing.lines
    )
    width, height = right + MARGIN + (BEND if bent else 0), bottom + MARGIN
    parts = [svg_head(width, height, title=escape(_title(drawing)), style=STYLE)]
    parts += _frames(boxes)
    parts += [_line(boxes, line, number) for number, line in enumerate(drawing.lines)]
    parts += [part for box in boxes for part in _drawn(box)]
    parts += [_label(boxes, line, number) for number, line in enumerate(drawing.lines)]
    return "\n".join([*parts, "</svg>"])


def _frames(boxes: Sequence[Box]) -> Iterator[str]:
    """Yield a frame for each file that has several boxes below each other."""
    columns: dict[tuple[float, str], list[Box]] = {}
    for box in boxes:
        if box.spot.kind not in DATA_KINDS:
            columns.setdefault((box.x, box.spot.path), []).append(box)
    for (x, path), some in columns.items():
        if path and len(some) > 1:
            y, bottom = min(box.y for box in some), max(box.y + box.height for box in some)
            width = max(box.width for box in some)
            yield (
                f'<rect class="file" x="{x - FRAME:.0f}" y="{y - FRAME_HEAD:.0f}" width="{width + 2 * FRAME:.0f}" '
                f'height="{bottom - y + FRAME_HEAD + FRAME:.0f}" rx="6"/>'
                f'<text class="path" x="{x:.0f}" y="{y - 5:.0f}">{escape(_end_of(visible(path), width))}</text>'
            )


def _end_of(path: str, width: float) -> str:
    """Return as much of the end of a path as a width has room for."""
    room = max(int(width / PATH_CHARACTER), 4)
    return path if len(path) <= room else f"…{path[1 - room :]}"


def _title(drawing: Drawing) -> str:
    return "What is around " + ", ".join(visible(spot.name) for spot in drawing.spots[: drawing.asked])


def _box(spot: Location, *, asked: bool, layer: int) -> Box:
    longest = max(len(cut(visible(spot.name))) * CHARACTER, len(_about(spot)) * CHARACTER * 11 / 12)
    return Box(width=longest + 2 * PADDING, height=HEIGHT, spot=spot, asked=asked, layer=layer)


def _about(spot: Location) -> str:
    """Return what a spot is and where, as short as a box is."""
    place = where(spot)
    file = place.rpartition("/")[2]
    return cut(visible(f"{spot.kind}  {file}" if file and spot.kind is not NodeKind.FILE else str(spot.kind)))


def _ends(boxes: list[Box], line: Line, number: int) -> tuple[float, float]:
    """Return the heights at which a line begins and ends; those of one box lie apart."""
    source, target = boxes[line.source], boxes[line.target]
    shift = SPREAD * (number % 5 - 2)
    return source.y + source.height / 2 + shift, target.y + target.height / 2 + shift


def _line(boxes: list[Box], line: Line, number: int) -> str:
    source, target = boxes[line.source], boxes[line.target]
    y1, y2 = _ends(boxes, line, number)
    path, end = curve(source, target, y1, y2)
    kind = "line doubt" if line.candidates > 1 else "line"
    place = f" at {line.path}:{line.line}" if line.line else ""
    title = escape(visible(f"{source.spot.name} {line.label} {target.spot.name}{place}"))
    back = -6 if end <= target.x + 1 else 6
    tip = f"M{end:.0f},{y2:.0f} l{back},-4 l0,8 z"
    return f'<g><title>{title}</title><path class="{kind}" d="{path}"/><path class="tip" d="{tip}"/></g>'


def _label(boxes: list[Box], line: Line, number: int) -> str:
    """Return the words of a line, beside the end that is away from what was asked for: there lines lie apart."""
    source, target = boxes[line.source], boxes[line.target]
    if abs(source.layer - target.layer) != 1:
        return ""
    y1, y2 = _ends(boxes, line, number)
    at_source = abs(source.layer) > abs(target.layer)
    box, y = (source, y1) if at_source else (target, y2)
    left = box.layer < (target if at_source else source).layer
    x, anchor = (box.x + box.width + LABEL_GAP, "start") if left else (box.x - LABEL_GAP, "end")
    return f'<text class="said" text-anchor="{anchor}" x="{x:.0f}" y="{y - 4:.0f}">{escape(line.label)}</text>'


def _drawn(box: Box) -> Iterator[str]:
    spot = box.spot
    classes = ["box"]
    classes += ["data"] if spot.kind in (NodeKind.TABLE, NodeKind.VIEW) else []
    classes += ["test"] if "test" in spot.labels else []
    classes += ["asked"] if box.asked else []
    yield f"<g><title>{escape(visible(f'{spot.kind} {spot.name} {where(spot)}'))}</title>"
    yield (
        f'<rect class="{" ".join(classes)}" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" '
        f'height="{box.height:.0f}" rx="{4 if spot.kind is not NodeKind.ROUTE else HEIGHT / 2:.0f}"/>'
    )
    x = box.x + PADDING
    yield f'<text class="name" x="{x:.0f}" y="{box.y + TEXT:.0f}">{escape(cut(visible(spot.name)))}</text>'
    yield f'<text class="sub" x="{x:.0f}" y="{box.y + SUBTEXT:.0f}">{escape(_about(spot))}</text></g>'
