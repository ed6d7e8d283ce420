"""Compound questions to the share of both parts' targets in the context, with and without the stage that cuts them.

Each is composed of two judged questions about one repository, joined in one of several ways.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from coderag.ask.pipelines import DEFAULT, PIPELINES, STAGES
from coderag.ask.source import Source
from coderag.ask.turn import Turn
from coderag.evaluate.judge import Judged, Target
from coderag.types import Span
from scripts.stages.measuring import Scored, half_of
from scripts.stages.questions import Repository

__all__ = ["JOINS", "Pair", "compound_scores", "pairs", "single_scores"]

JOINS = {
    "and": "{}, and {}",
    "and also": "{} and also {}",
    "as well as": "{} as well as {}",
    "semicolon": "{}; {}",
    "question marks": "{}? {}?",
    "sentences": "I want to know {}. Also, {}",
}
PAIRS = 12  # of each repository: two of each join
SEED = 20
WITH = PIPELINES[DEFAULT]
WITHOUT = tuple(stage for stage in WITH if stage != "decompose")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two questions as one."""

    text: str
    join: str
    parts: tuple[Judged, Judged]


def pairs(judged: Sequence[Judged], *, name: str) -> Iterator[Pair]:
    """Yield questions of several words two by two, always the same for a name."""
    several = [one for one in judged if len(one.question.text.split()) > 1]
    drawn = random.Random(f"{SEED} {name}")
    for number in range(PAIRS if len(several) > 1 else 0):
        first, second = drawn.sample(several, 2)
        join = list(JOINS)[number % len(JOINS)]
        texts = [one.question.text.rstrip(" ?.") for one in (first, second)]
        yield Pair(JOINS[join].format(*texts), join, (first, second))


def compound_scores(repositories: Iterable[Repository]) -> tuple[Scored, list[str]]:
    """Return the mean share of the parts' targets under both pipelines, and how each question is joined."""
    found: list[tuple[str, str, float, float, bool]] = []
    for repository in repositories:
        for pair in pairs(repository.judged, name=repository.name):
            targets = [part.targets for part in pair.parts]
            found.append((half_of(repository.name), pair.join, *_compared(repository, pair.text, targets)))
    return _scored([one[0] for one in found], [one[2:] for one in found]), [one[1] for one in found]


def single_scores(repositories: Iterable[Repository]) -> Scored:
    """Return the share of the targets of each question that asks one thing, under both pipelines."""
    found = [
        (half_of(repository.name), *_compared(repository, one.question.text, [one.targets]))
        for repository in repositories
        for one in repository.judged
    ]
    return _scored([one[0] for one in found], [one[1:] for one in found])


def _scored(halves: Sequence[str], found: Sequence[tuple[float, float, bool]]) -> Scored:
    without, with_it, acted = zip(*found, strict=True) if found else ((), (), ())
    scores = {"without": np.array(without), "decompose": np.array(with_it)}
    return Scored(tuple(halves), scores, {"decompose": np.array(acted, dtype=bool)})


def _compared(repository: Repository, text: str, parts: Sequence[Sequence[Target]]) -> tuple[float, float, bool]:
    """Return the scores without and with the stage, and whether it cut the question."""
    begun = repository.turn(text)
    if len(STAGES["decompose"](begun).parts) == 1:
        same = _share(_sources(begun, WITHOUT), parts)
        return same, same, False
    return _share(_sources(begun, WITHOUT), parts), _share(_sources(begun, WITH), parts), True


def _sources(turn: Turn, stages: Sequence[str]) -> tuple[Source, ...]:
    for stage in stages:
        turn = STAGES[stage](turn)
    return turn.answer.sources if turn.answer else ()


def _share(sources: Sequence[Source], parts: Sequence[Sequence[Target]]) -> float:
    """Return the mean over the parts of the share of their targets that some sources hold."""
    held = [(source.path, (Span(source.start_line, source.end_line),)) for source in sources]
    shares = [[any(target.holds(*place) for place in held) for target in targets] for targets in parts]
    return float(np.mean([np.mean(share) for share in shares]))
