"""A job given on the command line to JSON: what coderag has indexed, how long its answers and updates take."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from coderag import Index
from coderag.graph.records import NodeKind

SEED = 6
DRAWN = 10  # nodes for each name that is wanted: most are files, fields and constants
MAPS = 5


def facts(root: str, folder: str) -> dict[str, int]:
    """Return how much source is indexed and in how many chunks."""
    (status,) = Index.open(root, index=folder).status(compare=False)
    return {"files": status.files, "bytes": status.source_bytes, "chunks": status.chunks}


def questions(root: str, folder: str, file: str, warm_up: str) -> list[float]:
    """Return the milliseconds of each question of a file after the first few."""
    index = Index.open(root, index=folder)
    milliseconds = []
    for question in json.loads(Path(file).read_text(encoding="utf-8")):
        started = time.perf_counter()
        index.search(question, k=10)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds[int(warm_up) :]


def updates(root: str, folder: str, file: str, lines: str) -> list[float]:
    """Return the milliseconds from each line appended to a file until its last word is found there.

    The first line is not counted: the processes that read files start with it.
    """
    milliseconds = []
    with Index.open(root, index=folder) as index:
        for line in json.loads(lines):
            word = line.split()[-1]
            with Path(file).open("a", encoding="utf-8") as edited:
                edited.write(f"\n{line}\n")
            started = time.perf_counter()
            index.update(paths=[file])
            hits = index.search(word, k=10)
            milliseconds.append((time.perf_counter() - started) * 1000)
            if not any(word in hit.chunk.text for hit in hits):
                sys.exit(f"{word} was not found after it was written to {file}")
    return milliseconds[1:]


def graph(root: str, folder: str) -> dict[str, float]:
    """Make the graph of an index that has none, and return the seconds and how large it is."""
    index = Index.open(root, index=folder)
    started = time.perf_counter()
    (made,) = index.graphs()
    return {"seconds": time.perf_counter() - started, "nodes": len(made), "edges": len(made.edge_kind)}


def graph_answers(root: str, folder: str, targets: str, budget: str) -> dict[str, list[float]]:
    """Return the milliseconds of questions to the graph about definitions drawn at random, and of maps."""
    index = Index.open(root, index=folder)
    (made,) = index.graphs()
    drawn = Random(SEED).sample(range(len(made)), min(int(targets) * DRAWN, len(made)))
    nodes = [
        node for node in map(made.node, drawn) if node.kind in (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS)
    ]
    names = [node.qualified_name for node in nodes][: int(targets)]
    index.refs(names[0])
    return {
        "refs": [_milliseconds(partial(index.refs, name)) for name in names],
        "impact": [_milliseconds(partial(index.impact, name)) for name in names],
        "map": [_milliseconds(partial(index.map, budget=int(budget))) for _ in range(MAPS)],
    }


def _milliseconds(ask: Callable[[], object]) -> float:
    started = time.perf_counter()
    ask()
    return (time.perf_counter() - started) * 1000


JOBS: dict[str, Callable[..., object]] = {
    "facts": facts,
    "questions": questions,
    "updates": updates,
    "graph": graph,
    "graph_answers": graph_answers,
}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](*sys.argv[2:])))
