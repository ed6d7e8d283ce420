"""The records that the parts of the benchmark share."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BenchmarkError", "Corpus", "Figure", "LeftOut", "Ratio", "Say"]

Say = Callable[[str], None]  # tells what is being done


class BenchmarkError(Exception):
    """What was asked for cannot be measured; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of source to measure on, and where it came from."""

    name: str
    folder: Path
    version: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not measured, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity of an engine on a corpus, once for every run."""

    part: str
    corpus: str
    engine: str
    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The first engine's figure divided by the second's, run by run."""

    part: str
    corpus: str
    engines: tuple[str, str]
    name: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)
