"""A graph over the vectors of an index (HNSW, by usearch), as a file beside its segments.

Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using hierarchical navigable small world
graphs", 2018. The file is that of usearch, which maps it, in one array; it holds the vectors beside their links. It
knows the segments that it was made of: those that came since are compared beside it, those that are gone are left out.
Its numbers are followed by machine code that checks none of them, so only a file that has the sum in a signed manifest
is opened, and none that somebody else made.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any

import numpy as np

from coderag.encoders.encoder import quantised
from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import Array, open_arrays
from coderag.index.storage.arrays.specs import BYTES, check_arrays, column, strings
from coderag.index.storage.arrays.strings import Strings, pack_strings
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.vectors import Vectors

__all__ = ["VectorGraph", "is_installed", "vector_graph_arrays"]

CONNECTIVITY, EXPANSION = 16, 128  # links of a vector, and how many are looked at to choose them
EXPLORED = 800  # vectors on the way to a question's; half as many find .98 of the 200 nearest of a million
BLOCK = 1 << 16  # vectors that are added at once
SPECS = {"graph": BYTES, "sizes": column("segments"), **strings("segment", "segments")}


def is_installed() -> bool:
    """Tell whether graphs can be made and read: whether the extra `hnsw` is installed."""
    return find_spec("usearch") is not None


def vector_graph_arrays(segments: Sequence[tuple[str, Vectors]]) -> dict[str, Array]:
    """Return the arrays of a graph over the vectors of segments, by their names; all have vectors of one length."""
    from usearch.index import Index

    graph: Any = Index(
        ndim=segments[0][1].rows.shape[1], metric="cos", dtype="i8", connectivity=CONNECTIVITY, expansion_add=EXPANSION
    )
    first = 0
    for _, vectors in segments:
        for begin in range(0, len(vectors), BLOCK):
            rows = np.ascontiguousarray(vectors.rows[begin : begin + BLOCK])
            graph.add(np.arange(first + begin, first + begin + len(rows), dtype=np.uint64), rows)
        first += len(vectors)
    blob, offsets = pack_strings([name for name, _ in segments])
    return {
        "graph": np.frombuffer(graph.save(), dtype=np.uint8),
        "sizes": np.array([len(vectors) for _, vectors in segments], dtype=np.int64),
        "segment_blob": blob,
        "segment_offsets": offsets,
    }


class VectorGraph:
    """A graph that was written; several threads may use it."""

    def __init__(self, path: IndexPath, held: Array | None = None) -> None:
        """Open a file, or what `held_file` gave of it; raises IndexDamagedError."""
        arrays = open_arrays(path, held)
        check_arrays(path, arrays, SPECS)
        try:
            self.segments = tuple(Strings(arrays["segment_blob"], arrays["segment_offsets"]).all())
        except ValueError as error:
            raise IndexDamagedError(f'{path} is damaged: {error}; run "coderag index"') from error
        self.sizes = tuple(arrays["sizes"].tolist())
        self._path, self._data = path, arrays["graph"]
        self._graph: Any = None
        self._lock = Lock()

    def nearest(self, query: Array) -> tuple[Array, Array]:
        """Return about EXPLORED vectors that are nearest to f32[dimensions], i64[n], and their cosines, f32[n].

        Numbers count the vectors of all segments; the nearest come first.
        """
        with self._lock:  # a graph remembers where it has been on the way
            if self._graph is None:
                self._graph = self._opened(len(query))
            found = self._graph.search(quantised(query[None])[0], EXPLORED, threads=1)
        keys = np.asarray(found.keys).astype(np.int64)
        fits = (keys >= 0) & (keys < sum(self.sizes))
        return keys[fits], (1 - np.asarray(found.distances, dtype=np.float32))[fits]

    def _opened(self, dimensions: int) -> Any:
        from usearch.index import Index

        graph: Any = Index(
            ndim=dimensions, metric="cos", dtype="i8", connectivity=CONNECTIVITY, expansion_search=EXPLORED
        )
        try:
            graph.view(self._data)
        except (RuntimeError, ValueError) as error:
            raise IndexDamagedError(f'{self._path} is damaged: {error}; run "coderag index"') from error
        if graph.ndim != dimensions or len(graph) != sum(self.sizes):
            raise IndexDamagedError(f'{self._path} is damaged: it has other vectors; run "coderag index"')
        return graph
