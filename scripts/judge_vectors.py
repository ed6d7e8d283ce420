"""Vectors of indexes to what finding the nearest costs: every one compared, by signs first, and by an HNSW graph.

scripts/judge_vectors.py QUESTIONS.jsonl ROOT ... [--chunks N] [--graph FOLDER]

The vectors are those of the indexes of each ROOT, and around them as many synthetic ones as make N: a real vector and a
part of the difference of two others, so that they spread as the real ones do. QUESTIONS.jsonl has a JSON object with
"question" a line. Printed are processor time for a question, the recall of the 10 and 200 nearest against comparing
all, and with --graph what a graph takes to make and to keep, in a file of FOLDER, and how it does.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from coderag.index.storage.folder.index_path import IndexPath  # noqa: E402
from coderag.index.storage.manifest import SEGMENTS  # noqa: E402

if TYPE_CHECKING:
    from coderag.index.storage.arrays.arrays import Array

ROOT = IndexPath(REPOSITORY)
SEED = 1
BLOCK = 1 << 16
SHARES = (0.1, 0.5)  # of a difference that is added
SHORT, LONG = 10, 200
WIDTHS = (400, 800, 1600)  # of the search in a graph (ef)
SEGMENT = 1 << 18  # vectors of a segment


class Member:
    """Vectors as a segment of a corpus has them: what coderag.index.reader.dense_search asks of one."""

    def __init__(self, rows: Array, first: int) -> None:
        from coderag.index.storage.vectors import Vectors, lengths_of, signs_of

        self.segment, self.first_chunk, self.folder = self, first, ROOT / SEGMENTS / str(first)
        self.vectors = Vectors(rows, lengths_of(rows), signs_of(rows))
        ids = np.random.default_rng(first).integers(0, 1 << 63, len(rows), dtype=np.uint64)
        self.arrays = {"chunk_id": ids}

    def __len__(self) -> int:
        return len(self.vectors)


class Corpus:
    """Vectors as a corpus has them."""

    def __init__(self, rows: Array) -> None:
        self.members = [Member(rows[at : at + SEGMENT], at) for at in range(0, len(rows), SEGMENT)]
        self.dead_chunks = [np.zeros(0, dtype=np.int64)] * len(self.members)
        self.live_chunks = len(rows)
        self.vector_graphs: tuple[tuple[Any, Any], ...] = ()
        self._remembered: dict[object, Any] = {}

    def __len__(self) -> int:
        return self.live_chunks

    def remembered(self, key: object, make: Callable[[], Any]) -> Any:
        """Return what was made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        return self._remembered[key]

    companion = remembered

    def by_member(self, chunks: Array) -> Any:
        """Yield the segments of ascending chunks."""
        firsts = [member.first_chunk for member in self.members]
        bounds = [*np.searchsorted(chunks, firsts).tolist(), len(chunks)]
        for member, begin, end in zip(self.members, bounds, bounds[1:], strict=False):
            if begin < end:
                yield member, slice(begin, end), chunks[begin:end] - member.first_chunk

    def cosines(self, query: Array) -> Array:
        """Return the cosine of every vector."""
        from coderag.index.storage.vectors import cosines

        return np.concatenate([cosines(member.vectors, query) for member in self.members])

    def file_numbers(self, chunks: Array) -> Array:
        """Return chunks as files: copies are told apart by their numbers."""
        return chunks

    path_ranks = first_rows = file_numbers


def main() -> int:
    """Measure with the checkout that this file is in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("roots", type=Path, nargs="+", metavar="ROOT")
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--graph", type=Path, metavar="FOLDER", help="make a graph there, too")
    options = parser.parse_args()
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = _questions([json.loads(line)["question"] for line in lines])
    real = _real(options.roots)
    rows = _spread(real, options.chunks)
    print(f"{len(rows):,} vectors around {len(real):,} real ones, {len(questions)} questions", flush=True)
    wanted = _by_comparing(Corpus(rows), questions)
    if options.graph:
        _by_graph(rows, questions, wanted, options.graph)
    return 0


def _questions(texts: Sequence[str]) -> list[Array]:
    from coderag.encoders.static import MODEL_FOLDER, StaticEncoder

    encoder = StaticEncoder.load(MODEL_FOLDER)
    return [vector for text in texts if (vector := encoder.encode_query(text)).any()]


def _real(roots: Sequence[Path]) -> Array:
    """Return the vectors of indexes, each once."""
    from coderag import Index
    from coderag.api.snapshot import open_snapshot

    found = []
    for root in roots:
        segments = open_snapshot(Index.open(root).roots).opened[0].segments
        found += [segment.vectors.rows for segment in segments if segment.vectors is not None]
    rows = np.concatenate(found)
    return np.unique(rows[rows.any(axis=1)], axis=0)


def _spread(real: Array, count: int) -> Array:
    """Return so many vectors i8[count, dimensions]: the real ones, and others around them."""
    from coderag.encoders.encoder import quantised

    draw = np.random.default_rng(SEED)
    rows = np.empty((count, real.shape[1]), dtype=np.int8)
    rows[: len(real)] = real[:count]
    for begin in range(len(real), count, BLOCK):
        size = min(BLOCK, count - begin)
        own, one, other = (_unit(real[draw.integers(0, len(real), size)]) for _ in range(3))
        share = draw.uniform(*SHARES, (size, 1)).astype(np.float32)
        rows[begin : begin + size] = quantised(own + share * (one - other))
    return rows[draw.permutation(count)]


def _unit(rows: Array) -> Array:
    wide = rows.astype(np.float32)
    found: Array = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return found


def _by_comparing(corpus: Corpus, questions: Sequence[Array]) -> list[Array]:
    """Print how every vector and signs do, and return the LONG nearest vectors of each question."""
    from coderag.index.reader.dense_search import How, dense_search

    counts = np.ones(len(corpus), dtype=np.float32)
    found: dict[How, list[Array]] = {}
    for how in (How.ALL, How.SIGNS):
        found[how], spent = [], []
        for question in questions:
            begun = time.thread_time()
            found[how].append(dense_search(corpus, question, counts, k=LONG, how=how).chunks)  # type: ignore[arg-type]
            spent.append(1e3 * (time.thread_time() - begun))
        print(f"{how.value}: {_spent(spent)}, {_recalls(found[how], found[How.ALL])}", flush=True)
    return found[How.ALL]


def _by_graph(rows: Array, questions: Sequence[Array], wanted: Sequence[Array], folder: Path) -> None:
    """Print what a graph takes to make and to keep, and how it does."""
    from coderag.index.reader.dense_search import How, dense_search
    from coderag.index.storage import vector_graph
    from coderag.index.storage.arrays.arrays import write_arrays

    corpus = Corpus(rows)
    path = IndexPath(folder, ("judged.bin",))
    begun = _processor()
    write_arrays(path, vector_graph.vector_graph_arrays([(one.folder.name, one.vectors) for one in corpus.members]))
    size = (folder / "judged.bin").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"graph: made in {_processor() - begun:.0f} s of processor, {size / len(rows):.0f} bytes a chunk")
    print(f"... {peak:.1f} GB of memory at most, with the vectors and what compared them", flush=True)
    counts = np.ones(len(corpus), dtype=np.float32)
    for width in WIDTHS:
        vector_graph.EXPLORED = width
        corpus = Corpus(rows)
        corpus.vector_graphs = ((ROOT, vector_graph.VectorGraph(path)),)
        found, spent = [], []
        dense_search(corpus, questions[0], counts, k=LONG, how=How.GRAPH)  # type: ignore[arg-type]
        for question in questions:
            begun = time.thread_time()
            found.append(dense_search(corpus, question, counts, k=LONG, how=How.GRAPH).chunks)  # type: ignore[arg-type]
            spent.append(1e3 * (time.thread_time() - begun))
        print(f"graph, {width} explored: {_spent(spent)}, {_recalls(found, wanted)}", flush=True)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _spent(milliseconds: Sequence[float]) -> str:
    return f"{statistics.median(milliseconds):.2f} ms of processor (least {min(milliseconds):.2f})"


def _recalls(found: Sequence[Array], wanted: Sequence[Array]) -> str:
    pairs = list(zip(found, wanted, strict=True))
    shares = [statistics.mean(np.isin(own[:k], mine[:k]).mean() for mine, own in pairs) for k in (SHORT, LONG)]
    return f"recall@{SHORT} {shares[0]:.4f}, recall@{LONG} {shares[1]:.4f}"


if __name__ == "__main__":
    sys.exit(main())
