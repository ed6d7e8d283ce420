"""A neighbourhood, an impact or a path to nodes and edges that the script of the page draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coderag.api.index import Index
from coderag.errors import QueryError
from coderag.graph.queries.impact import Affected
from coderag.graph.queries.locations import VERBS, Location
from coderag.graph.records import NodeKind
from coderag.serve.html.links import Links
from coderag.text.visible import visible

__all__ = ["Picture", "impact", "neighbourhood", "path"]

MOST_NODES = 40
MOST_AFFECTED = 60
WAYS = 3
DATA = (NodeKind.TABLE, NodeKind.VIEW, NodeKind.COLUMN)
# What an edge is to the legend, by its verb; what is not here is a tie between declarations.
EDGE_GROUPS = {
    "calls": "calls",
    "handled by": "calls",
    "reads": "reads",
    "derives from": "reads",
    "writes": "writes",
    "deletes from": "writes",
    "tests": "tests",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, and what is said of it."""

    title: str
    nodes: tuple[dict[str, Any], ...]
    edges: tuple[dict[str, Any], ...]
    left_out: int = 0
    columns: str = ""  # what the columns of the picture mean

    @property
    def data(self) -> dict[str, Any]:
        """The picture as the script reads it."""
        return {"nodes": self.nodes, "edges": self.edges, "left_out": self.left_out}


def neighbourhood(index: Index, of: str, links: Links, *, depth: int = 1, repository: str = "") -> Picture:
    """Return what is around a target; raises QueryError where nothing has the name."""
    drawing = index.graph(of, depth=depth, k=MOST_NODES, repository=repository)
    if drawing is None:
        raise QueryError(f"{of} is not in the index")
    locations = drawing.spots
    nodes = tuple(
        _node(spot, links, layer=layer, asked=number < drawing.asked, repository=drawing.repository)
        for number, (spot, layer) in enumerate(zip(locations, drawing.layers, strict=True))
    )
    edges = tuple(
        _edge(
            _id(locations[line.source]),
            _id(locations[line.target]),
            label=line.label,
            candidates=line.candidates,
            href=links.file(line.path, line.line, drawing.repository) if line.path else "",
        )
        for line in drawing.lines
    )
    title = ", ".join(spot.name for spot in locations[: drawing.asked])
    return Picture(title, nodes, edges, drawing.left_out, "what leads to it · itself · what it leads to")


def impact(index: Index, of: str, links: Links, *, depth: int = 3, repository: str = "") -> Picture:
    """Return what a change of a target affects, by distance; raises QueryError where nothing has the name."""
    found = index.impact(of, depth=depth, repository=repository)
    if found is None:
        raise QueryError(f"{of} is not in the index")
    nodes = {found.target.name: _node(found.target, links, layer=0, asked=True, repository=found.repository)}
    edges: list[dict[str, Any]] = []
    everything: Sequence[tuple[Affected, bool]] = [(one, False) for one in found.affected]
    everything = [*everything, *((one, True) for one in found.possibly)]
    for one, doubtful in everything[:MOST_AFFECTED]:
        nodes.setdefault(
            one.spot.name,
            _node(one.spot, links, layer=one.distance, asked=False, repository=found.repository),
        )
        before = nodes.get(one.way[-2]) if len(one.way) > 1 else None
        source = before["id"] if before else _id(found.target)
        href = links.file(one.path, one.line, found.repository) if one.path else ""
        edges.append(_edge(_id(one.spot), source, label=_verb(one.why), candidates=2 if doubtful else 0, href=href))
    left_out = max(len(everything) - MOST_AFFECTED, 0)
    known = {node["id"] for node in nodes.values()}
    kept = tuple(edge for edge in edges if edge["source"] in known and edge["target"] in known)
    return Picture(found.target.name, tuple(nodes.values()), kept, left_out, "the target · one step away · two · three")


def path(index: Index, source: str, target: str, links: Links) -> Picture:
    """Return the ways from one target to another; without nodes where there is none."""
    ways = index.path_between(source, target, k=WAYS)
    nodes: dict[str, dict[str, Any]] = {}
    edges: dict[tuple[str, str], dict[str, Any]] = {}
    for way in ways:
        before = way.start
        nodes.setdefault(_id(before), _node(before, links, layer=0, asked=True, repository=way.repository))
        for layer, step in enumerate(way.steps, 1):
            last = layer == len(way.steps)
            node = _node(step.spot, links, layer=layer, asked=last, repository=way.repository)
            nodes.setdefault(node["id"], node)
            href = links.file(step.path, step.line, way.repository) if step.path else ""
            ends = (_id(before), node["id"])
            edges.setdefault(ends, _edge(*ends, label=step.how, candidates=step.candidates, href=href))
            before = step.spot
    return Picture(f"{source} → {target}", tuple(nodes.values()), tuple(edges.values()), columns="step by step")


def _verb(why: str) -> str:
    """Return how something touches what is affected before it, without the name of that."""
    return next((verb for verb in VERBS.values() if why.startswith(f"{verb} ")), why)


def _id(location: Location) -> str:
    return _sendable(f"{location.kind}|{location.name}|{location.path}|{location.line}")


def _sendable(text: str) -> str:
    """Return text that JSON can hold: the name of a file need not be UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _node(location: Location, links: Links, *, layer: int, asked: bool, repository: str) -> dict[str, Any]:
    file = location.path.rpartition("/")[2]
    return {
        "id": _id(location),
        "label": visible(location.name),
        "kind": str(location.kind),
        "group": _group(location),
        "where": visible(f"{file}:{location.line}" if location.line else location.path),
        "href": links.place(location, repository),
        "repository": repository if links.several else "",
        "of": _sendable(f"{location.path}:{location.line}" if location.path and location.line else location.name),
        "layer": layer,
        "asked": asked,
    }


def _group(location: Location) -> str:
    """Return what a node is to the legend."""
    if "test" in location.labels:
        return "test"
    if location.kind in DATA:
        return "data"
    return "route" if location.kind is NodeKind.ROUTE else "type" if location.kind in TYPES else "code"


TYPES = frozenset({NodeKind.CLASS, NodeKind.INTERFACE, NodeKind.STRUCT, NodeKind.ENUM, NodeKind.TRAIT, NodeKind.TYPE})


def _edge(source: str, target: str, *, label: str, candidates: int, href: str) -> dict[str, Any]:
    sureness = "resolved" if candidates == 0 else "unique name" if candidates == 1 else "candidate"
    group = next((group for verb, group in EDGE_GROUPS.items() if label.startswith(verb)), "ties")
    return {"source": source, "target": target, "label": label, "group": group, "certainty": sureness, "href": href}
