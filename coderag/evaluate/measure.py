"""Judged questions to what each way of searching finds, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeVar

from coderag.api.index import Index
from coderag.evaluate.baselines.found import Search
from coderag.evaluate.configuration import Configuration, TableQuestion, searcher, table_searcher
from coderag.evaluate.judge import Judged, marks, table_marks
from coderag.evaluate.question import JudgedQuestion
from coderag.sql.records import Name
from coderag.types import Query

__all__ = ["Answer", "ask"]

WARM_UP = 5  # questions that are asked before the clock counts
MILLI = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a way of searching found for a question."""

    found: tuple[int, ...]  # the target that each rank holds, -1 for none
    best: tuple[str, ...]  # the first few places, for people
    milliseconds: float
    confidence: float | None = None  # of the first hit; None without one, and where nothing says how sure it is


def ask(
    index: Index,
    judged: Sequence[Judged],
    configurations: Sequence[Configuration],
    *,
    conditions: Query,
    paths: Callable[[JudgedQuestion], Sequence[str]] = lambda _: (),
) -> dict[str, list[Answer]]:
    """Return the answers of each configuration by its name, in the order of the questions.

    `conditions` says how many hits each question gets and where they may be, `paths` where else they must be.
    The configurations take turns, so that what else the machine does falls on all of them. Raises EvaluationError for
    one that cannot answer.
    """
    with ExitStack() as opened:
        systems = [
            _OpenedConfiguration(index, configuration, conditions, paths, opened) for configuration in configurations
        ]
        for one in judged[:WARM_UP]:
            for system in systems:
                system.answer(one)
        answers: dict[str, list[Answer]] = {configuration.name: [] for configuration in configurations}
        for number, one in enumerate(judged):
            turn = number % len(systems)
            for system in (*systems[turn:], *systems[:turn]):
                answers[system.name].append(system.answer(one))
    return answers


class _OpenedConfiguration:
    """A configuration that answers; what it searches with is opened on first use."""

    def __init__(
        self,
        index: Index,
        configuration: Configuration,
        conditions: Query,
        paths: Callable[[JudgedQuestion], Sequence[str]],
        opened: ExitStack,
    ) -> None:
        self.name = configuration.name
        self._index = index
        self._configuration = configuration
        self._conditions = conditions
        self._paths = paths
        self._opened = opened  # ends what was opened
        self._code: Search | None = None
        self._tables: Callable[[TableQuestion], list[Name]] | None = None

    def answer(self, one: Judged) -> Answer:
        """Ask a question and mark what it finds."""
        question = one.question
        if question.is_schema:
            self._tables = self._tables or table_searcher(self._index, self._configuration)
            request = TableQuestion(question.text, self._conditions.k, question.evidence, question.database)
            names, milliseconds = _timed(self._tables, request)
            return Answer(tuple(table_marks(names, one.targets)), tuple(map(str, names[:3])), milliseconds)
        self._code = self._code or self._opened.enter_context(searcher(self._index, self._configuration))
        inside = (*self._conditions.paths, *self._paths(question))
        hits, milliseconds = _timed(self._code, replace(self._conditions, text=question.text, paths=inside))
        marked = marks([hit.places for hit in hits], one.targets)
        confidence = hits[0].confidence if hits else None
        return Answer(tuple(marked), tuple(hit.label for hit in hits[:3]), milliseconds, confidence)


R = TypeVar("R")


def _timed(answer: Callable[[T], R], question: T) -> tuple[R, float]:
    started = time.perf_counter()
    found = answer(question)
    return found, (time.perf_counter() - started) * MILLI
