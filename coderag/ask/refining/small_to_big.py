"""Members that were found to the class that holds them, as far as the budget has room (small to big)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from coderag.ask.composing import chosen
from coderag.ask.findings.places import Places
from coderag.ask.records import Finding, Route
from coderag.ask.source import Source
from coderag.ask.turn import Turn
from coderag.text.budget import tokens_of
from coderag.types import Chunk

__all__ = ["small_to_big"]

MAX_LINES = 120  # of a class that is given whole


def small_to_big(turn: Turn) -> Turn:
    """Give the class around a found member in place of the member, while the budget has room for all that was found."""
    shown = [finding for part in turn.parts for finding in chosen(part, turn.options.k)]
    left = turn.options.budget - sum(tokens_of(source.text) for finding in shown for source in finding.sources)
    cited = {id(finding) for finding in shown}
    evidence, steps = [], []
    for part in turn.parts:
        findings: list[Finding] = []
        wider: dict[str, Source] = {}  # by place: two members of a class cost once
        for finding in part.findings:
            source = _around(turn.places, finding) if id(finding) in cited else None
            extra = tokens_of(source.text) - tokens_of(finding.source.text) if source else 0
            if source is None or (source.place not in wider and extra > left):
                findings.append(finding)
                continue
            left -= 0 if source.place in wider else extra
            wider[source.place] = source
            findings.append(replace(finding, source=source))
        evidence.append(replace(part, findings=tuple(_same(finding, wider) for finding in findings)))
        steps.append(f"{part.text}: {', '.join(wider) or 'nothing wider fits, or nothing is a member'}")
    return turn.after("small_to_big", *steps, evidence=evidence)


def _same(finding: Finding, wider: Mapping[str, Source]) -> Finding:
    """Return a finding about a class with all of its text, as its frame is a source of the same place."""
    source = wider.get(finding.source.place)
    if source is None or finding.is_fact or finding.source.repository != source.repository:
        return finding
    return replace(finding, source=replace(source, name=finding.source.name))


def _around(places: Places, finding: Finding) -> Source | None:
    """Return the short class around a member as a source with the member's name, None if there is none."""
    source = finding.source
    if finding.is_fact or finding.route is not Route.CODE:
        return None
    chunks = places.chunks(source.repository, source.path)
    member = next((chunk for chunk in chunks if _is_of(chunk, source)), None)
    if member is None or not member.parent:
        return None
    parent = next((chunk for chunk in chunks if chunk.qualified_name == member.parent), None)
    if parent is None or len(parent.span) > MAX_LINES or source.start_line not in parent.span:
        return None
    span = parent.span
    wider = places.source(source.repository, source.path, span.start_line, end=span.end_line, name=source.name)
    # A chunk may hold lines that another one of the same file has cut; nothing that was found is lost.
    return wider if wider and source.text.rstrip("\n") in wider.text else None


def _is_of(chunk: Chunk, source: Source) -> bool:
    return chunk.qualified_name == source.name and chunk.span.start_line == source.start_line
