"""Evidence and what tools found to the evidence of both, graded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TypeVar

from coderag.ask.agentic.records import Observation
from coderag.ask.correcting.grading import LIKELY, graded
from coderag.ask.records import Finding, Grade
from coderag.ask.turn import Evidence, Turn

__all__ = ["with_observations"]

T = TypeVar("T")


def with_observations(turn: Turn, part: Evidence, observations: Sequence[Observation]) -> Evidence:
    """Return evidence with what tools found: the first results keep every other place, and the better grade stays.

    A first result that a name led to once more moves up to where tools put it; the order of searches is left alone.
    """
    known, known_ids = {_key(finding) for finding in part.findings}, {hit.chunk.id for hit in part.hits}
    by_key = {
        _key(finding): finding
        for observation in observations
        for finding in observation.findings
        if not observation.hits or _key(finding) not in known
    }
    hits = [hit for observation in observations for hit in observation.hits if hit.chunk.id not in known_ids]
    by_id = {hit.chunk.id: hit for hit in hits}
    if not by_key and not by_id:
        return part
    first = [finding for finding in part.findings if _key(finding) not in by_key]
    best = max((finding.confidence for finding in part.findings if not finding.is_fact), default=1.0)
    # A surer finding of a tool would push the first results below the share of the best one that they need.
    findings = [replace(finding, confidence=min(finding.confidence, best)) for finding in by_key.values()]
    both = replace(
        part,
        findings=tuple(_in_turns(first, findings)),
        hits=tuple(_in_turns(part.hits, list(by_id.values()))),
    )
    return _graded(turn, both)


def _key(finding: Finding) -> tuple[str, str, str]:
    """Return what makes two findings one: a passage is its place, a fact is what it says of it."""
    return finding.source.repository, finding.source.place, finding.text if finding.is_fact else ""


def _in_turns(first: Sequence[T], second: Sequence[T]) -> list[T]:
    pairs = zip_longest(((one,) for one in first), ((one,) for one in second), fillvalue=())
    return [one for pair in pairs for group in pair for one in group]


def _graded(turn: Turn, part: Evidence) -> Evidence:
    """Return evidence that is correct where all of it carries an answer, else as it was graded before."""
    if part.grade is None or part.grade is Grade.CORRECT:
        return part
    again = graded(
        turn, replace(part, findings=(), held=frozenset())
    )  # facts of a name in it are no answer by themselves
    if again.likelihood < LIKELY:
        return part
    return replace(again, grade=Grade.CORRECT, findings=part.findings, held=part.held)
