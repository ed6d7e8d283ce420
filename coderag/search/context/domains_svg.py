"""Domains of tables and the keys between them as a picture in SVG: of a schema that is too large to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from xml.sax.saxutils import escape

from coderag.graph.drawing.layout import CHARACTER, PADDING, Frame, curve, cut, place, svg_head
from coderag.search.context.domains import Domain, Tie, ties_between
from coderag.search.context.erd import label_of
from coderag.text.counted import counted
from coderag.text.visible import visible

__all__ = ["domains_as_svg"]

ROW, HEAD = 18, 28  # pixels
HEAVIEST = 3  # of the widths of a line, from 0
NAMED = 6  # tables of a domain that are named


@dataclass(slots=True, kw_only=True)
class Box(Frame):
    """A domain on the canvas."""

    domain: Domain
    names: list[str]


def domains_as_svg(domains: Sequence[Domain]) -> str:
    """Return a picture of domains: a box for each, a line for the foreign keys between two, thicker where more."""
    ties = ties_between(domains)
    boxes = [_box(domain) for domain in domains]
    width, height = place(boxes, [(tie.child, tie.parent) for tie in ties])
    parts = [svg_head(width, height, title="Domains of tables and the keys between them")]
    parts += [_line(boxes[tie.child], boxes[tie.parent], tie) for tie in ties]
    parts += [part for box in boxes for part in _drawn(box)]
    return "\n".join([*parts, "</svg>"])


def _box(domain: Domain) -> Box:
    names = [cut(visible(label_of(table.name))) for table in domain.tables[:NAMED]]
    more = len(domain.tables) > len(names)
    longest = max(len(_title(domain)) + len(_count(domain)) + 3, *map(len, names))
    return Box(
        domain=domain,
        names=names,
        width=longest * CHARACTER + 2 * PADDING,
        height=HEAD + ROW * (len(names) + more) + 6,
    )


def _title(domain: Domain) -> str:
    return cut(visible(domain.name))


def _count(domain: Domain) -> str:
    return counted(len(domain.tables), "table")


def _line(child: Box, parent: Box, tie: Tie) -> str:
    path, x2 = curve(child, parent, child.y + child.height / 2, parent.y + parent.height / 2)
    title = f"{visible(child.domain.name)} → {visible(parent.domain.name)} ({counted(tie.keys, 'foreign key')})"
    weight = min(int(log2(tie.keys)), HEAVIEST)
    y2 = parent.y + parent.height / 2
    return (
        f'<g><title>{escape(title)}</title><path class="line tie-{weight}" d="{path}"/>'
        f'<circle class="mark" cx="{x2:.0f}" cy="{y2:.0f}" r="3"/></g>'
    )


def _drawn(box: Box) -> Iterator[str]:
    tables = ", ".join(label_of(table.name) for table in box.domain.tables)
    yield (
        f"<g><title>{escape(visible(tables))}</title>"
        f'<rect class="box" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="4"/>'
        f'<rect class="head" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{HEAD - 4}" rx="4"/>'
        f'<text class="title" x="{box.x + PADDING:.0f}" y="{box.y + 16:.0f}">{escape(_title(box.domain))}</text>'
        f'<text class="type" text-anchor="end" x="{box.x + box.width - PADDING:.0f}" y="{box.y + 16:.0f}">'
        f"{_count(box.domain)}</text>"
    )
    for number, name in enumerate(box.names):
        y = box.y + HEAD + ROW * number + 13
        yield f'<text x="{box.x + PADDING:.0f}" y="{y:.0f}">{escape(name)}</text>'
    if more := len(box.domain.tables) - len(box.names):
        y = box.y + HEAD + ROW * len(box.names) + 13
        yield f'<text class="type" x="{box.x + PADDING:.0f}" y="{y:.0f}">and {more} more</text>'
    yield "</g>"
