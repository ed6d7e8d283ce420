"""What a torture is asked for, and what came of it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Options", "Outcome"]

TOLD_EVERY = 50  # rounds


@dataclass(frozen=True, slots=True)
class Options:
    """What to torture, how, and where."""

    work: Path
    source: Path
    rounds: int
    files: int
    seconds: float
    seed: int
    questions: Path | None = None


@dataclass(slots=True)
class Outcome:
    """Figures by name, and everything that did not hold."""

    counts: dict[str, int | float | str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def count(self, name: str, number: int | float = 1) -> None:
        """Add to a figure."""
        before = self.counts.get(name, 0)
        assert not isinstance(before, str)
        self.counts[name] = before + number

    def tell(self, done: int, rounds: int) -> None:
        """Say on standard error how far it is, from time to time."""
        if done % TOLD_EVERY == 0:
            print(f"{done:,} of {rounds:,} rounds, {len(self.failures)} failures", file=sys.stderr, flush=True)

    def most(self, name: str, number: int | float) -> None:
        """Let a figure be the largest of its kind."""
        before = self.counts.get(name, number)
        assert not isinstance(before, str)
        self.counts[name] = max(before, number)

    def check(self, holds: object, failure: str) -> bool:
        """Note a failure unless something holds, and tell whether it does."""
        if not holds:
            self.failures.append(failure)
        return bool(holds)
