"""Edges of the graph, and the definition that they are of, to findings that cite the lines which say so."""

from __future__ import annotations

from coderag.ask.findings.places import Places
from coderag.ask.records import Finding, Route
from coderag.graph.queries.locations import Location, certainty_share
from coderag.graph.queries.neighbours import Neighbour
from coderag.graph.queries.outgoing import Outgoing
from coderag.graph.queries.refs import Reference

__all__ = ["definition_finding", "doubt_of", "edge_finding"]


def edge_finding(
    text: str, edge: Neighbour | Outgoing | Reference, *, name: str, target: str, repository: str, places: Places
) -> Finding | None:
    """Return what an edge says, cited by its lines in the definition `name`; None if no text of them is indexed."""
    source = places.showing(target, repository, edge.path, line=max(edge.line, 1), name=name)
    return Finding(text, source, Route.GRAPH, certainty_share(edge.candidates), is_fact=True) if source else None


def doubt_of(edge: Neighbour | Outgoing | Reference) -> str:
    """Return what is said behind an edge that may lead to one of several, "" for one that is certain."""
    return " (one of several that it may mean)" if edge.candidates else ""


def definition_finding(
    thing: Location, *, repository: str, places: Places, more: str = "", is_fact: bool = True
) -> Finding | None:
    """Return where a thing is defined, with more to say of it; None if no text of it is indexed."""
    source = places.source(repository, thing.path, max(thing.line, 1), name=thing.name)
    text = f"{thing.kind} {thing.name} is defined here{more}"
    return Finding(text, source, Route.GRAPH, 1.0, is_fact=is_fact) if source else None
