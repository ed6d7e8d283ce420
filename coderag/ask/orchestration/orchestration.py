"""Names and stages to the orchestration that answers, of a form that ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from coderag.ask.orchestration.combinators import (
    Branching,
    Conditional,
    Loop,
    NamedStage,
    Sequential,
    label_of,
    stage_of,
)
from coderag.ask.orchestration.conditions import NamedCondition, NamedKey
from coderag.ask.pipelines import DEFAULT, PIPELINES, STAGES, Stage
from coderag.errors import QueryError
from coderag.record import record

__all__ = ["MOST_DEPTH", "MOST_RUNS", "MOST_STAGES", "Orchestration", "orchestrated"]

MOST_STAGES = 32  # in one row
MOST_DEPTH = 3  # of rows within rows
MOST_RUNS = 64  # of stages in all, where each loop runs as often as it may
LAST = "answer"


@record
class Orchestration:
    """The stages of an answer in order, and whether those that may ask a model do."""

    stages: tuple[Stage, ...]
    asks_model: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The stages as the answer has them."""
        return tuple(map(label_of, self.stages))

    @property
    def key(self) -> tuple[str, ...] | None:
        """What tells it from others, None if one of its stages or conditions has no name."""
        return self.labels if all(map(_is_named, self.stages)) else None

    @property
    def is_ours(self) -> bool:
        """Whether every stage is one of ours."""
        return not any(map(_is_own, _leaves(Sequential(self.stages))))

    @property
    def is_usual(self) -> bool:
        """Whether it is the default."""
        return self.labels == PIPELINES[DEFAULT]

    def asking_model(self) -> Orchestration:
        """Return it with its stages asking the model, as somebody stated it; those of the default never do."""
        return replace(self, asks_model=not self.is_usual)


def orchestrated(pipeline: str | Sequence[str | Stage]) -> Orchestration:
    """Return the stages of a pipeline by its name, with commas, or as a tuple; raises QueryError.

    No stage of it asks a model (`asking_model`).
    """
    if isinstance(pipeline, str):
        pipeline = PIPELINES.get(pipeline) or tuple(name.strip() for name in pipeline.split(","))
    stages = tuple(map(stage_of, pipeline))
    _check(stages)
    return Orchestration(stages)


def _check(stages: tuple[Stage, ...]) -> None:
    """Raise QueryError for a form that makes no answer, or does not end soon."""
    names = [one.name for one in stages if isinstance(one, NamedStage)]
    nested = [leaf for stage in stages for row in _rows(stage) for leaf in _leaves(row)]
    shown = ", ".join(map(label_of, stages))
    order = f"keep the order {', '.join(STAGES)} in each row"
    own = any(one for one in (*stages, *nested) if _is_own(one))
    every = [*names, *(one.name for one in nested if isinstance(one, NamedStage))]
    if not own and ("retrieve" not in every or names[-1:] != [LAST] or label_of(stages[-1]) != LAST):
        raise QueryError(
            f"the stages {shown} make no pipeline; {order}, with retrieve among them and {LAST} as the last"
        )
    if any(isinstance(one, NamedStage) and one.name == LAST for one in nested):
        raise QueryError(f"the stages {shown} make no pipeline; {LAST} stands once, in the outermost row")
    for row in (Sequential(stages), *_all_rows(stages, depth=1)):
        ours = [list(STAGES).index(one.name) for one in row.stages if isinstance(one, NamedStage) and not one.version]
        if ours != sorted(set(ours)):
            raise QueryError(f"the stages {row.label} make no pipeline; {order}")
        if len(row.stages) > MOST_STAGES:
            raise QueryError(f"there are {len(row.stages)} stages in one row; give at most {MOST_STAGES}")
    if (runs := sum(map(_runs, stages))) > MOST_RUNS:
        raise QueryError(f"these stages may run {runs} times in all; loops may make at most {MOST_RUNS} of them")


def _rows(stage: Stage) -> tuple[Sequential, ...]:
    """Return the rows of stages in a stage."""
    if isinstance(stage, Sequential):
        return (stage,)
    if isinstance(stage, Conditional):
        return stage.then, stage.otherwise
    if isinstance(stage, Branching):
        return (*(row for _, row in stage.cases), stage.otherwise)
    return (stage.body,) if isinstance(stage, Loop) else ()


def _all_rows(stages: Sequence[Stage], *, depth: int) -> Iterator[Sequential]:
    for stage in stages:
        for row in _rows(stage):
            if depth > MOST_DEPTH:
                raise QueryError(f"rows of stages are nested more than {MOST_DEPTH} deep")
            yield row
            yield from _all_rows(row.stages, depth=depth + 1)


def _leaves(row: Sequential) -> Iterator[Stage]:
    for stage in row.stages:
        rows = _rows(stage)
        if not rows:
            yield stage
        for one in rows:
            yield from _leaves(one)


def _runs(stage: Stage) -> int:
    """Return how often a stage and those in it may run in all."""
    inner = [sum(map(_runs, row.stages)) for row in _rows(stage)]
    if isinstance(stage, Loop):
        return stage.at_most * inner[0]
    return sum(inner) if inner else 1


def _is_own(stage: Stage) -> bool:
    """Tell whether a stage is somebody else's."""
    return not _rows(stage) and not (isinstance(stage, NamedStage) and not stage.version)


def _is_named(stage: Stage) -> bool:
    """Tell whether a stage and all that it is made of have names."""
    tests = [
        *([stage.condition] if isinstance(stage, Conditional) else []),
        *([stage.key] if isinstance(stage, Branching) else []),
        *([stage.until] if isinstance(stage, Loop) else []),
    ]
    if not all(isinstance(test, NamedCondition | NamedKey) for test in tests):
        return False
    rows = _rows(stage)
    return all(_is_named(one) for row in rows for one in row.stages) if rows else isinstance(stage, NamedStage)
