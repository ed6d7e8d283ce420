"""A corpus and engines to figures of speed: full indexes, answers, updates."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from scripts.bench.asking import measure_queries
from scripts.bench.engines import Engine, Job
from scripts.bench.indexing import measure_index
from scripts.bench.measure import run, warm_page_cache
from scripts.bench.notes import Effort
from scripts.bench.records import Corpus, Figure, Say
from scripts.bench.subsets import edited_file, work_copy

__all__ = ["INDEX", "QUERY", "measure_speed"]

INDEX, QUERY = "index", "query"  # the parts of the benchmark, by what they measure


def measure_speed(
    engines: Sequence[Engine], corpus: Corpus, *, parts: Collection[str], effort: Effort, scratch: Path, say: Say
) -> list[Figure]:
    """Return the figures of some parts; each engine gets a copy of the corpus, of which a file is edited."""
    folder = scratch / f"speed-{corpus.name.replace('/', '-')}"
    folder.mkdir()
    edited = edited_file(corpus)
    warm_page_cache(corpus.folder)
    jobs = [
        Job(
            engine,
            work_copy(corpus, folder / f"{engine.name}-source", edited=edited),
            folder / f"{engine.name}-index",
            effort.workers,
        )
        for engine in engines
    ]
    figures: list[Figure] = []
    if INDEX in parts:
        figures += measure_index(jobs, corpus, runs=effort.builds, say=say)
    else:
        for job in jobs:
            say(f"index {corpus.name}: {job.engine.name}")
            job.forget()
            run(job.command("index"))
    if QUERY in parts:
        figures += measure_queries(jobs, corpus, edited=edited, effort=effort, scratch=folder, say=say)
    shutil.rmtree(folder, ignore_errors=True)  # segments may be merged there still; the scratch folder goes last
    return figures
