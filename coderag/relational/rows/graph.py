"""Graphs to the rows of `symbols` and `edges`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from coderag.graph.graph import EDGE_KINDS, NODE_KINDS, Graph
from coderag.graph.records import Certainty
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import Strings, last_bytes
from coderag.index.storage.columns import LABELS
from coderag.relational.rows.arrays import Columns, constant, labelled, nullable, stacked, texts
from coderag.relational.rows.chunks import ChunkNumbers

__all__ = ["SymbolNumbers", "edge_columns", "symbol_columns"]

TEST = 1 << LABELS.index("test")
ROW_BITS = 21  # of a row in the key of a place; a file has at most two million
CERTAINTIES = tuple(map(str, Certainty))  # by how many candidates there are: none, one, several


class SymbolNumbers:
    """The nodes of the graphs of all roots, numbered from 1, graph after graph."""

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        self.graphs = graphs  # by repository

    @cached_property
    def first(self) -> dict[str, int]:
        """The number of the first node of each graph, by repository."""
        sizes = np.cumsum([0, *(len(graph) for graph in self.graphs.values())]).tolist()
        return {name: 1 + size for name, size in zip(self.graphs, sizes[:-1], strict=True)}

    @cached_property
    def names(self) -> Mapping[str, list[str]]:
        """The qualified names of the nodes, by repository."""
        return {
            name: Strings(graph.arrays["node_name_blob"], graph.arrays["node_name_offsets"]).all()
            for name, graph in self.graphs.items()
        }


def symbol_columns(numbers: SymbolNumbers, chunks: ChunkNumbers) -> Columns:
    """Return the columns of `symbols`."""
    parts = [_symbols(numbers, chunks, repository) for repository in numbers.graphs]
    return _stacked(parts)


def edge_columns(numbers: SymbolNumbers) -> Columns:
    """Return the columns of `edges`."""
    return _stacked([_edges(numbers, repository) for repository in numbers.graphs])


def _stacked(parts: list[Columns]) -> Columns:
    """Return the rows of several graphs as one."""
    if len(parts) == 1:
        return parts[0]
    return {name: stacked([part[name] for part in parts]) for name in parts[0]} if parts else {}


def _symbols(numbers: SymbolNumbers, chunks: ChunkNumbers, repository: str) -> Columns:
    graph, qualified = numbers.graphs[repository], numbers.names[repository]
    arrays, size, paths = graph.arrays, len(graph), graph.paths.all()
    file = graph.node_file.astype(np.int64)
    file_id = chunks.files.of_paths(repository, paths)[file]
    first, last = arrays["node_first"].astype(np.int64), arrays["node_last"].astype(np.int64)
    labels = np.append(arrays["file_labels"], np.uint8(0))  # for a file of -1
    sizes = arrays["node_name_bytes"].tolist()
    chunk_id = _chunk_ids(chunks, file_id, first, last)
    whole = first < 0
    return {
        "repository": constant(repository, size),
        "symbol_id": np.arange(size, dtype=np.int32) + np.int32(numbers.first[repository]),
        "kind": labelled([str(kind) for kind in NODE_KINDS], graph.node_kind.astype(np.int64)),
        "name": texts([last_bytes(name, own) for name, own in zip(qualified, sizes, strict=True)]),
        "qualified_name": texts(qualified),
        "file_id": nullable(file_id, file_id == 0),
        "path": labelled(paths, file),
        "start_line": nullable(first + 1, whole),
        "end_line": nullable(last + 1, whole),
        "lines": nullable(last - first + 1, whole),
        "database": labelled([name or None for name in graph.databases], arrays["node_database"].astype(np.int64)),
        "is_unknown": arrays["node_unknown"].astype(np.bool_),
        "is_test": (labels[file] & TEST) > 0,
        "importance": arrays["node_rank"].astype(np.float64),
        "community": arrays["node_community"].astype(np.int64),
        "chunk_id": nullable(chunk_id, chunk_id == 0),
    }


def _chunk_ids(chunks: ChunkNumbers, file_id: Array, first: Array, last: Array) -> Array:
    """Return the number of the chunk that is the definition at each place, 0 for none."""
    order = chunks.order[chunks.defines[chunks.order]]
    if not len(order):
        return np.zeros(len(file_id), np.int32)
    keys = _places(chunks.file_id[order], chunks.first_row[order], chunks.last_row[order])
    ascending = np.argsort(keys, kind="stable")
    keys, ids = keys[ascending], chunks.of_corpus[order][ascending]
    wanted = _places(file_id, first, last)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Array = np.where((keys[at] == wanted) & (first >= 0) & (file_id > 0), ids[at], 0)
    return found


def _places(file_id: Array, first: Array, last: Array) -> Array:
    limit = (1 << ROW_BITS) - 1
    rows: Array = file_id.astype(np.int64) << 2 * ROW_BITS
    rows |= np.clip(first, 0, limit) << ROW_BITS | np.clip(last, 0, limit)
    return rows


def _edges(numbers: SymbolNumbers, repository: str) -> Columns:
    graph = numbers.graphs[repository]
    base, line = np.int32(numbers.first[repository]), graph.arrays["edge_row"].astype(np.int32) + 1
    return {
        "repository": constant(repository, len(line)),
        "source_id": graph.edge_source.astype(np.int32) + base,
        "target_id": graph.edge_target.astype(np.int32) + base,
        "kind": labelled([str(kind) for kind in EDGE_KINDS], graph.edge_kind.astype(np.int64)),
        "certainty": labelled(CERTAINTIES, np.minimum(graph.edge_candidates, 2).astype(np.int64)),
        "candidates": graph.edge_candidates,
        "path": labelled(graph.paths.all(), graph.edge_files().astype(np.int64)),
        "line": nullable(line, line < 1),
    }
