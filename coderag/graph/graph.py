"""The graph of one index as arrays: edges sorted by where they start, and again by where they end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np

from coderag.files.blob import BLOB_BYTES
from coderag.graph.records import Edge, EdgeKind, Node, NodeKind, Note
from coderag.index.storage.arrays.arrays import Array, open_arrays
from coderag.index.storage.arrays.specs import Specs, bounds, check_arrays, column, strings
from coderag.index.storage.arrays.strings import Strings, last_bytes, pack_strings
from coderag.index.storage.columns import pack_labels, unpack_labels
from coderag.index.storage.folder.index_path import IndexPath
from coderag.types import Span

__all__ = ["EDGE_CODES", "EDGE_KINDS", "NODE_KINDS", "Graph", "GraphDraft"]

NODE_KINDS = tuple(NodeKind)  # a code is a position; new ones go to the end
EDGE_KINDS = tuple(EdgeKind)
NODE_CODES = {kind: code for code, kind in enumerate(NODE_KINDS)}
EDGE_CODES = {kind: code for code, kind in enumerate(EDGE_KINDS)}
CANDIDATE_BITS = 8
MAX_CANDIDATES = (1 << CANDIDATE_BITS) - 1
KIND_BITS = 5
COLUMNS = 6  # of edges: source, target, kind, candidates, file, row
NO_ROW = -1
ARRAYS: Specs = {  # of a file: what a draft has, and what matters in it
    **strings("node_name", "nodes"),
    **{f"node_{name}": column("nodes") for name in ("name_bytes", "kind", "file", "first", "row", "last", "database")},
    "node_unknown": column("nodes", "b"),
    "node_rank": column("nodes", "f"),
    "node_community": column("nodes"),
    "name_hash": column("nodes"),
    "name_node": column("nodes"),
    **strings("file_path", "files"),
    "file_labels": column("files"),
    "file_blob": column("files", "u", width=BLOB_BYTES),
    **strings("database_name", "databases"),
    **strings("note_text", "notes"),
    "notes": column("notes", width=3),
    **{f"edge_{name}": column("edges") for name in ("source", "target", "kind", "candidates", "file", "row")},
    "out_starts": bounds("nodes"),
    "in_edges": column("edges"),
    "in_starts": bounds("nodes"),
}


class GraphDraft:
    """A graph while nodes and edges come in; numbers of nodes are positions."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.labels: list[frozenset[str]] = []  # of files
        self.blobs: list[bytes] = []  # of files: git's id of the content that was read
        self.nodes: list[tuple[NodeKind, str, str, int, int, int, int, str, bool]] = []
        self.notes: list[tuple[int, int, int, str]] = []  # node, file, row, text
        self._edges: list[Array] = []  # i32[6, n] each: source, target, kind, candidates, file, row
        self._added: list[int] = []  # those that came one by one since the last of them, row after row

    def add_file(self, path: str, *, labels: frozenset[str] = frozenset(), blob: bytes = b"") -> int:
        """Add a file and return its number."""
        self.files.append(path)
        self.labels.append(labels)
        self.blobs.append(blob)
        return len(self.files) - 1

    def add_node(
        self,
        kind: NodeKind,
        name: str,
        qualified_name: str,
        *,
        file: int = -1,
        rows: tuple[int, int, int] = (NO_ROW, NO_ROW, NO_ROW),
        database: str = "",
        unknown: bool = False,
    ) -> int:
        """Add a node and return its number; `rows` are the first, that of the name and the last, 0-based."""
        self.nodes.append((kind, name, qualified_name, file, *rows, database, unknown))
        return len(self.nodes) - 1

    def add_edge(
        self, source: int, target: int, kind: EdgeKind, *, candidates: int = 0, file: int = -1, row: int = NO_ROW
    ) -> None:
        """Add an edge; of equal ones the surest stays, and of those the first.

        One with a row and no file is written in the file of its source, and found again with every graph.
        """
        self._added += (source, target, EDGE_CODES[kind], candidates, file, row)

    def add_edges(
        self,
        sources: Array,
        targets: Array,
        kinds: EdgeKind | Array,
        *,
        candidates: int | Array = 0,
        file: int | Array = -1,
        rows: int | Array = NO_ROW,
    ) -> None:
        """Add many edges at once; arrays are as long as `sources`, kinds are codes: positions in EDGE_KINDS."""
        self._close()
        codes = EDGE_CODES[kinds] if isinstance(kinds, EdgeKind) else kinds
        table = np.empty((COLUMNS, len(sources)), np.int32)
        for at, values in enumerate((sources, targets, codes, candidates, file, rows)):
            table[at] = values
        self._edges.append(table)

    def edge_columns(self) -> Array:
        """Return the edges so far as columns, i32[6, n]: source, target, kind, candidates, file, row."""
        self._close()
        if len(self._edges) != 1:
            self._edges = [np.concatenate([np.empty((COLUMNS, 0), np.int32), *self._edges], axis=1)]
        return self._edges[0]

    def _close(self) -> None:
        """Put the edges that came one by one behind the others."""
        if self._added:
            self._edges.append(np.array(self._added, np.int32).reshape(-1, COLUMNS).T)
            self._added.clear()

    def add_note(self, node: int, text: str, *, file: int, row: int) -> None:
        """Say what could not be resolved."""
        self.notes.append((node, file, row, text))

    def arrays(self) -> dict[str, Array]:
        """Return the arrays that Graph reads."""
        found: dict[str, Array] = {}
        columns = list(zip(*self.nodes, strict=True)) or [()] * 9
        kinds, names, qualified, files, first, row, last, databases, unknown = columns
        known = sorted(set(databases))
        number = {name: position for position, name in enumerate(known)}
        for key, texts in (
            ("node_name", qualified),
            ("file_path", self.files),
            ("database_name", known),
            ("note_text", [note[3] for note in self.notes]),
        ):
            found[f"{key}_blob"], found[f"{key}_offsets"] = pack_strings(texts)
        sizes = [len(one) if one.isascii() else len(one.encode("utf-8", "surrogateescape")) for one in names]
        found["node_name_bytes"] = np.array(sizes, np.uint32)
        found["node_kind"] = np.frombuffer(bytes(map(NODE_CODES.__getitem__, kinds)), np.uint8)
        for key, values in (("file", files), ("first", first), ("row", row), ("last", last)):
            found[f"node_{key}"] = np.array(values, np.int32)
        found["node_database"] = np.fromiter(map(number.__getitem__, databases), np.uint16, len(databases))
        found["node_unknown"] = np.array(unknown, np.bool_)
        known_hashes = {one: name_hash(one) for one in set(names)}
        hashes = np.fromiter(map(known_hashes.__getitem__, names), np.uint64, len(names))
        order = np.argsort(hashes, kind="stable")
        found["name_hash"], found["name_node"] = hashes[order], order.astype(np.uint32)
        found["file_labels"] = np.array([pack_labels(label) for label in self.labels], np.uint8)
        found["file_blob"] = np.frombuffer(b"".join(blob.ljust(20, b"\0") for blob in self.blobs), np.uint8).reshape(
            -1, 20
        )
        found["notes"] = np.array([note[:3] for note in self.notes], np.int32).reshape(-1, 3)
        return found | self._edge_arrays()

    def _edge_arrays(self) -> dict[str, Array]:
        source, target, kind, candidates, file, row = self.edge_columns()
        starts = source.astype(np.int64) << KIND_BITS | kind
        ends = target.astype(np.int64) << CANDIDATE_BITS | np.minimum(candidates, MAX_CANDIDATES)
        order = np.lexsort((ends, starts))  # stable, so of equal edges the surest is the first, and of those the first
        starts, ends = starts[order], ends[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (starts[1:] != starts[:-1]) | (ends[1:] >> CANDIDATE_BITS != ends[:-1] >> CANDIDATE_BITS)
        order, starts, ends = order[new], starts[new], ends[new]
        source, target, kind = starts >> KIND_BITS, ends >> CANDIDATE_BITS, starts & ((1 << KIND_BITS) - 1)
        candidates = (ends & MAX_CANDIDATES).astype(np.uint8)
        del starts, ends, new
        size = len(self.nodes)
        backwards = np.argsort(target << KIND_BITS | kind, kind="stable")
        return {
            "edge_source": source.astype(np.uint32),
            "edge_target": target.astype(np.uint32),
            "edge_kind": kind.astype(np.uint8),
            "edge_candidates": candidates,
            "edge_file": file[order],
            "edge_row": row[order],
            "out_starts": np.searchsorted(source, np.arange(size + 1)).astype(np.uint32),
            "in_edges": backwards.astype(np.uint32),
            "in_starts": np.searchsorted(target[backwards], np.arange(size + 1)).astype(np.uint32),
        }


def name_hash(name: str) -> int:
    """Return the hash by which nodes of a name are found; case does not matter."""
    return int.from_bytes(blake2b(name.casefold().encode("utf-8", "surrogateescape"), digest_size=8).digest(), "little")


class Graph:
    """A graph opened for reading."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Take the arrays that `GraphDraft.arrays` gave."""
        self.arrays = arrays
        self.edge_source: Array = arrays["edge_source"]
        self.edge_target: Array = arrays["edge_target"]
        self.edge_kind: Array = arrays["edge_kind"]  # codes: positions in EDGE_KINDS
        self.edge_candidates: Array = arrays["edge_candidates"]
        self.node_kind: Array = arrays["node_kind"]  # codes: positions in NODE_KINDS
        self.node_file: Array = arrays["node_file"]  # -1 for none
        self._names = Strings(arrays["node_name_blob"], arrays["node_name_offsets"])
        self.paths = Strings(arrays["file_path_blob"], arrays["file_path_offsets"])

    @classmethod
    def open(cls, path: IndexPath, held: Array | None = None) -> Graph:
        """Open a file without reading it (of `held_file`, where it was called before); raises IndexDamagedError."""
        arrays = open_arrays(path, held)
        check_arrays(path, arrays, ARRAYS)
        return cls(arrays)

    def __len__(self) -> int:
        """Return how many nodes there are."""
        return len(self.node_kind)

    @cached_property
    def databases(self) -> list[str]:
        """The names of the databases."""
        return Strings(self.arrays["database_name_blob"], self.arrays["database_name_offsets"]).all()

    @cached_property
    def file_numbers(self) -> dict[str, int]:
        """The files by path."""
        return {path: number for number, path in enumerate(self.paths.all())}

    def node(self, number: int) -> Node:
        """Return a node."""
        arrays, file = self.arrays, int(self.node_file[number])
        qualified = self._names[number]
        return Node(
            number=int(number),
            kind=NODE_KINDS[self.node_kind[number]],
            name=last_bytes(qualified, int(arrays["node_name_bytes"][number])),
            qualified_name=qualified,
            path=self.paths[file] if file >= 0 else "",
            span=Span(int(arrays["node_first"][number]) + 1, int(arrays["node_last"][number]) + 1),
            row=int(arrays["node_row"][number]) + 1,
            database=self.databases[arrays["node_database"][number]],
            unknown=bool(arrays["node_unknown"][number]),
            labels=unpack_labels(int(arrays["file_labels"][file])) if file >= 0 else frozenset(),
        )

    def location(self, number: int) -> tuple[str, str, int]:
        """Return the qualified name of a node, its path ("" for none) and its line, 1-based."""
        file = int(self.node_file[number])
        return self._names[number], self.paths[file] if file >= 0 else "", int(self.arrays["node_row"][number]) + 1

    def edge(self, number: int) -> Edge:
        """Return an edge by its position."""
        file, source, row = self.arrays["edge_file"][number], self.edge_source[number], self.arrays["edge_row"][number]
        if file < 0 <= row:  # found with every graph, where its source is written
            file = self.node_file[source]
        return Edge(
            source=int(source),
            target=int(self.edge_target[number]),
            kind=EDGE_KINDS[self.edge_kind[number]],
            candidates=int(self.edge_candidates[number]),
            path=self.paths[file] if file >= 0 else "",
            line=int(row) + 1,
        )

    def edge_files(self) -> Array:
        """Return the file in which each edge is written, -1 for none."""
        files, rows = self.arrays["edge_file"], self.arrays["edge_row"]
        found: Array = np.where((files < 0) & (rows >= 0), self.node_file[self.edge_source], files)
        return found

    def out_edges(self, node: int) -> range:
        """Return the positions of the edges that start at a node, by kind."""
        begin, end = (int(array) for array in self.arrays["out_starts"][node : node + 2])
        if end > len(self.edge_kind):
            raise IndexError(f"the edges of node {node} end at {end}, behind the last one")
        return range(begin, end)

    def edge_bounds(self, side: str, nodes: Array) -> tuple[Array, Array]:
        """Return where the edges of some nodes begin and end: i64[nodes] each.

        They are positions of edges that start there for the side "out", and places among "in_edges" for "in".
        """
        starts = self.arrays[f"{side}_starts"]
        begins, ends = starts[nodes].astype(np.int64), starts[nodes + 1].astype(np.int64)
        if (begins > ends).any() or int(ends.max(initial=0)) > len(self.edge_kind):
            raise IndexError(f"the {side}ward edges of some nodes are not there")
        return begins, ends

    def in_edges(self, node: int) -> list[int]:
        """Return the positions of the edges that end at a node, by kind."""
        starts = self.arrays["in_starts"]
        positions: list[int] = self.arrays["in_edges"][int(starts[node]) : int(starts[node + 1])].tolist()
        return positions

    def edges_from(self, node: int, kinds: Sequence[EdgeKind] = EDGE_KINDS) -> Iterator[Edge]:
        """Yield the edges of some kinds that start at a node."""
        codes = {EDGE_CODES[kind] for kind in kinds}
        return (self.edge(out_edge) for out_edge in self.out_edges(node) if self.edge_kind[out_edge] in codes)

    def edges_to(self, node: int, kinds: Sequence[EdgeKind] = EDGE_KINDS) -> Iterator[Edge]:
        """Yield the edges of some kinds that end at a node."""
        codes = {EDGE_CODES[kind] for kind in kinds}
        return (self.edge(in_edge) for in_edge in self.in_edges(node) if self.edge_kind[in_edge] in codes)

    def named(self, name: str) -> list[int]:
        """Return the nodes whose own name is this, in any case."""
        hashes, wanted = self.arrays["name_hash"], np.uint64(name_hash(name))
        first, last = np.searchsorted(hashes, wanted, "left"), np.searchsorted(hashes, wanted, "right")
        found: list[int] = sorted(self.arrays["name_node"][first:last].tolist())
        return found

    def in_file(self, path: str) -> list[int]:
        """Return the nodes of a file in order of their first row, those of data included."""
        number = self.file_numbers.get(path)
        if number is None:
            return []
        found: list[int] = np.flatnonzero(self.node_file == number).tolist()
        first = self.arrays["node_first"]
        return sorted(found, key=lambda one: int(first[one]))

    def file_blob(self, path: str) -> bytes:
        """Return git's id of the content that a file had when the graph was made; raises KeyError."""
        return bytes(self.arrays["file_blob"][self.file_numbers[path]])

    def notes(self, nodes: Sequence[int] | None = None) -> list[Note]:
        """Return what could not be resolved, of some nodes or of all."""
        texts = Strings(self.arrays["note_text_blob"], self.arrays["note_text_offsets"])
        table = self.arrays["notes"]
        rows = range(len(table)) if nodes is None else np.flatnonzero(np.isin(table[:, 0], list(nodes))).tolist()
        found = []
        for at in rows:
            node, file, row = table[at].tolist()
            found.append(Note(node, self.paths[file] if file >= 0 else "", row + 1, texts[at]))
        return found
