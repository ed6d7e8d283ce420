"""What an agent reads, excerpt by excerpt, to the tokens after which it holds the code that it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scripts.bench.agent.questions import Question, Repository

__all__ = ["Excerpt", "tokens_until_held"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file that were read."""

    path: str  # relative to the root that is searched
    lines: range
    tokens: int  # all that was read up to its end


def tokens_until_held(reading: Iterable[Excerpt], question: Question, repository: Repository) -> int | None:
    """Return the tokens up to the end of the excerpt that completes a target; None when none is held in the end.

    A target that is a file is held with the first excerpt of that file; one that is lines, when the suite's share of
    them was read.
    """
    missing = [set(target.lines) for target in question.targets]
    least = [int(len(target.lines) * (1 - repository.suite.share)) for target in question.targets]
    for excerpt in reading:
        for number, target in enumerate(question.targets):
            if not target.is_in(repository.prefix + excerpt.path):
                continue
            missing[number] -= set(excerpt.lines)
            is_touched = len(missing[number]) < len(target.lines)
            if not target.lines or (is_touched and len(missing[number]) <= least[number]):
                return excerpt.tokens
    return None
