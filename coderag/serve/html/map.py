"""Communities to a treemap: a rectangle for each part, as large as it matters, in rows as square as can be.

M. Bruls, K. Huizing, J. J. van Wijk, "Squarified Treemaps", Joint Eurographics and IEEE TCVG Symposium on
Visualization, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from coderag.api.index import Index
from coderag.graph.queries.map import MapEntry, MapPart
from coderag.serve.html.map_parts import map_parts

__all__ = ["Measure", "Tile", "TreeMap", "squarified", "tree_maps"]


class Measure(StrEnum):
    """What the area of a part shows."""

    SIZE = "size"
    CHANGE = "change"


WIDTH, HEIGHT = 1200.0, 560.0  # units of the picture
SHADES = 8
TITLE_CHARACTER, CHARACTER = 8.8, 7.5  # units that a character is wide
LINE = 17.0
GAP = 4.0
PADDING = 18.0
LEAST_ROOM = 4  # characters of a name
NO_COMMITS = "no commit of it is known"
LEAST_SHARE = 0.004  # of a part, so that it can be hit


@dataclass(frozen=True, slots=True)
class Tile:
    """A part and its place."""

    part: MapPart
    number: int
    x: float
    y: float
    width: float
    height: float
    title: str  # as much of the name as there is room for
    lines: tuple[str, ...]  # the names that matter most, as far as there is room
    share: float  # of what is measured, 0..1
    changes: int | None  # commits that changed it; None if none are known

    @property
    def shade(self) -> int:
        """Which of the colours it has."""
        return self.number % SHADES


@dataclass(frozen=True, slots=True)
class TreeMap:
    """The parts of one repository."""

    repository: str
    files: int
    tiles: tuple[Tile, ...]
    further: int
    measure: Measure
    missing: str  # why there is no history, "" if there is
    width: int = int(WIDTH)
    height: int = int(HEIGHT)


def tree_maps(index: Index, *, measure: Measure = Measure.SIZE) -> list[TreeMap]:
    """Return a treemap of each root; what has no history is shown by size."""
    parts = map_parts(index)
    missing = index.missing_histories()
    return [
        TreeMap(
            map_.repository,
            map_.files,
            tuple(_tiles(map_.parts, changes, measure=measure)),
            map_.further,
            measure=measure if any(changes) else Measure.SIZE,
            missing="" if any(changes) else missing.get(map_.repository, NO_COMMITS),
        )
        for map_, changes in zip(parts.maps, parts.changes, strict=True)
    ]


def _tiles(parts: Sequence[MapPart], changes: Sequence[int], *, measure: Measure) -> Iterator[Tile]:
    total = sum(changes)
    by_change = measure is Measure.CHANGE and total > 0
    measured = [count / total for count in changes] if by_change else [part.share for part in parts]
    shares = [max(share, LEAST_SHARE) for share in measured]
    order = sorted(range(len(parts)), key=lambda at: (-shares[at], at))
    places = squarified([shares[at] for at in order], WIDTH, HEIGHT)
    for at, (x, y, width, height) in zip(order, places, strict=True):
        part = parts[at]
        inner = width - GAP - PADDING
        room = int(inner / CHARACTER)
        count = max(int((height - GAP - 40) / LINE), 0)
        names = dict.fromkeys((*part.central, *(entry.name for entry in entries_of(part))))
        lines = [_cut(name, room) for name in names][:count] if room > LEAST_ROOM else []
        yield Tile(
            part,
            at,
            x + GAP / 2,
            y + GAP / 2,
            width - GAP,
            height - GAP,
            _cut(part.name, int(inner / TITLE_CHARACTER)),
            tuple(lines),
            measured[at],
            changes[at] if changes else None,
        )


def _cut(text: str, room: int) -> str:
    if room < 3:
        return ""
    return text if len(text) <= room else f"{text[: room - 1]}…"


def squarified(sizes: Sequence[float], width: float, height: float) -> list[tuple[float, float, float, float]]:
    """Return a rectangle (x, y, width, height) for each size, the largest first; together they fill the area."""
    scale = width * height / (sum(sizes) or 1.0)
    areas = [size * scale for size in sizes]
    placed: list[tuple[float, float, float, float]] = []
    x, y = 0.0, 0.0
    while areas:
        side = min(width, height)
        row = [areas.pop(0)]
        while areas and _worst([*row, areas[0]], side) <= _worst(row, side):
            row.append(areas.pop(0))
        thick = sum(row) / side if side else 0.0
        at = 0.0
        for area in row:
            long = area / thick if thick else 0.0
            placed.append((x, y + at, thick, long) if width >= height else (x + at, y, long, thick))
            at += long
        if width >= height:
            x, width = x + thick, width - thick
        else:
            y, height = y + thick, height - thick
    return placed


def _worst(row: Sequence[float], side: float) -> float:
    """Return the worst ratio of the sides of a row's rectangles."""
    total = sum(row)
    return max(side**2 * max(row) / total**2, total**2 / (side**2 * min(row)))


def entries_of(part: MapPart) -> Sequence[MapEntry]:
    """Return the definitions of a part, those that matter most first."""
    return sorted(part.entries, key=lambda entry: -entry.rank)
