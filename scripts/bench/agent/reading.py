"""What an agent reads, excerpt by excerpt, to the tokens after which it holds the code that it needs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scripts.bench.agent.questions import Question, Repository, Suite, Target

__all__ = ["Excerpt", "tokens_until_held"]

FEW_LINES = 3  # of a file: a lone head of a class says where code is, and is none


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file that were read."""

    path: str  # relative to the root that is searched
    lines: range
    tokens: int  # all that was read up to its end


def tokens_until_held(reading: Iterable[Excerpt], question: Question, repository: Repository) -> int | None:
    """Return the tokens up to the end of the excerpt that completes a target; None when none is held in the end.

    A target that is a file is held when a few lines of it were read; one that is lines, when the suite's share of them
    was.
    """
    read: list[set[int]] = [set() for _ in question.targets]
    least = [_least_lines(target, repository.suite) for target in question.targets]
    for excerpt in reading:
        for number, target in enumerate(question.targets):
            if not target.is_in(repository.prefix + excerpt.path):
                continue
            read[number].update(line for line in excerpt.lines if not target.lines or line in target.lines)
            if len(read[number]) >= least[number]:
                return excerpt.tokens
    return None


def _least_lines(target: Target, suite: Suite) -> int:
    return max(1, math.ceil(suite.share * len(target.lines))) if target.lines else FEW_LINES
