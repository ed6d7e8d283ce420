"""Questions to scores with and without a stage, question by question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coderag.api.index import Index
from coderag.ask.pipelines import STAGES
from coderag.ask.records import Answer
from coderag.ask.searching import fused_hits
from coderag.ask.source import Source
from coderag.ask.turn import Options, Turn
from coderag.evaluate.baselines.found import found_hit
from coderag.evaluate.judge import Target, marks
from coderag.evaluate.metrics import main_measure, score
from coderag.index.storage.arrays.arrays import Array
from coderag.types import Span
from scripts.stages.questions import Repository

__all__ = ["DEPTH", "Scored", "after", "answer_scores", "context_scores", "half_of", "joined", "rank_scores", "shown"]

DEPTH = 10  # hits that are judged


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of all questions under several pipelines, and on which of them a pipeline did something."""

    halves: tuple[str, ...]  # of each question
    scores: Mapping[str, Array]  # by pipeline, f64[questions]
    acted: Mapping[str, Array]  # bool[questions]


def joined(scored: Sequence[Scored]) -> Scored:
    """Return the scores of several sets of questions as those of one."""
    names = scored[0].scores if scored else ()
    return Scored(
        tuple(half for one in scored for half in one.halves),
        {name: np.concatenate([one.scores[name] for one in scored]) for name in names},
        {name: np.concatenate([one.acted[name] for one in scored]) for name in names},
    )


def half_of(name: str) -> str:
    """Return the half that a repository belongs to: weights are chosen on one, reported on the other."""
    return "tuning" if sum(map(ord, name)) % 2 else "measuring"


def rank_scores(repositories: Iterable[Repository], pipelines: Mapping[str, Sequence[str]]) -> Scored:
    """Return nDCG@10 of the hits that each pipeline fuses; the names of a pipeline are stages before `retrieve`."""
    found: dict[str, list[list[int]]] = {name: [] for name in pipelines}
    acted: dict[str, list[bool]] = {name: [] for name in pipelines}
    targets: list[int] = []
    halves: list[str] = []
    for repository in repositories:
        for one in repository.judged:
            halves.append(half_of(repository.name))
            targets.append(len(one.targets))
            begun = repository.turn(one.question.text)  # what was searched is shared by all pipelines
            for name, stages in pipelines.items():
                turn = after(begun, stages)
                (part,) = turn.parts
                hits = fused_hits(turn, part, k=DEPTH)
                found[name].append(marks([found_hit(hit).places for hit in hits], one.targets))
                acted[name].append(bool(part.variants))
    measure = main_measure(DEPTH)
    scores = {name: score(ranks, targets, k=DEPTH)[measure] for name, ranks in found.items()}
    flags = {name: np.array(values, dtype=bool) for name, values in acted.items()}
    return Scored(tuple(halves), scores, flags)


def context_scores(
    repositories: Iterable[Repository], pipelines: Mapping[str, Sequence[str]], budgets: Sequence[int]
) -> dict[tuple[str, int], Scored]:
    """Return, by measure and budget, the shares of targets and of their lines that each pipeline's sources hold."""
    halves: list[str] = []
    places: dict[int, dict[str, list[float]]] = {budget: {name: [] for name in pipelines} for budget in budgets}
    lines: dict[int, dict[str, list[float]]] = {budget: {name: [] for name in pipelines} for budget in budgets}
    acted: dict[int, dict[str, list[bool]]] = {budget: {name: [] for name in pipelines} for budget in budgets}
    for repository in repositories:
        for one in repository.judged:
            halves.append(half_of(repository.name))
            asked = repository.turn(one.question.text)  # what was searched is shared by all budgets
            wanted = {place for target in one.targets for place in _lines(repository, target)}
            for budget in budgets:
                begun = replace(asked, options=Options(budget=budget))
                first: Answer | None = None
                for name, stages in pipelines.items():
                    answer = after(begun, stages).answer
                    first = first or answer
                    sources = (*answer.sources, *answer.further) if answer else ()
                    acted[budget][name].append(bool(answer and first and shown(answer) != shown(first)))
                    held = [(source.path, (Span(source.start_line, source.end_line),)) for source in sources]
                    found = [any(target.holds(*place) for place in held) for target in one.targets]
                    places[budget][name].append(float(np.mean(found)))
                    lines[budget][name].append(_line_recall(wanted, sources))
    measured = {"targets": places, "lines of targets": lines}
    return {
        (measure, budget): Scored(
            tuple(halves),
            {name: np.array(values) for name, values in found.items()},
            {name: np.array(values, dtype=bool) for name, values in acted[budget].items()},
        )
        for measure, by_budget in measured.items()
        for budget, found in by_budget.items()
    }


def answer_scores(
    indexes: Mapping[str, Index], asked: Sequence[Mapping[str, str | None]], pipelines: Mapping[str, Sequence[str]]
) -> Scored:
    """Return whether each pipeline answers a question from the right file, or refuses one without an answer."""
    asked = [one for one in asked if one["root"] in indexes]
    answers = {
        name: [indexes[str(one["root"])].ask(str(one["question"]), pipeline=stages) for one in asked]
        for name, stages in pipelines.items()
    }
    right = {
        name: np.array([float(_is_right(answer, one["path"])) for answer, one in zip(found, asked, strict=True)])
        for name, found in answers.items()
    }
    first = answers[next(iter(pipelines))]
    changed = {
        name: np.array([shown(one) != shown(other) for one, other in zip(found, first, strict=True)], dtype=bool)
        for name, found in answers.items()
    }
    return Scored(tuple(str(one["half"]) for one in asked), right, changed)


def _is_right(answer: Answer, path: str | None) -> bool:
    return path in {source.path for source in answer.sources} if path else not answer.is_found


def shown(answer: Answer) -> list[tuple[str, str]]:
    """Return the places of an answer's sources with their texts."""
    return [(source.place, source.text) for source in (*answer.sources, *answer.further)]


def after(turn: Turn, stages: Sequence[str]) -> Turn:
    """Return a turn after some stages."""
    for stage in stages:
        turn = STAGES[stage](turn)
    return turn


def _line_recall(wanted: set[tuple[str, str]], sources: Sequence[Source]) -> float:
    """Return the share of some lines, each with its path, that the texts of some sources hold."""
    shown = {(source.path, line.strip()) for source in sources for line in source.text.split("\n")}
    return len(wanted & shown) / len(wanted) if wanted else 0.0


def _lines(repository: Repository, target: Target) -> Iterable[tuple[str, str]]:
    """Yield the lines of a target with their path, blank ones aside."""
    for region in target.regions:
        for chunk in repository.index.chunks(region.path):
            if region.parts == chunk.parts:
                yield from ((region.path, line.strip()) for line in chunk.text.split("\n") if line.strip())
