"""A job given on the command line to JSON: what coderag has indexed, how long its answers and updates take."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from coderag import Index


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


JOBS: dict[str, Callable[..., object]] = {"facts": facts, "questions": questions, "updates": updates}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](*sys.argv[2:])))
