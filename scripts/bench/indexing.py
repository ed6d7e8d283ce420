"""A corpus and engines to figures of full indexes: speed, processor time, size, memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.bench.engines import Engine, Facts, Job
from scripts.bench.measure import folder_bytes, run, run_with_memory, warm_page_cache
from scripts.bench.notes import Effort, Notes
from scripts.bench.records import Corpus, Figure, Say

__all__ = ["chunk_count", "measure_index"]


def chunk_count(engine: Engine, corpus: Corpus, *, workers: int, scratch: Path) -> int:
    """Return how many chunks an engine makes of a corpus."""
    job = Job(engine, corpus.folder, scratch / engine.name, workers)
    job.forget()
    run(job.command("index"))
    return job.facts().chunks


def measure_index(
    engines: Sequence[Engine], corpus: Corpus, *, effort: Effort, scratch: Path, say: Say
) -> list[Figure]:
    """Return what full indexes take; the engines take turns, so that a machine that slows down is fair to all."""
    notes = Notes("index", corpus.name)
    warm_page_cache(corpus.folder)
    jobs = [Job(engine, corpus.folder, scratch / engine.name, effort.workers) for engine in engines]
    facts = {job.engine.name: _note_facts(notes, job) for job in jobs}
    for turn in range(effort.runs):
        for job in jobs:
            say(f"index {corpus.name}: {job.engine.name}, run {turn + 1} of {effort.runs}")
            _note_run(notes, job, facts[job.engine.name])
    for turn in range(effort.memory_runs):
        for job in jobs:
            say(f"memory of indexing {corpus.name}: {job.engine.name}, run {turn + 1} of {effort.memory_runs}")
            job.forget()
            notes.add(job.engine.name, "peak memory", "MB", run_with_memory(job.command("index")))
    for job in jobs:
        job.forget()
    return notes.figures()


def _note_facts(notes: Notes, job: Job) -> Facts:
    """Index once without a clock: this also brings the programs into the page cache."""
    job.forget()
    run(job.command("index"))
    facts = job.facts()
    notes.add(job.engine.name, "files", "", facts.files)
    notes.add(job.engine.name, "source", "MB", facts.bytes / 1e6)
    notes.add(job.engine.name, "chunks", "", facts.chunks)
    return facts


def _note_run(notes: Notes, job: Job, facts: Facts) -> None:
    job.forget()
    used = run(job.command("index"))
    name = job.engine.name
    notes.add(name, "wall", "s", used.seconds)
    notes.add(name, "speed", "MB/s", facts.bytes / 1e6 / used.seconds)
    notes.add(name, "chunk rate", "chunks/s", facts.chunks / used.seconds)
    notes.add(name, "CPU", "s", used.cpu_seconds)
    notes.add(name, "index / source", "", folder_bytes(job.folder) / max(facts.bytes, 1))
