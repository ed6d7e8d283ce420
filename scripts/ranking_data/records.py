"""The records that the parts of the ranker's training share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from coderag.api.index import Index
from coderag.index.reader.corpus import Corpus

__all__ = ["Collection", "Judged", "Opened", "Say", "Target", "TrainingError"]

Say = Callable[[str], None]  # tells what is being done


class TrainingError(Exception):
    """What was asked for cannot be trained or measured; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """What answers a question: lines of a file, 1-based and inclusive, or all of it where the last line is 0."""

    path: str
    first_line: int = 0
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """A question, what kind of question it is, and what answers it."""

    text: str
    kind: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """An indexed folder."""

    root: Path
    index: Index
    corpus: Corpus  # of the same index, for what its chunks do not tell


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder to index, and what is asked of it once it is."""

    name: str
    group: str  # what is never split between training and test: a package, a repository
    root: Path
    ask: Callable[[Opened], Iterable[Judged]]
