"""Stages to a stage: one after the other, under a condition, by what a part asks for, and again until it suffices.

Each is a record that is called like any other stage, changes nothing in place, and says in the trace what it chose.
Where a stage is wanted, the name of one of ours, a function from a turn to a turn, or a tuple of both will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from coderag.ask.orchestration.conditions import Condition, Key, NamedCondition, NamedKey, condition_of, key_of
from coderag.ask.orchestration.needs import joined, restored, within
from coderag.ask.pipelines import PIPELINES, STAGES, Stage
from coderag.ask.records import Step
from coderag.ask.turn import Evidence, Turn
from coderag.errors import QueryError
from coderag.record import record

__all__ = [
    "MOST_ROUNDS",
    "Branching",
    "Conditional",
    "Loop",
    "NamedStage",
    "Sequential",
    "Stages",
    "branch",
    "label_of",
    "repeat",
    "sequence",
    "stage",
    "stage_of",
    "when",
]

Stages: TypeAlias = "str | Stage | Sequence[str | Stage]"
MOST_ROUNDS = 5  # of a loop
NAME_CHARACTERS = 64  # of a stage of one's own


@record
class NamedStage:
    """A stage with its name; one of somebody else has a version besides."""

    name: str
    run: Stage
    version: str = ""

    @property
    def label(self) -> str:
        """What the answer calls it."""
        return f"{self.name}@{self.version}" if self.version else self.name

    def __call__(self, turn: Turn) -> Turn:
        """Return the turn after the stage."""
        return self.run(turn)


@record
class Sequential:
    """Stages one after the other."""

    stages: tuple[Stage, ...]

    @property
    def label(self) -> str:
        """The stages, as the answer shows them."""
        return ", ".join(map(label_of, self.stages))

    def __call__(self, turn: Turn) -> Turn:
        """Return the turn after the last of them; raises TypeError for a stage that returns no turn."""
        for one in self.stages:
            turn = _after(one, turn)
        return turn


@record
class Conditional:
    """A stage where a condition is met, and another one where it is not."""

    condition: Condition
    then: Sequential
    otherwise: Sequential

    @property
    def label(self) -> str:
        """The condition and the stages, as the answer shows them."""
        otherwise = f", otherwise ({self.otherwise.label})" if self.otherwise.stages else ""
        return f"when {_name_of(self.condition)} ({self.then.label}){otherwise}"

    def __call__(self, turn: Turn) -> Turn:
        """Return the turn after the stages that were chosen."""
        is_met = bool(self.condition(turn))
        chosen = self.then if is_met else self.otherwise
        summary = f"{_name_of(self.condition)}: {'yes' if is_met else 'no'}, {chosen.label or 'nothing to do'}"
        return chosen(_noted(turn, "when", summary))


@record
class Branching:
    """Stages by what a part of the question is: parts of the same kind go through theirs together."""

    key: Key
    cases: tuple[tuple[str, Sequential], ...]
    otherwise: Sequential

    @property
    def label(self) -> str:
        """The cases, as the answer shows them."""
        cases = [f"{name} ({stages.label})" for name, stages in self.cases]
        otherwise = [f"otherwise ({self.otherwise.label})"] if self.otherwise.stages else []
        return f"branch by {_name_of(self.key)}: {', '.join([*cases, *otherwise])}"

    def __call__(self, turn: Turn) -> Turn:
        """Return the turn after each part went through the stages of its case."""
        groups: dict[str, list[int]] = {}
        for place, part in enumerate(turn.parts):
            groups.setdefault(self.key(part), []).append(place)
        parts, cases = turn.parts, dict(self.cases)
        rows: dict[int, tuple[Evidence, ...]] = {place: (part,) for place, part in enumerate(parts)}
        cut = set[int]()  # rows whose parts need parts of the same row
        for name, places in groups.items():
            chosen = cases.get(name, self.otherwise)
            asked = "; ".join(parts[place].text for place in places)
            turn = _noted(turn, "branch", f"{asked}: {name or 'unknown'}, {chosen.label or 'nothing to do'}")
            before = [parts[place] for place in places]
            given = [within(places, part) for part in before]
            turn = chosen(replace(turn, evidence=tuple(given)))
            if len(turn.evidence) == len(places):
                evidence = [restored(*each) for each in zip(turn.evidence, given, before, strict=True)]
                rows.update({place: (part,) for place, part in zip(places, evidence, strict=True)})
            else:  # the stages cut parts or left some out
                cut.add(places[0])
                rows.update({place: turn.evidence if place == places[0] else () for place in places})
        return replace(turn, evidence=joined(rows, cut))


@record
class Loop:
    """Stages again and again, until a condition is met, a round changes nothing, or there were enough rounds."""

    body: Sequential
    until: Condition
    at_most: int

    @property
    def label(self) -> str:
        """The stages and the condition, as the answer shows them."""
        return f"repeat ({self.body.label}) until {_name_of(self.until)}, at most {self.at_most}"

    def __call__(self, turn: Turn) -> Turn:
        """Return the turn after the last round; where the condition is met at once, there is none."""
        name = _name_of(self.until)
        for number in range(1, self.at_most + 1):
            if self.until(turn):
                return _noted(turn, "repeat", f"stopped: {name}")
            before = turn.evidence, turn.text
            turn = self.body(_noted(turn, "repeat", f"not {name}: round {number} of at most {self.at_most}"))
            if (turn.evidence, turn.text) == before:
                return _noted(turn, "repeat", "stopped: the round changed nothing")
        ending = name if self.until(turn) else f"{self.at_most} rounds, the most there may be"
        return _noted(turn, "repeat", f"stopped: {ending}")


def stage(function: Stage, *, name: str, version: str) -> NamedStage:
    """Return a stage of one's own with a name and a version, by which answers that it made are kept in caches.

    Give it another version whenever it may answer in another way. Raises QueryError for a name that is taken or empty.
    """
    taken = name in STAGES or name in PIPELINES
    if taken or not name.isidentifier() or len(name) > NAME_CHARACTERS or not version:
        raise QueryError(
            f"{name[:NAME_CHARACTERS]!r} with version {version[:NAME_CHARACTERS]!r} names no stage of one's own; give "
            "a name like one of Python that is not among ours, and a version"
        )
    return NamedStage(name, function, version)


def sequence(*stages: str | Stage) -> Sequential:
    """Return stages one after the other as one; raises QueryError for an unknown name."""
    return Sequential(tuple(map(stage_of, stages)))


def when(condition: str | Condition, then: Stages, otherwise: Stages = ()) -> Conditional:
    """Return stages that are run where a condition is met, others where it is not; raises QueryError.

    A condition is a name (coderag.ask.orchestration.conditions), "not" in front of one, or a function of a turn.
    """
    return Conditional(condition_of(condition), _row(then), _row(otherwise))


def branch(key: str | Key, cases: Mapping[str, Stages], *, otherwise: Stages = ()) -> Branching:
    """Return stages by the "route" or the "grade" of each part, or by what a function says of it; raises QueryError."""
    found = key_of(key)
    if isinstance(found, NamedKey) and (unknown := sorted(cases.keys() - found.values)):
        raise QueryError(f"there is no {found.name} {unknown[0]!r}; there are {', '.join(sorted(found.values))}")
    return Branching(found, tuple((name, _row(stages)) for name, stages in cases.items()), _row(otherwise))


def repeat(*stages: str | Stage, until: str | Condition, at_most: int) -> Loop:
    """Return stages that are run until a condition is met, at most so many times; raises QueryError."""
    if isinstance(at_most, bool) or not isinstance(at_most, int) or not 1 <= at_most <= MOST_ROUNDS:
        raise QueryError(f"at_most is {at_most!r}; give a whole number from 1 to {MOST_ROUNDS}")
    return Loop(sequence(*stages), condition_of(until), at_most)


def stage_of(one: str | Stage) -> Stage:
    """Return the stage of a name, a stage itself as it is; raises QueryError."""
    if not isinstance(one, str):
        return one
    if one not in STAGES:
        known = f"pipelines are {', '.join(PIPELINES)}; stages are {', '.join(STAGES)}"
        raise QueryError(f"there is no pipeline or stage {one!r}; {known}")
    return NamedStage(one, STAGES[one])


def label_of(one: Stage) -> str:
    """Return what the answer calls a stage."""
    if isinstance(one, NamedStage | Sequential | Conditional | Branching | Loop):
        return one.label
    return str(getattr(one, "__name__", type(one).__name__))


def _row(stages: Stages) -> Sequential:
    if isinstance(stages, str) or callable(stages):
        return sequence(stages)
    return sequence(*stages)


def _after(one: Stage, turn: Turn) -> Turn:
    after = one(turn)
    if not isinstance(after, Turn):
        raise TypeError(f"the stage {label_of(one)} returned {type(after).__name__}; return a Turn")
    if after.telling is not None:
        after.telling(after.trace)
    return after


def _noted(turn: Turn, name: str, said: str) -> Turn:
    turn = replace(turn, trace=(*turn.trace, Step(name, said)))
    if turn.telling is not None:
        turn.telling(turn.trace)
    return turn


def _name_of(test: Callable[..., object]) -> str:
    if isinstance(test, NamedCondition | NamedKey):
        return test.name
    return str(getattr(test, "__name__", type(test).__name__))
