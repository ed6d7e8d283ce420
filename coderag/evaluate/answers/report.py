"""Answers with their scores to figures: overall and by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.evaluate.answers.records import Answered, Measure, Usage
from coderag.evaluate.report import Group
from coderag.evaluate.resampling import Interval, interval

__all__ = ["JUDGED", "AnswerFigures", "Measured", "answer_figures"]

JUDGED = (Measure.JUDGED_FAITHFULNESS, Measure.JUDGED_RELEVANCY)  # opinions, which are shown apart


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure's mean over the questions that it applies to."""

    questions: int
    value: Interval


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """How good the answers to a group of questions are, and what they cost."""

    group: str
    questions: int
    unanswerable: int
    abstained: int
    failed: int  # the language model gave no answer
    measures: Mapping[str, Measured]
    opinions: Mapping[str, Measured]  # of the judge
    p50: float  # milliseconds
    p90: float
    usage: Usage  # of a model, all questions together


def answer_figures(answered: Sequence[Answered], groups: Sequence[Group], *, seed: int) -> list[AnswerFigures]:
    """Return the figures of each group; a measure that applies to no question of it is missing."""
    return [_figures(name, [answered[number] for number in numbers], seed) for name, numbers in groups]


def _figures(name: str, answered: Sequence[Answered], seed: int) -> AnswerFigures:
    p50, p90 = np.percentile([one.milliseconds for one in answered] or [0.0], (50, 90)).tolist()
    measures = {measure: known for measure in Measure if (known := _measured(measure, answered, seed)) is not None}
    return AnswerFigures(
        group=name,
        questions=len(answered),
        unanswerable=sum(not one.judged.question.is_answerable for one in answered),
        abstained=sum(not one.answer.is_found for one in answered),
        failed=sum(bool(one.failure) for one in answered),
        measures={str(measure): known for measure, known in measures.items() if measure not in JUDGED},
        opinions={str(measure): known for measure, known in measures.items() if measure in JUDGED},
        p50=p50,
        p90=p90,
        usage=Usage(
            sum(one.usage.calls for one in answered),
            sum(one.usage.prompt_tokens for one in answered),
            sum(one.usage.reply_tokens for one in answered),
        ),
    )


def _measured(measure: Measure, answered: Sequence[Answered], seed: int) -> Measured | None:
    values = [one.scores[measure] for one in answered if measure in one.scores]
    return Measured(len(values), interval(np.array(values, dtype=np.float64), seed=seed)) if values else None
