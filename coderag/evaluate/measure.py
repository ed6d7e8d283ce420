"""Judged questions to what each way of searching finds, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from coderag.api.index import Index
from coderag.evaluate.configuration import Configuration, TableQuestion, searcher, table_searcher
from coderag.evaluate.judge import Judged, marks, table_marks
from coderag.evaluate.question import JudgedQuestion
from coderag.sql.records import Name
from coderag.types import Hit, Query

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
    The configurations take turns, so that what else the machine does falls on all of them.
    """
    ways = [_Way(index, configuration, conditions, paths) for configuration in configurations]
    for one in judged[:WARM_UP]:
        for way in ways:
            way.answer(one)
    answers: dict[str, list[Answer]] = {configuration.name: [] for configuration in configurations}
    for number, one in enumerate(judged):
        turn = number % len(ways)
        for way in (*ways[turn:], *ways[:turn]):
            answers[way.name].append(way.answer(one))
    return answers


class _Way:
    """A configuration that answers; what it searches with is opened on first use."""

    def __init__(
        self,
        index: Index,
        configuration: Configuration,
        conditions: Query,
        paths: Callable[[JudgedQuestion], Sequence[str]],
    ) -> None:
        self.name = configuration.name
        self._index = index
        self._configuration = configuration
        self._conditions = conditions
        self._paths = paths
        self._code: Callable[[Query], list[Hit]] | None = None
        self._tables: Callable[[TableQuestion], list[Name]] | None = None

    def answer(self, one: Judged) -> Answer:
        """Ask a question and mark what it finds."""
        question = one.question
        if question.is_schema:
            self._tables = self._tables or table_searcher(self._index, self._configuration)
            request = TableQuestion(question.text, self._conditions.k, question.evidence, question.database)
            names, milliseconds = _timed(self._tables, request)
            return Answer(tuple(table_marks(names, one.targets)), tuple(map(str, names[:3])), milliseconds)
        self._code = self._code or searcher(self._index, self._configuration)
        inside = (*self._conditions.paths, *self._paths(question))
        hits, milliseconds = _timed(self._code, replace(self._conditions, text=question.text, paths=inside))
        return Answer(tuple(marks(hits, one.targets)), tuple(map(_place, hits[:3])), milliseconds)


R = TypeVar("R")


def _timed(answer: Callable[[T], R], question: T) -> tuple[R, float]:
    started = time.perf_counter()
    found = answer(question)
    return found, (time.perf_counter() - started) * MILLI


def _place(hit: Hit) -> str:
    return f"{hit.chunk.path}:{hit.chunk.span.start_line} {hit.chunk.qualified_name}"
