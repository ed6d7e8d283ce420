"""The stage that grades the evidence of each part, and searches more widely where it is ambiguous (CRAG).

Evidence that is likely enough answers, evidence that is not is "not found". In between a language model, where one may
be asked, grades the passages of all parts at once; what is then still less likely than not is looked for elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from coderag.ask.correcting.by_model import graded_by_model
from coderag.ask.correcting.grading import LIKELY, LIKELY_BESIDE, figures, graded
from coderag.ask.correcting.widening import elsewhere, widened
from coderag.ask.records import Grade
from coderag.ask.turn import Evidence, Turn

__all__ = ["correct"]


def correct(turn: Turn) -> Turn:
    """Grade the evidence of each part, and say of each whether it carries an answer."""
    by_model = graded_by_model(turn, [graded(turn, part) for part in turn.parts])
    steps = list(by_model.said)
    is_one_sure = any(part.grade is Grade.CORRECT for part in by_model.parts)
    least = LIKELY_BESIDE if is_one_sure else LIKELY
    settled = [_settled(turn, part, steps, least=least) for part in by_model.parts]
    return turn.after("correct", *steps, evidence=settled)


def _settled(turn: Turn, part: Evidence, steps: list[str], *, least: float) -> Evidence:
    """Return evidence that is correct from some likelihood on, or incorrect; what was done is added to `steps`."""
    found = part
    is_refused = part.is_judged and not part.hits  # a wider search begins with the passages that a model refused
    if part.grade is Grade.AMBIGUOUS and part.likelihood < least and not is_refused:
        steps.append(f"{part.text}: ambiguous ({figures(part)}); a wider search follows")
        found, said = widened(turn, part)
        steps.extend(f"{part.text}: {one}" for one in said)
    if found.grade is Grade.AMBIGUOUS:
        found = replace(found, grade=Grade.CORRECT if found.likelihood >= least else Grade.INCORRECT)
    where = f", found in {found.found_in}" if found.found_in else ""
    steps.append(f"{part.text}: {found.grade}{where} ({figures(found)})")
    if found.grade is Grade.INCORRECT and (place := elsewhere(turn, found)):
        steps.append(f"{part.text}: outside the paths that were asked for, {place} would answer")
        return replace(found, elsewhere=place)
    return found
