"""A large corpus to figures of how cost grows: the same work over parts of it, each about ten times the last."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.bench.engines import Engine
from scripts.bench.indexing import chunk_count
from scripts.bench.notes import Effort
from scripts.bench.records import Corpus, Figure, Say
from scripts.bench.speed import INDEX, QUERY, measure_speed
from scripts.bench.subsets import part_of, source_bytes

__all__ = ["SCALING", "STEPS", "Step", "measure_scaling"]

SCALING = "scaling"
SAMPLE_BYTES = 10_000_000  # tell how large a chunk is
WHOLE = 0.8  # of a corpus, or more, is all of it


@dataclass(frozen=True, slots=True)
class Step:
    """A number of chunks, about, and how often at most an index of so many is built."""

    name: str
    chunks: int
    builds: int


STEPS = (Step("1k", 1_000, 5), Step("10k", 10_000, 3), Step("100k", 100_000, 3), Step("1M", 1_000_000, 1))


def measure_scaling(
    engine: Engine, corpus: Corpus, *, steps: Sequence[Step], effort: Effort, scratch: Path, say: Say
) -> list[Figure]:
    """Return the figures of an engine over parts of a corpus, in which a step's name stands for the corpus."""
    size = source_bytes(corpus)
    sample = part_of(corpus, scratch / "sample", wanted_bytes=SAMPLE_BYTES)
    say(f"index {SAMPLE_BYTES / 1e6:.0f} MB of {corpus.name} to see how large a chunk is")
    chunk_bytes = source_bytes(sample) / chunk_count(engine, sample, workers=effort.workers, scratch=scratch)
    figures: list[Figure] = []
    for step in steps:
        wanted = step.chunks * chunk_bytes
        part = part_of(corpus, scratch / step.name, wanted_bytes=size if wanted > WHOLE * size else int(wanted))
        measured = _of_step(engine, replace(part, name=step.name), step, effort=effort, scratch=scratch, say=say)
        figures += measured
        if wanted > SAMPLE_BYTES:
            (chunks,) = (one.median for one in measured if one.name == "chunks")
            chunk_bytes = source_bytes(part) / chunks
        shutil.rmtree(part.folder)
    return figures


def _of_step(engine: Engine, part: Corpus, step: Step, *, effort: Effort, scratch: Path, say: Say) -> list[Figure]:
    counted = replace(effort, builds=min(step.builds, effort.builds))
    by_name: dict[str, Figure] = {}
    for one in measure_speed([engine], part, parts=(INDEX, QUERY), effort=counted, scratch=scratch, say=say):
        by_name.setdefault(one.name, replace(one, part=SCALING))
    return list(by_name.values())
