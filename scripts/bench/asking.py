"""Engines with an index to figures of answers and updates."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

from scripts.bench.edits import new_lines
from scripts.bench.engines import Job
from scripts.bench.measure import Usage, run
from scripts.bench.notes import Effort, Notes
from scripts.bench.questions import draw
from scripts.bench.records import BenchmarkError, Corpus, Figure, Say

__all__ = ["measure_queries"]

LEAST_QUESTIONS = 8


def measure_queries(
    jobs: Sequence[Job], corpus: Corpus, *, edited: str, effort: Effort, scratch: Path, say: Say
) -> list[Figure]:
    """Return what answers take, and how long it takes until a search finds what was written to a file, `edited`."""
    notes = Notes("query", corpus.name)
    asked = draw(corpus, effort.questions + effort.warm_up)
    if len(asked) < LEAST_QUESTIONS:
        raise BenchmarkError(f"{corpus.folder} gives {len(asked)} questions; at least {LEAST_QUESTIONS} are needed")
    warm_up = min(effort.warm_up, len(asked) // 4)
    file = scratch / "questions.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    for job in jobs:
        notes.add(job.engine.name, "chunks", "", job.facts().chunks)
        notes.add(job.engine.name, "questions", "", len(asked) - warm_up)
    for turn in range(effort.runs):
        for job in jobs:
            say(f"warm answers over {corpus.name}: {job.engine.name}, run {turn + 1} of {effort.runs}")
            _note_warm(notes, job, json.loads(run(job.command("questions", file=file, warm_up=warm_up)).output))
    _note_cold(notes, jobs, asked[-effort.cold_runs :], say=say)
    _note_updates(notes, jobs, edited, times=effort.updates, say=say)
    return notes.figures()


def _note_warm(notes: Notes, job: Job, milliseconds: Sequence[float]) -> None:
    deciles = statistics.quantiles(milliseconds, n=10, method="inclusive")
    notes.add(job.engine.name, "warm p50", "ms", deciles[4])
    notes.add(job.engine.name, "warm p90", "ms", deciles[8])


def _note_cold(notes: Notes, jobs: Sequence[Job], asked: Sequence[str], *, say: Say) -> None:
    """Ask from a new process every time; a first one that is not counted brings the programs into memory."""
    say(f"cold searches: {len(asked)} runs")
    for job in jobs:
        _search(job, asked[0])
    for question in asked:
        for job in jobs:
            _note_command(notes, job, "cold search", _search(job, question))


def _search(job: Job, question: str) -> Usage:
    """Return what a search takes; 1 is the exit status of one that finds nothing."""
    return run(job.command("search", question=question), accepted=(0, 1))


def _note_command(notes: Notes, job: Job, name: str, used: Usage) -> None:
    notes.add(job.engine.name, name, "ms", used.seconds * 1000)
    notes.add(job.engine.name, f"{name}, CPU", "ms", used.cpu_seconds * 1000)


def _note_updates(notes: Notes, jobs: Sequence[Job], edited: str, *, times: int, say: Say) -> None:
    """Time edits until they are found: by a process that stays and is told the file, and by a new one that is not."""
    say(f"updates after {edited} was edited: {times} warm, {times} cold")
    # One more line, which is not counted.
    warm, cold = new_lines(edited, range(times + 1)), new_lines(edited, range(times + 1, 2 * times + 1))
    for job in jobs:
        command = job.command("updates", file=job.root / edited, lines=json.dumps(warm))
        for milliseconds in json.loads(run(command).output):
            notes.add(job.engine.name, "warm update", "ms", milliseconds)
    for line in cold:
        for job in jobs:
            with (job.root / edited).open("a", encoding="utf-8") as file:
                file.write(f"\n{line}\n")
            done = run(job.command("search", question=line.split()[-1]))
            if edited not in done.output:
                raise BenchmarkError(f"{job.engine.name} did not find what was written to {job.root / edited}")
            _note_command(notes, job, "cold update", done)
