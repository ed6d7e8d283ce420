"""Engines at work to figures of full indexes: speed, processor time, size, memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.bench.engines import Engine, Job
from scripts.bench.measure import Usage, folder_bytes, run, run_with_memory
from scripts.bench.notes import Notes
from scripts.bench.records import Corpus, Figure, Say

__all__ = ["chunk_count", "measure_index"]

READY = "index without graph"  # the graph follows in the background


def chunk_count(engine: Engine, corpus: Corpus, *, workers: int, scratch: Path) -> int:
    """Return how many chunks an engine makes of a corpus."""
    job = Job(engine, corpus.folder, scratch / engine.name, workers)
    job.forget()
    run(job.command("index"))
    return job.facts().chunks


def measure_index(jobs: Sequence[Job], corpus: Corpus, *, runs: int, say: Say) -> list[Figure]:
    """Return what full indexes take; the last ones are left.

    The engines take turns, so that a machine that slows down is fair to all.
    """
    notes = Notes("index", corpus.name)
    for turn in range(runs):
        for job in jobs:
            say(f"index {corpus.name}: {job.engine.name}, run {turn + 1} of {runs}")
            ready = _until_searched(job)
            job.forget()
            used = run_with_memory(job.command("index"))
            _note_run(notes, job, used, first=turn == 0)
            notes.add(job.engine.name, "first search", "s", (ready or used).seconds)
            notes.add(job.engine.name, "first search, CPU", "s", (ready or used).cpu_seconds)
    return notes.figures()


def _until_searched(job: Job) -> Usage | None:
    """Return what it takes until an index can be searched, None for an engine that has all or nothing."""
    if READY not in job.engine.jobs:
        return None
    job.forget()
    return run(job.command(READY))


def _note_run(notes: Notes, job: Job, used: Usage, *, first: bool) -> None:
    facts = job.facts()
    name = job.engine.name
    if first:
        notes.add(name, "files", "", facts.files)
        notes.add(name, "source", "MB", facts.bytes / 1e6)
        notes.add(name, "chunks", "", facts.chunks)
    size = folder_bytes(job.folder)
    notes.add(name, "wall", "s", used.seconds)
    notes.add(name, "speed", "MB/s", facts.bytes / 1e6 / used.seconds)
    notes.add(name, "chunk rate", "chunks/s", facts.chunks / used.seconds)
    notes.add(name, "CPU", "s", used.cpu_seconds)
    notes.add(name, "index size", "MB", size / 1e6)
    notes.add(name, "index / source", "", size / max(facts.bytes, 1))
    notes.add(name, "peak memory", "MB", used.peak_mb)
