"""A drawing as text that other programs read: Mermaid, Graphviz, GraphML."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from coderag.graph.drawing.drawing import Drawing, Line
from coderag.graph.queries.locations import DATA_KINDS, TYPE_KINDS, Location
from coderag.graph.records import NodeKind
from coderag.text.visible import visible

__all__ = ["as_dot", "as_graphml", "as_mermaid", "mermaid_text", "where"]

# In a label of Mermaid these are its own, or are read as HTML; "#" begins an entity (https://mermaid.js.org).
MERMAID = {ord(sign): f"#{ord(sign)};" for sign in '"#&<>`\\|[]{}()'}
MAX_LABEL = 60
STYLES = (
    "classDef asked stroke-width:3px",
    "classDef table fill:#1e3a5f,color:#fff,stroke:#1e3a5f",
    "classDef test stroke-dasharray:4 3",
)
KEYS = (
    *(("node", name, "string") for name in ("name", "kind", "path", "database")),
    *(("node", name, kind) for name, kind in (("line", "int"), ("layer", "int"), ("asked", "boolean"))),
    *(("edge", name, kind) for name, kind in (("kinds", "string"), ("candidates", "int"), ("place", "string"))),
)


def where(spot: Location) -> str:
    """Return path:line of a spot, "" where no file defines it."""
    return f"{spot.path}:{spot.line}" if spot.path and spot.line else spot.path


def as_mermaid(drawing: Drawing) -> str:
    """Return a drawing in the language of Mermaid (https://mermaid.js.org), as a flowchart."""
    lines = ["flowchart LR"]
    for group, (path, numbers) in enumerate(_by_file(drawing)):
        nodes = [_mermaid_node(number, drawing.spots[number]) for number in numbers]
        if path:
            lines += [
                f'    subgraph f{group}["{mermaid_text(path)}"]',
                *(f"        {node}" for node in nodes),
                "    end",
            ]
        else:
            lines += [f"    {node}" for node in nodes]
    lines += [f"    {_mermaid_line(line)}" for line in drawing.lines]
    lines += [f"    {style}" for style in STYLES]
    lines += list(_classes(drawing))
    return "\n".join(lines)


def _by_file(drawing: Drawing) -> list[tuple[str, list[int]]]:
    """Return the spots that stand alone under "", then those of each file that has several."""
    files: dict[str, list[int]] = {}
    for number, spot in enumerate(drawing.spots):
        files.setdefault("" if spot.kind in DATA_KINDS else spot.path, []).append(number)
    several = {path: numbers for path, numbers in files.items() if path and len(numbers) > 1}
    alone = [number for path, numbers in files.items() if path not in several for number in numbers]
    return [("", sorted(alone)), *several.items()] if len(files) > 1 else [("", list(range(len(drawing.spots))))]


def _mermaid_node(number: int, spot: Location) -> str:
    label = f"{mermaid_text(spot.name)}<br/>{spot.kind}"
    if spot.kind in (NodeKind.TABLE, NodeKind.VIEW):
        return f'n{number}[("{label}")]'
    if spot.kind is NodeKind.ROUTE:
        return f'n{number}(["{label}"])'
    return f'n{number}["{label}"]' if spot.kind in TYPE_KINDS else f'n{number}("{label}")'


def mermaid_text(text: str) -> str:
    """Return a text for a label in quotes, cut to a length that boxes have."""
    return _cut(visible(text)).translate(MERMAID)


def _mermaid_line(line: Line) -> str:
    arrow = "-.->" if line.candidates > 1 else "-->"
    return f'n{line.source} {arrow}|"{line.label}"| n{line.target}'


def _classes(drawing: Drawing) -> Iterator[str]:
    locations = drawing.spots
    groups = (
        (
            "table",
            [number for number, location in enumerate(locations) if location.kind in (NodeKind.TABLE, NodeKind.VIEW)],
        ),
        ("test", [number for number, location in enumerate(locations) if "test" in location.labels]),
        ("asked", list(range(drawing.asked))),
    )
    for name, numbers in groups:
        if numbers:
            yield f"    class {','.join(f'n{number}' for number in numbers)} {name}"


def as_dot(drawing: Drawing) -> str:
    """Return a drawing in the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""
    lines = ["digraph {", "    rankdir=LR", "    node [shape=box, fontname=monospace]", "    edge [fontname=monospace]"]
    for group, (path, numbers) in enumerate(_by_file(drawing)):
        nodes = [_dot_node(number, drawing) for number in numbers]
        if path:
            lines += [f"    subgraph cluster_{group} {{", f"        label={_dot_text(path)}"]
            lines += [*(f"    {node}" for node in nodes), "    }"]
        else:
            lines += nodes
    for line in drawing.lines:
        dashed = ", style=dashed" if line.candidates > 1 else ""
        lines.append(f"    n{line.source} -> n{line.target} [label={_dot_text(line.label)}{dashed}]")
    return "\n".join([*lines, "}"])


def _dot_node(number: int, drawing: Drawing) -> str:
    spot = drawing.spots[number]
    shape = ", shape=cylinder" if spot.kind in (NodeKind.TABLE, NodeKind.VIEW) else ""
    bold = ", penwidth=3" if number < drawing.asked else ""
    label, tooltip = _dot_text(f"{spot.name}\n{spot.kind}"), _dot_text(where(spot))
    return f"    n{number} [label={label}, tooltip={tooltip}{shape}{bold}]"


def _dot_text(text: str) -> str:
    parts = (_cut(visible(part)).replace("\\", "\\\\").replace('"', '\\"') for part in text.split("\n", 1))
    return '"' + "\\n".join(parts) + '"'


def as_graphml(drawing: Drawing) -> str:
    """Return a drawing as GraphML (http://graphml.graphdrawing.org), which Gephi, yEd and networkx read."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [f'  <key id="{of}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>' for of, name, kind in KEYS]
    lines.append('  <graph id="graph" edgedefault="directed">')
    for number, spot in enumerate(drawing.spots):
        values = {
            "name": spot.name,
            "kind": str(spot.kind),
            "path": spot.path,
            "database": spot.database,
            "line": str(spot.line),
            "layer": str(drawing.layers[number]),
            "asked": "true" if number < drawing.asked else "false",
        }
        lines.append(f"    <node id={quoteattr(f'n{number}')}>{_data('node', values)}</node>")
    for line in drawing.lines:
        place = f"{line.path}:{line.line}" if line.line else line.path
        values = {"kinds": ",".join(line.kinds), "candidates": str(line.candidates), "place": place}
        lines.append(f'    <edge source="n{line.source}" target="n{line.target}">{_data("edge", values)}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"])


def _data(of: str, values: dict[str, str]) -> str:
    return "".join(f'<data key="{of}_{name}">{escape(visible(value))}</data>' for name, value in values.items())


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LABEL else f"{text[: MAX_LABEL - 1]}…"
