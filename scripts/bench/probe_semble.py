"""A job given on the command line to JSON: semble's index, answers and updates.

Without a model in SEMBLE_MODEL_NAME nothing is embedded, neither when indexing nor when searching: what remains is its
ranking by words.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

MODEL = "SEMBLE_MODEL_NAME"  # semble reads it as well


def _index_class() -> Any:
    """Return semble's index class; the parts that need a model are taken out where there is none."""
    index: Any = import_module("semble.index.index")
    if os.environ.get(MODEL):
        return index.SembleIndex
    numpy: Any = import_module("numpy")
    create: Any = import_module("semble.index.create")
    search: Any = import_module("semble.search")
    name = import_module("semble.utils").resolve_model_name()
    index.load_model = lambda path=None: (type("NoModel", (), {"dim": 1})(), path or name)
    create.embed_chunks = lambda model, chunks: numpy.ones((len(chunks), 1), dtype=numpy.float32)  # noqa: ARG005
    search._search_semantic = lambda *_, **__: []
    return index.SembleIndex


def index(root: str, folder: str, workers: str) -> Any:
    """Build or update the index in the cache folder, as semble does on a search."""
    del folder, workers  # in the environment
    built = _index_class().from_path(root)
    import_module("semble.cache").save_index_to_cache(built, root)
    return built


def search(root: str, folder: str, question: str) -> None:
    """Answer a question through semble's own command line."""
    del folder
    _index_class()
    sys.argv = ["semble", "search", question, root, "--top-k", "10", "--max-snippet-lines", "10", "--format", "text"]
    import_module("semble.cli").main()


def facts(root: str, folder: str) -> dict[str, int]:
    """Return how much source is indexed and in how many chunks."""
    chunks = index(root, folder, "").chunks
    paths = {chunk.file_path for chunk in chunks}
    return {"files": len(paths), "bytes": sum(Path(root, path).stat().st_size for path in paths), "chunks": len(chunks)}


def questions(root: str, folder: str, file: str, warm_up: str) -> list[float]:
    """Return the milliseconds of each question of a file after the first few."""
    opened = index(root, folder, "")
    milliseconds = []
    for question in json.loads(Path(file).read_text(encoding="utf-8")):
        started = time.perf_counter()
        opened.search(question, top_k=10, alpha=None if os.environ.get(MODEL) else 0.0)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds[int(warm_up) :]


def answers(root: str, folder: str, file: str, hits: str, lines: str) -> list[dict[str, Any]]:
    """Return what semble's server says to each question of a file, for so many hits and lines of each ("": all)."""
    opened = index(root, folder, "")
    most = int(lines) if lines else None
    show = import_module("semble.utils").format_results
    alpha = None if os.environ.get(MODEL) else 0.0
    asked = json.loads(Path(file).read_text(encoding="utf-8"))
    return [show(question, opened.search(question, top_k=int(hits), alpha=alpha), most) for question in asked]


def updates(root: str, folder: str, file: str, lines: str) -> list[float]:
    """Return the milliseconds from each line appended to a file until its last word is found there.

    It is what semble's server does for a question, but for the time after a build in which it looks for no changes:
    three times as long as the build took. The first line is not counted.
    """
    _index_class()
    milliseconds = []
    for line in json.loads(lines):
        word = line.split()[-1]
        with Path(file).open("a", encoding="utf-8") as edited:
            edited.write(f"\n{line}\n")
        started = time.perf_counter()
        hits = index(root, folder, "").search(word, top_k=10)
        milliseconds.append((time.perf_counter() - started) * 1000)
        if not any(word in hit.chunk.content for hit in hits):
            sys.exit(f"{word} was not found after it was written to {file}")
    return milliseconds[1:]


def version() -> dict[str, str]:
    """Return semble's version."""
    return {"version": import_module("semble.version").__version__}


JOBS: dict[str, Callable[..., Any]] = {
    "answers": answers,
    "facts": facts,
    "index": lambda *arguments: len(index(*arguments).chunks),
    "questions": questions,
    "search": search,
    "updates": updates,
    "version": version,
}

if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if not os.environ.get(MODEL):
        os.environ.pop(MODEL, None)
    answer = JOBS[sys.argv[1]](*sys.argv[2:])
    if answer is not None:
        print(json.dumps(answer))
