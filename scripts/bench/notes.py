"""Runs to figures: how often things are run, and the values that the runs gave."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.bench.records import Figure

__all__ = ["Effort", "Notes"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How often things are measured."""

    builds: int
    runs: int  # over all questions
    questions: int
    warm_up: int  # questions that are asked first and not counted
    cold_runs: int
    updates: int
    workers: int
    servers: int  # at once on one index, as of so many open sessions


class Notes:
    """The values that runs give, by engine and name, in the order they came."""

    def __init__(self, part: str, corpus: str) -> None:
        self._part, self._corpus = part, corpus
        self._values: dict[tuple[str, str, str], list[float]] = {}

    def add(self, engine: str, name: str, unit: str, value: float) -> None:
        self._values.setdefault((engine, name, unit), []).append(value)

    def figures(self) -> list[Figure]:
        return [
            Figure(self._part, self._corpus, engine, name, unit, tuple(values))
            for (engine, name, unit), values in self._values.items()
        ]
