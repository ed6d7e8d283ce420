"""coderag at work to figures of its graph: what making it adds to an index, and how long answers from it take."""

from __future__ import annotations

import json
import shutil
import statistics
from pathlib import Path

from scripts.bench.engines import Engine, Job
from scripts.bench.measure import run, warm_page_cache
from scripts.bench.notes import Effort, Notes
from scripts.bench.records import Corpus, Figure, Say

__all__ = ["GRAPH", "measure_graph"]

GRAPH = "graph"
TARGETS = 200  # names that are asked for
BUDGET = 1024  # tokens of a map


def measure_graph(engine: Engine, corpus: Corpus, *, effort: Effort, scratch: Path, say: Say) -> list[Figure]:
    """Return what the graph of a corpus takes beside its index, and answers from it in a process that stays."""
    notes = Notes(GRAPH, corpus.name)
    folder = scratch / f"graph-{corpus.name.replace('/', '-')}"
    folder.mkdir()
    warm_page_cache(corpus.folder)
    job = Job(engine, corpus.folder, folder / "index", effort.workers)
    for turn in range(effort.builds):
        say(f"graph of {corpus.name}: run {turn + 1} of {effort.builds}")
        job.forget()
        index = run(job.command("index without graph"))
        graph = json.loads(run(job.command(GRAPH)).output)
        notes.add(engine.name, "index", "s", index.seconds)
        notes.add(engine.name, "graph", "s", graph["seconds"])
        notes.add(engine.name, "graph / index", "", graph["seconds"] / index.seconds)
        if not turn:
            notes.add(engine.name, "nodes", "", graph["nodes"])
            notes.add(engine.name, "edges", "", graph["edges"])
    for turn in range(effort.runs):
        say(f"answers from the graph of {corpus.name}: run {turn + 1} of {effort.runs}")
        answers = json.loads(run(job.command("graph answers", targets=TARGETS, budget=BUDGET)).output)
        for name in ("refs", "impact"):
            deciles = statistics.quantiles(answers[name], n=10, method="inclusive")
            notes.add(engine.name, f"{name} p50", "ms", deciles[4])
            notes.add(engine.name, f"{name} p90", "ms", deciles[8])
        notes.add(engine.name, "map", "ms", statistics.median(answers["map"]))
    shutil.rmtree(folder, ignore_errors=True)
    return notes.figures()
