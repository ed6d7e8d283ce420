"""Ambiguous evidence to what a language model leaves of it: all parts of a question in one call.

A model may leave out passages and lines, and say that what is left answers; no word that it writes becomes evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coderag.ask.correcting.refinement import refined
from coderag.ask.findings.passages import source_of
from coderag.ask.models.grading import GradingRequest, PassageGrade, Relevance, passage_grades
from coderag.ask.records import Finding, Grade
from coderag.ask.source import Source
from coderag.ask.turn import Evidence, Turn
from coderag.errors import LanguageModelError
from coderag.record import record

__all__ = ["Graded", "graded_by_model"]

NEEDED = (Relevance.RELEVANT, Relevance.PARTLY)


@record
class Graded:
    """The parts of a question after a model graded the ambiguous ones, and what to say of it."""

    parts: tuple[Evidence, ...]
    said: tuple[str, ...] = ()


def graded_by_model(turn: Turn, parts: Sequence[Evidence]) -> Graded:
    """Return the parts as a model grades their passages; as they were where none may be asked, or it fails."""
    asked = [number for number, part in enumerate(parts) if part.grade is Grade.AMBIGUOUS and _passages(turn, part)]
    if turn.model is None or not asked:
        return Graded(tuple(parts))
    batch = [
        GradingRequest(parts[number].text, tuple(passage.source for passage in _passages(turn, parts[number])))
        for number in asked
    ]
    try:
        grades = passage_grades(batch, turn.model)
    except LanguageModelError as error:
        return Graded(tuple(parts), (f"graded by rules, as {turn.model.name} failed: {error}",))
    found, said = list(parts), []
    for number, of_part in zip(asked, grades, strict=True):
        found[number] = _left(turn, parts[number], of_part)
        said.append(f"{parts[number].text}: by {turn.model.name}: {_counts(of_part)}")
    return Graded(tuple(found), tuple(said))


def _passages(turn: Turn, part: Evidence) -> list[Finding]:
    return [finding for finding in part.findings if not finding.is_fact][: turn.options.k]


def _left(turn: Turn, part: Evidence, grades: Sequence[PassageGrade | None]) -> Evidence:
    """Return a part with the passages that are needed, the relevant ones first, and the facts of the graph.

    It is incorrect where none of either is left.
    """
    passages = _passages(turn, part)
    pairs = list(zip(passages, grades, strict=True))
    judged = [(finding, grade) for finding, grade in pairs if grade is not None]
    if not judged:
        return part
    refined_passages = [
        refined(one, grade.lines) for need in NEEDED for one, grade in judged if grade.relevance is need
    ]
    ungraded = [finding for finding, grade in pairs if grade is None]
    beside = [finding for finding in part.findings if finding not in passages]
    if not refined_passages and not ungraded:
        if facts := tuple(finding for finding in beside if finding.is_fact):
            return replace(part, findings=facts, hits=(), is_judged=True)
        return replace(part, findings=(), sql="", sql_origin="", grade=Grade.INCORRECT)
    refused = {_place(one.source) for one, grade in judged if grade.relevance is Relevance.IRRELEVANT}
    answers = any(grade.relevance is Relevance.RELEVANT for _, grade in judged)
    return replace(
        part,
        findings=(*refined_passages, *ungraded, *beside),
        hits=tuple(hit for hit in part.hits if _place(source_of(hit.chunk)) not in refused),
        grade=Grade.CORRECT if answers else part.grade,
        is_judged=True,
    )


def _place(source: Source) -> tuple[str, str]:
    return source.repository, source.place


def _counts(grades: Sequence[PassageGrade | None]) -> str:
    counts = {one: sum(grade is not None and grade.relevance is one for grade in grades) for one in Relevance}
    return ", ".join(f"{count} {relevance}" for relevance, count in counts.items())
