"""Evidence and what tools found to the evidence of both, graded again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TypeVar

from coderag.ask.agentic.records import Observation
from coderag.ask.records import Finding, Grade
from coderag.ask.sufficiency import READ, coverage_of, grade_of, stems_of, word_weights
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words
from coderag.types import Hit

__all__ = ["with_observations"]

T = TypeVar("T")


def with_observations(turn: Turn, part: Evidence, observations: Sequence[Observation]) -> Evidence:
    """Return evidence with what tools found: the first results keep every other place, and the better grade stays."""
    findings = _new(part.findings, chain.from_iterable(one.findings for one in observations))
    known = {hit.chunk.id for hit in part.hits}
    hits = {hit.chunk.id: hit for one in observations for hit in one.hits if hit.chunk.id not in known}
    if not findings and not hits:
        return part
    best = max((finding.confidence for finding in part.findings if not finding.is_fact), default=1.0)
    # A surer finding of a tool would push the first results below the share of the best one that they need.
    capped = [replace(finding, confidence=min(finding.confidence, best)) for finding in findings]
    both = replace(
        part,
        findings=tuple(_in_turns(part.findings, capped)),
        hits=tuple(_in_turns(part.hits, list(hits.values()))),
    )
    return _graded(turn, both, list(hits.values()))


def _new(known: Sequence[Finding], found: Iterable[Finding]) -> list[Finding]:
    seen = {(one.source.repository, one.source.place, one.is_fact and one.text) for one in known}
    by_place = {(one.source.repository, one.source.place, one.is_fact and one.text): one for one in found}
    return [finding for key, finding in by_place.items() if key not in seen]


def _in_turns(first: Sequence[T], second: Sequence[T]) -> list[T]:
    pairs = zip_longest(((one,) for one in first), ((one,) for one in second), fillvalue=())
    return [one for pair in pairs for group in pair for one in group]


def _graded(turn: Turn, part: Evidence, found: Sequence[Hit]) -> Evidence:
    if part.grade is None or part.grade is Grade.CORRECT:
        return part
    frequencies = turn.frequencies(content_words(part.text))
    weights = word_weights(frequencies, len(turn.index))
    coverage = coverage_of(weights, frequencies, stems_of(part.hits[:READ]))
    confidence = max([part.confidence, *(hit.confidence for hit in found)])
    if grade_of(confidence, coverage) is not Grade.CORRECT:
        return part
    return replace(part, grade=Grade.CORRECT, confidence=confidence, uncovered=coverage.uncovered)
