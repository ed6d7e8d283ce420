"""A target and a seed to what became of its damaged texts, read by worker processes as files of a repository are."""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coderag.files.walk import SourceFile
from coderag.index.workers.executor import Batch
from coderag.index.workers.pool import WorkerPool
from coderag.syntax.language import detect, languages
from scripts.fuzzing.bases import SQL, bases_of, targets
from scripts.fuzzing.check import Finding, Verdict, judge
from scripts.fuzzing.mutate import mutated
from scripts.fuzzing.shrink import shrunk

__all__ = ["FILE_BYTES", "FILE_SECONDS", "Campaign", "Outcome", "Saved", "input_of", "kind_of"]

FILE_SECONDS = 3.0  # for texts of some kilobytes; the pool's own limit is for megabytes
FILE_BYTES = 600_000_000
BATCH_FILES = 48
MAX_SAVED = 3  # of each kind of trouble with each target
MAX_LATE = 8  # of the inputs that do not end in time, that are tried once more: the machine may have been busy
NUMBERS = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")

Watch = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Saved:
    """An input that made trouble, as small as it still does."""

    target: str
    number: int
    what: str
    path: str
    data: bytes


@dataclass(slots=True)
class Outcome:
    """What became of the inputs of a target."""

    target: str
    inputs: int = 0
    bytes: int = 0
    read: int = 0
    skipped: int = 0
    seconds: float = 0.0
    deaths: Counter[str] = field(default_factory=Counter)  # a worker's: survived and reported
    failures: Counter[str] = field(default_factory=Counter)
    saved: list[Saved] = field(default_factory=list)


def input_of(target: str, seed: int, number: int) -> tuple[str, bytes]:
    """Return the path and the bytes of one input of a target."""
    bases = bases_of(target)
    base = bases[number % len(bases)]
    # Other languages' keywords are spliced in; the order of targets is fixed.
    names = targets()
    other = names[(number * 7 + seed) % len(names)]
    near = bases[(number // len(bases)) % len(bases)]
    others = [near.data, bases_of(other)[0].data]
    return base.path, mutated(base.data, seed=f"{seed}/{target}/{number}", others=others)


def kind_of(what: str) -> str:
    """Return what is wrong without the numbers and texts in which two inputs differ."""
    return NUMBERS.sub("#", what)


class Campaign:
    """A pool of workers over a folder of its own, for many targets."""

    def __init__(self, folder: Path, *, workers: int) -> None:
        self._folder = folder
        self._pool = WorkerPool(str(folder), workers, file_seconds=FILE_SECONDS, file_bytes=FILE_BYTES, embed=True)

    def __enter__(self) -> Campaign:
        self._pool.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        self._pool.__exit__(None, None, None)

    def run(self, target: str, *, inputs: int, seed: int, watch: Watch) -> Outcome:
        """Read the inputs of a target; `watch` hears how many are done."""
        outcome = Outcome(target)
        began = time.monotonic()
        held: list[tuple[int, dict[str, bytes]]] = []
        results = self._pool.map(self._batches(target, inputs, seed, held))
        for columns, skipped in results:
            first, texts = held.pop(0)
            verdict = judge(texts, columns, skipped)
            outcome.inputs += len(texts)
            outcome.bytes += sum(map(len, texts.values()))
            outcome.read += verdict.read
            outcome.skipped += verdict.skipped
            shutil.rmtree(self._folder / str(first))
            for finding in verdict.deaths:
                self._note(outcome, outcome.deaths, finding, texts)
            for finding in verdict.failures:
                self._note(outcome, outcome.failures, finding, texts)
            watch(outcome.inputs)
        outcome.deaths += Counter()  # which drops what is none
        outcome.seconds = time.monotonic() - began
        return outcome

    def judge_one(self, path: str, data: bytes, target: str) -> Verdict:
        """Read one text alone."""
        batch = [self._written(f"alone/{path}", data, target)]
        ((columns, skipped),) = self._pool.map([batch])
        return judge({batch[0].path: data}, columns, skipped)

    def _note(self, outcome: Outcome, counter: Counter[str], finding: Finding, texts: dict[str, bytes]) -> None:
        kind = kind_of(finding.what)
        counter[kind] += 1
        if counter[kind] > MAX_SAVED or not finding.path:
            return
        number, _, path = finding.path.partition("/")[2].partition("/")
        data = texts[finding.path]

        def still(smaller: bytes) -> bool:
            verdict = self.judge_one(path, smaller, outcome.target)
            return kind in {kind_of(death.what) for death in (*verdict.deaths, *verdict.failures)}

        if counter is outcome.failures or "crashed" in kind:
            data = shrunk(data, still)
        elif not still(data):
            counter.subtract([kind])
            counter["late once, and not again"] += 1
            return
        outcome.saved.append(Saved(outcome.target, int(number), finding.what, path, data))

    def _batches(
        self, target: str, inputs: int, seed: int, held: list[tuple[int, dict[str, bytes]]]
    ) -> Iterator[Batch]:
        for first in range(0, inputs, BATCH_FILES):
            batch: list[SourceFile] = []
            texts: dict[str, bytes] = {}
            for number in range(first, min(first + BATCH_FILES, inputs)):
                path, data = input_of(target, seed, number)
                file = self._written(f"{first}/{number}/{path}", data, target)
                batch.append(file)
                texts[file.path] = data
            held.append((first, texts))
            yield batch

    def _written(self, path: str, data: bytes, target: str) -> SourceFile:
        file = self._folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return SourceFile(path, len(data), 1, 1, _language(target, path), frozenset())


def _language(target: str, path: str) -> str:
    if not target.startswith(SQL):
        return target
    found = detect(path)
    return found.name if found is not None else next(iter(languages()))
