"""A job given on the command line to JSON: semble's index, answers and updates, without a model.

Nothing is embedded, neither when indexing nor when searching: what remains is its ranking by words.
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


def _without_model() -> Any:
    """Return semble's index class with the parts that need a model taken out."""
    numpy: Any = import_module("numpy")
    index: Any = import_module("semble.index.index")
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
    built = _without_model().from_path(root)
    import_module("semble.cache").save_index_to_cache(built, root)
    return built


def search(root: str, folder: str, question: str) -> None:
    """Answer a question through semble's own command line."""
    del folder
    _without_model()
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
        opened.search(question, top_k=10, alpha=0.0)
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds[int(warm_up) :]


def updates(root: str, folder: str, file: str, times: str) -> list[float]:
    """Return the milliseconds of updates, a file edited before each."""
    _without_model()
    milliseconds = []
    for _ in range(int(times)):
        with Path(file).open("a", encoding="utf-8") as edited:
            edited.write("\n")
        started = time.perf_counter()
        index(root, folder, "")
        milliseconds.append((time.perf_counter() - started) * 1000)
    return milliseconds


def version() -> dict[str, str]:
    """Return semble's version."""
    return {"version": import_module("semble.version").__version__}


JOBS: dict[str, Callable[..., Any]] = {
    "facts": facts,
    "index": lambda *arguments: len(index(*arguments).chunks),
    "questions": questions,
    "search": search,
    "updates": updates,
    "version": version,
}

if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    answer = JOBS[sys.argv[1]](*sys.argv[2:])
    if answer is not None:
        print(json.dumps(answer))
