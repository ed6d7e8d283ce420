"""A question about one definition or table to the edges of the graph around it, each with the line that says so.

what does CouponBook.redeemable do?     its callers, what it calls, the tables it reads and writes, its class, its tests
tell me about the table login_sessions  what reads, writes and maps it, its foreign keys
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coderag.ask.findings.facts import definition_finding, doubt_of, edge_finding
from coderag.ask.findings.places import Places
from coderag.ask.findings.things import CODE_KINDS, LONGEST, PLAIN, thing_pattern
from coderag.ask.records import Finding
from coderag.ask.source import Source
from coderag.graph.queries.locations import DATA_KINDS, VERBS, Location
from coderag.graph.queries.neighbours import Neighbour
from coderag.graph.records import EdgeKind

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["neighbourhood_findings", "subject_of"]

KINDS = f"{CODE_KINDS}|table|view"
SUBJECT = re.compile(
    rf"""(?:please\ )?(?:
        what\ (?:does|is|are|do)\ {thing_pattern("asked", kinds=KINDS)}(?:\ (?:do|for|about|used\ for))?
      | (?:tell\ me\ about|explain|describe|show\ me|walk\ me\ through)\ {thing_pattern("told", kinds=KINDS)}
      | how\ does\ {thing_pattern("works", kinds=KINDS)}\ work
    )[\ ?.!]*""",
    re.IGNORECASE | re.VERBOSE,
)


def subject_of(question: str) -> str:
    """Return the name that a question is about and about nothing else, "" if there is none such."""
    match = SUBJECT.fullmatch(" ".join(question.split())) if len(question) <= LONGEST else None
    return next((name for name in match.groups() if name), "") if match else ""


def neighbourhood_findings(
    index: Index, question: str, places: Places, *, found: Sequence[Finding] = ()
) -> list[Finding]:
    """Return what the one thing that a question is about is, and the edges around it; [] if it is about none.

    Of what was found already, passages of the thing and its members stay.
    """
    name = subject_of(question)
    if not name:
        return []
    around = index.neighbours(name)
    thing = next(iter(around.chosen), None)
    # A plain word may be no name: it must be that of a table.
    if thing is None or (PLAIN.fullmatch(name) and thing.kind not in DATA_KINDS):
        return []
    facts = [fact for edge in around.edges if (fact := _fact(edge, around.repository, places))]
    own = [one for one in found if _is_of(one.source, thing) and not one.is_fact]
    if own or not facts:
        return [*own, *facts]
    here = definition_finding(thing, repository=around.repository, places=places, is_fact=False)
    return [here, *facts] if here else facts


def _fact(edge: Neighbour, repository: str, places: Places) -> Finding | None:
    text = f"{_said(edge)}{doubt_of(edge)}"
    source, target = edge.source.name, edge.target.name
    return edge_finding(text, edge, name=source, target=target, repository=repository, places=places)


def _is_of(source: Source, thing: Location) -> bool:
    """Tell whether a passage is of a thing: its definition, or that of a member."""
    if source.path != thing.path:
        return False
    return source.start_line <= thing.line <= source.end_line or thing.line <= source.start_line <= thing.end_line


def _said(edge: Neighbour) -> str:
    if edge.verb == VERBS[EdgeKind.CONTAINS]:
        return f"{edge.target.name} is part of the {edge.source.kind} {edge.source.name}"
    return f"{edge.source.name} {edge.verb} {edge.target.name}"
