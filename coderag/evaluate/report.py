"""Answers to figures: each way of searching, overall and by group, and how two differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.evaluate.calibration import Calibration, calibrate
from coderag.evaluate.judge import Judged
from coderag.evaluate.measure import Answer
from coderag.evaluate.metrics import main_measure, score
from coderag.evaluate.resampling import Comparison, Interval, compare, interval
from coderag.index.storage.arrays.arrays import Array

__all__ = ["ALL", "Compared", "Difference", "Evaluation", "Figures", "Group", "evaluate", "grouped"]

ALL = "all"
UNNAMED = "other"
Group = tuple[str, Sequence[int]]  # a name, and the questions in it by number


@dataclass(frozen=True, slots=True)
class Figures:
    """How good and how fast a way of searching is over a group of questions."""

    configuration: str
    group: str
    questions: int
    measures: Mapping[str, Interval]
    p50: float  # milliseconds
    p90: float
    confidence: Calibration | None  # of the first hits; None if nothing says how sure it is


@dataclass(frozen=True, slots=True)
class Difference:
    """A question on which two ways of searching differ."""

    question: str
    source: str
    wanted: str
    first: float
    second: float
    first_best: tuple[str, ...]
    second_best: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """How a way of searching differs from the first one over a group of questions."""

    first: str
    second: str
    group: str
    measures: Mapping[str, Comparison]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that was found out."""

    k: int
    figures: tuple[Figures, ...]
    compared: tuple[Compared, ...]
    differences: Mapping[str, tuple[Difference, ...]]  # by the second's name: worst loss first, best gain last


def grouped(judged: Sequence[Judged], name_of: Callable[[Judged], str] | None) -> list[Group]:
    """Return the questions in groups by a name of theirs, in order of it; all of them first."""
    groups: dict[str, list[int]] = {}
    if name_of is not None:
        for number, one in enumerate(judged):
            groups.setdefault(name_of(one) or UNNAMED, []).append(number)
    return [(ALL, range(len(judged))), *sorted(groups.items())]


def evaluate(
    judged: Sequence[Judged], answers: Mapping[str, Sequence[Answer]], *, k: int, groups: Sequence[Group], seed: int
) -> Evaluation:
    """Return the figures of each way of searching, and of each but the first how it differs from that."""
    counts = [len(one.targets) for one in judged]
    scores = {name: score([answer.found for answer in given], counts, k=k) for name, given in answers.items()}
    first, *others = answers
    figures = tuple(_figures(name, group, scores[name], answers[name], seed) for group in groups for name in answers)
    compared = tuple(
        Compared(
            first,
            other,
            name,
            {
                measure: compare(values[numbers], scores[other][measure][numbers], seed=seed)
                for measure, values in scores[first].items()
            },
        )
        for name, chosen in groups
        if len(numbers := np.array(chosen, dtype=np.int64))
        for other in others
    )
    main = main_measure(k)
    differences = {
        other: _differences(judged, (answers[first], answers[other]), (scores[first][main], scores[other][main]))
        for other in others
    }
    return Evaluation(k, figures, compared, differences)


def _figures(name: str, group: Group, scores: Mapping[str, Array], answers: Sequence[Answer], seed: int) -> Figures:
    numbers = np.array(group[1], dtype=np.int64)
    times = np.array([answers[number].milliseconds for number in numbers.tolist()] or [0.0])
    p50, p90 = np.percentile(times, (50, 90)).tolist()
    known = {measure: interval(values[numbers], seed=seed) for measure, values in scores.items()}
    confidence = _calibration([answers[number] for number in numbers.tolist()])
    return Figures(name, group[0], len(numbers), known, p50, p90, confidence)


def _calibration(answers: Sequence[Answer]) -> Calibration | None:
    sure = [(answer.confidence, answer.found[0] >= 0) for answer in answers if answer.confidence is not None]
    if not sure:
        return None
    confidences, right = zip(*sure, strict=True)
    return calibrate(np.array(confidences, dtype=np.float64), np.array(right, dtype=bool))


def _differences(
    judged: Sequence[Judged], answers: tuple[Sequence[Answer], Sequence[Answer]], scores: tuple[Array, Array]
) -> tuple[Difference, ...]:
    order = np.argsort(scores[1] - scores[0], kind="stable").tolist()
    return tuple(
        Difference(
            question=judged[number].question.text,
            source=judged[number].question.source,
            wanted=", ".join(str(places[0]) for places in judged[number].question.wanted),
            first=float(scores[0][number]),
            second=float(scores[1][number]),
            first_best=answers[0][number].best,
            second_best=answers[1][number].best,
        )
        for number in order
        if scores[0][number] != scores[1][number]
    )
