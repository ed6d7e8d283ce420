"""A root to the unit costs that a plan is made of: processor time, bytes by structure, milliseconds by leg, memory."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coderag import Index
from coderag.index.reader.dense_search import COMPARED
from coderag.index.storage.arrays.arrays import open_arrays
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, read_manifest
from coderag.index.storage.vectors import Vectors, cosines, lengths_of, signs_of
from scripts.planning.touched import touched

__all__ = ["QUESTIONS", "Units", "measure_units"]

QUESTIONS = (
    "where is the session cookie set?",
    "retry with backoff",
    "parse the options of a command",
    "read a file in blocks",
    "which tables does a query name?",
    "how are results ranked?",
)
REPEATS = 9
VECTORS = 200_000  # that are compared at a time to see what one costs
SMALL_ROOTS = 24  # of three files, to see what a root costs
GROUPS = {  # arrays of a segment by what they are for, by the start of their names
    "postings of words": ("text_",),
    "links for the graph": ("links_", "facts_"),
    "details of chunks": ("detail_", "parts"),
    "signatures of text": ("trigram_",),
    "symbols": ("symbol_",),
    "chunks": ("chunk_",),
    "files": ("file_", "path_", "block_", "meta"),
}


@dataclass(frozen=True, slots=True)
class Units:
    """What was measured, on one machine, over one root."""

    source_mb: float
    chunks: int
    cpu_s_per_mb: float  # of `coderag index`, without the graph
    graph_s_per_100k: float  # processor seconds of the graph, per 100,000 chunks
    graph_mb_per_100k: float  # of memory, beyond what a process takes that does nothing
    bytes_per_chunk: Mapping[str, float]  # by structure
    fixed_ms: float  # of a question, whatever the size
    words_ms_per_million: float  # of a question but for the vectors, per million chunks
    exact_ms_per_million: float  # every vector compared
    signs_ms_per_million: float  # signs counted
    compared_ms: float  # the vectors that are compared after their signs were
    root_ms: float  # to open a root
    root_question_ms: float  # of a question, for each further root
    touched: Mapping[str, float]  # share of the index that a cold question touches, by file


def measure_units(root: Path, scratch: Path) -> Units:
    """Index a root in a scratch folder, and ask it."""
    folder = scratch / "index"
    cpu, _ = _measured(["index", str(root), "--index", str(folder), "--no-graph", "--no-history", "--no-cache", "-q"])
    cold = _touched(folder, root)  # before this process maps the files, whose pages could not leave the cache then
    index = Index.open(root, index=folder)
    chunks = len(index)
    source = index.status(compare=False, schema=False)[0].source_bytes / 1e6
    graph_cpu, graph_mb = _measured(["map", "--root", str(root), "--index", str(folder), "--no-refresh"])
    idle_cpu, idle_mb = _measured(["languages", "--json"])
    fixed, words = _words(index)
    exact, signs, compared = _dense()
    opening, asking = _roots(scratch / "roots")
    return Units(
        source_mb=round(source, 2),
        chunks=chunks,
        cpu_s_per_mb=cpu / source,
        graph_s_per_100k=(graph_cpu - idle_cpu) * 1e5 / chunks,
        graph_mb_per_100k=(graph_mb - idle_mb) * 1e5 / chunks,
        bytes_per_chunk={name: size / chunks for name, size in _structures(folder).items()},
        fixed_ms=fixed,
        words_ms_per_million=words,
        exact_ms_per_million=exact,
        signs_ms_per_million=signs,
        compared_ms=compared,
        root_ms=opening,
        root_question_ms=asking,
        touched=cold,
    )


def _measured(arguments: list[str]) -> tuple[float, float]:
    """Return the processor seconds of a command, and the megabytes of the largest of its processes."""
    child = (
        "import json,resource,subprocess,sys\n"
        "subprocess.run([sys.executable,'-m','coderag',*sys.argv[1:]],stdout=subprocess.DEVNULL)\n"
        "used=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([used.ru_utime+used.ru_stime,used.ru_maxrss/1e3]))"
    )
    environment = os.environ | {"CODERAG_BACKGROUND": "0", "CODERAG_HELPER": "0"}
    done = subprocess.run(
        [sys.executable, "-c", child, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def _structures(folder: Path) -> dict[str, int]:
    """Return the bytes of an index by what they are for."""
    found = dict.fromkeys((*GROUPS, "text", "vectors", "graph", "catalog and listing"), 0)
    place = IndexPath(folder)
    for entry in read_manifest(place).segments:
        found["text"] += entry.sums["text.bin"][0]
        found["vectors"] += sum(size for name, (size, _) in entry.sums.items() if name.startswith("vectors-"))
        arrays = open_arrays(place / SEGMENTS / entry.name / "arrays.bin")
        for name in arrays:
            group = next(group for group, starts in GROUPS.items() if name.startswith(starts))
            found[group] += arrays.stored_bytes(name)
    found["graph"] = sum(path.stat().st_size for path in folder.glob("graph-*.bin"))
    others = [*folder.glob("catalog-*.bin"), *folder.glob("listing-*.bin")]
    found["catalog and listing"] = sum(path.stat().st_size for path in others)
    return found


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the median of the processor time of some work, of which the first runs do not count."""
    times = []
    for number in range(REPEATS + 2):
        started = time.process_time()
        work()
        if number > 1:
            times.append((time.process_time() - started) * 1e3)
    return statistics.median(times)


def _words(index: Index) -> tuple[float, float]:
    """Return the milliseconds of a question without vectors: whatever the size, and per million chunks beyond.

    What grows is what looks at every chunk: sums, factors, and the choice of the best. It is timed over arrays of the
    size of a million chunks, since an index of so many takes minutes to build.
    """
    asked = [_milliseconds(lambda question=question: index.search(question)) for question in QUESTIONS]  # type: ignore[misc]
    chosen = np.random.default_rng(1)
    docs = chosen.integers(0, 1_000_000, size=400_000)
    weights = chosen.random(400_000).astype(np.float32)
    factors = chosen.random(1_000_000).astype(np.float32)

    def work() -> object:
        scores = np.bincount(docs, weights=weights, minlength=1_000_000) * factors
        return np.partition(scores.reshape(-1, 500).max(axis=1), -200)

    return statistics.median(asked), _milliseconds(work)


def _dense() -> tuple[float, float, float]:
    """Return the milliseconds of comparing a million vectors, of counting their signs, and of the exact comparison."""
    chosen = np.random.default_rng(2)
    rows = chosen.integers(-127, 128, size=(VECTORS, 256), dtype=np.int8)
    query = chosen.normal(size=256).astype(np.float32)
    signs = signs_of(rows)
    own = signs_of(query[None])[:, 0]
    vectors = Vectors(rows, lengths_of(rows))
    picked = np.sort(chosen.choice(VECTORS, COMPARED, replace=False))

    def count() -> object:
        differing = np.zeros(VECTORS, dtype=np.uint8)
        for row, one in zip(signs, own, strict=True):
            differing += np.bitwise_count(row ^ one)
            differing += np.bitwise_count((row ^ one) & one)
        return differing

    exact = _milliseconds(lambda: cosines(vectors, query)) * 1e6 / VECTORS
    some = _milliseconds(lambda: cosines(Vectors(rows[picked], vectors.lengths[picked]), query))
    return exact, _milliseconds(count) * 1e6 / VECTORS, some


def _roots(folder: Path) -> tuple[float, float]:
    """Return the milliseconds of opening a root, and of a question for each further one."""
    roots = []
    for number in range(SMALL_ROOTS):
        root = folder / f"root_{number}"
        root.mkdir(parents=True)
        for file in range(3):
            text = f'def step_{number}_{file}(count):\n    """Read a file in blocks."""\n    return count + {file}\n'
            (root / f"part_{file}.py").write_text(text, encoding="utf-8")
        Index.build(root, workers=0, graph=False, cache=False).close()
        roots.append(root)
    opening = _milliseconds(lambda: Index.open(*roots)) / SMALL_ROOTS
    one, many = Index.open(roots[0]), Index.open(*roots)
    alone, together = (_milliseconds(lambda index=index: index.search(QUESTIONS[3])) for index in (one, many))  # type: ignore[misc]
    shutil.rmtree(folder)
    return opening, max(together - alone, 0.0) / (SMALL_ROOTS - 1)


def _touched(folder: Path, root: Path) -> dict[str, float]:
    """Return the median share of an index, without its graph, that a cold question touches, by file."""
    files = [path for path in folder.rglob("*.bin") if not path.name.startswith("graph-")]
    size = sum(path.stat().st_size for path in files)
    found = [touched(folder, root, question) for question in QUESTIONS]
    kinds = sorted({kind for one in found for kind in one})
    return {kind: statistics.median(one.get(kind, 0) for one in found) / size for kind in kinds if kind != "graph"}
