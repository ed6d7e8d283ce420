"""A kind and a seed to what became of its inputs; what breaks is kept, with as few changes as it still breaks by."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scripts.fuzzing.shrink import reduced
from scripts.fuzzing_index.child import Finding, Verdict, judged, plan_of
from scripts.fuzzing_index.kinds import KINDS, apply_edits
from scripts.fuzzing_index.world import World

__all__ = ["Campaign", "Outcome", "Saved", "cause_of", "seeds_of"]

EDITS = (1, 1, 1, 2, 3)  # changes of an input: most have one, as a second one hides the first
CHANGED = 0.3  # share of the inputs with which a file of the repository changed, too
MAX_SAVED = 3  # of each cause with each kind
SHRINK_SECONDS = 60.0
NUMBERS = re.compile(r"\d+|'[^']*'|\"[^\"]*\"|0x[0-9a-f]+")
PLACE = re.compile(r'File "[^"]*/(coderag/[^"]+)", line \d+, in (\S+)')


@dataclass(frozen=True, slots=True)
class Saved:
    """An input that made trouble."""

    kind: str
    number: int
    cause: str
    edits: list[str]
    plan: list[str]
    trace: str


@dataclass(slots=True)
class Outcome:
    """What became of the inputs of a kind."""

    kind: str
    inputs: int = 0
    answered: int = 0
    refused: int = 0
    seconds: float = 0.0
    most_cpu_seconds: float = 0.0
    most_bytes: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    saved: list[Saved] = field(default_factory=list)


def seeds_of(kind: str, seed: int, number: int) -> list[str]:
    """Return the seeds of the changes of one input."""
    name = f"{seed}/{kind}/{number}"
    return [f"{name}/{position}" for position in range(EDITS[number % len(EDITS)])]


def cause_of(finding: Finding) -> str:
    """Return what is wrong without the numbers in which two inputs differ, and the function of coderag it is in."""
    places = PLACE.findall(finding.trace)
    where = f" in {places[-1][0]}:{places[-1][1]}" if places else f" at {finding.asked}"
    return NUMBERS.sub("#", finding.what)[:160] + where


class Campaign:
    """A world that is tampered with, input by input; its environment is this process'."""

    def __init__(self, folder: Path) -> None:
        self.world = World.make(folder)

    def run(self, kind: str, *, numbers: range, seed: int, watch: Callable[[int], object]) -> Outcome:
        """Judge the inputs of a kind; `watch` hears how many are done."""
        outcome, began = Outcome(kind), time.monotonic()
        for number in numbers:
            plan = plan_of(KINDS[kind], f"{seed}/{kind}/{number}/plan")
            seeds = seeds_of(kind, seed, number)
            verdict, _ = self.judge(kind, seeds, plan)
            outcome.inputs += 1
            outcome.answered += verdict.answered
            outcome.refused += len(verdict.refusals)
            outcome.most_cpu_seconds = max(outcome.most_cpu_seconds, verdict.cpu_seconds)
            outcome.most_bytes = max(outcome.most_bytes, verdict.peak_bytes)
            for cause in dict.fromkeys(map(cause_of, verdict.findings)):
                outcome.failures[cause] += 1
                if outcome.failures[cause] <= MAX_SAVED:
                    outcome.saved.append(self._shrunk(kind, number, seeds, plan, cause))
            watch(outcome.inputs)
        outcome.seconds = time.monotonic() - began
        return outcome

    def judge(self, kind: str, seeds: list[str], plan: list[str]) -> tuple[Verdict, list[str]]:
        """Return what becomes of an input, and the changes that it consists of."""
        self.world.restore(changed=bool(seeds) and share_of(seeds[0]) < CHANGED)
        edits = apply_edits(self.world, KINDS[kind], seeds)
        return judged(self.world, plan), edits

    def _shrunk(self, kind: str, number: int, seeds: list[str], plan: list[str], cause: str) -> Saved:
        """Return an input with as few changes and questions as it still fails by."""
        until = time.monotonic() + SHRINK_SECONDS

        def fails(seeds: list[str], plan: list[str]) -> bool:
            verdict, _ = self.judge(kind, seeds, plan)
            return cause in map(cause_of, verdict.findings)

        plan = list(reduced(plan, lambda fewer: fails(seeds, list(fewer)), until))
        seeds = list(reduced(seeds, lambda fewer: fails(list(fewer), plan), until)) if len(seeds) > 1 else seeds
        verdict, edits = self.judge(kind, seeds, plan)
        traces = [finding.trace for finding in verdict.findings if cause_of(finding) == cause]
        return Saved(kind, number, cause, edits, plan, (traces or [""])[0])


def share_of(seed: str) -> float:
    """Return a number from 0 to 1 that a seed decides."""
    return random.Random(f"{seed}/changed").random()
