"""A store in Milvus: sparse vectors of files and dense vectors of chunks, found by inner product.

Milvus has no transactions. So every row has a key that follows from its content, and is written with `upsert`: who
writes a segment twice, or two at once, write the same rows. A segment is there when its row in the collection of
segments is, which is written last, and so is the row of a generation.
"""

from __future__ import annotations

import base64
import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from pymilvus import DataType, MilvusClient, MilvusException

from coderag.errors import RemoteStoreError
from coderag.index.storage.arrays.arrays import Array
from coderag.stores.counts import Counts, segment_packets
from coderag.stores.store import Conditions, FileKey, Found, Published, Reach, StoredSegment, check_still_there

__all__ = ["TOKEN_VARIABLE", "MilvusStore"]

TOKEN_VARIABLE = "MILVUS_TOKEN"
FILES, CHUNKS, PIECES = "coderag_files", "coderag_chunks", "coderag_pieces"
SEGMENTS, GENERATIONS = "coderag_segments", "coderag_generations"
FOLDED = (1 << 32) - 2  # dimensions of a sparse vector: keys are folded, which raises a score at most
PIECE_CHARACTERS = 60_000  # of a text in Milvus, which has no bytes and texts of 65,535
MOST_PIECES = 10_000  # of a packet, which are 450 MB
BATCH = 200  # rows that are sent at once
MOST_ROWS = 16_384  # that Milvus returns at once
MAX_PATH = 4_096
EVERY_ROW = 'id != ""'
NOTHING = [0.0, 0.0]  # the vector of rows that need none, as Milvus takes no collection without
QUOTED = frozenset('%_"\\\n\r\t')  # signs that mean something in a pattern of Milvus
ESCAPES = {ord(sign): f"\\{escape}" for sign, escape in zip('\\"\n\r\t', '\\"nrt', strict=True)}
Row = dict[str, Any]


class MilvusStore:
    """The collections of coderag in a Milvus, or in a file of Milvus Lite."""

    def __init__(self, address: str) -> None:
        """Connect to http://host:port, or open the file of Milvus Lite at a path; raises RemoteStoreError."""
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs what it raises, too
        with _asking():
            self._client = MilvusClient(address, token=os.environ.get(TOKEN_VARIABLE, ""))
            self._made = set(self._client.list_collections()) & _COLLECTIONS.keys()
            for collection in sorted(self._made):
                self._client.load_collection(collection)
        self._counts = Counts()

    def put_segment(self, segment: StoredSegment) -> None:
        """Write a segment, its name last."""
        self._make(segment.vectors.shape[1])
        self._upsert(SEGMENTS, [{"id": segment.name, "written": -time.time(), "none": NOTHING}])
        self._upsert(FILES, _file_rows(segment))
        self._upsert(CHUNKS, _chunk_rows(segment))
        self._upsert(PIECES, _pieces(segment.name, segment_packets(segment)))
        self._upsert(SEGMENTS, [{"id": segment.name, "written": time.time(), "none": NOTHING}])

    def drop_segment(self, name: str) -> None:
        """Remove a segment, which is not whole from the first moment on."""
        self._upsert(SEGMENTS, [{"id": name, "written": -time.time(), "none": NOTHING}])
        with _asking():
            for collection in sorted({FILES, CHUNKS, PIECES} & self._made):
                self._client.delete(collection, filter=f"segment == {_quoted(name)}")
            self._client.delete(SEGMENTS, ids=[name])

    def segments(self) -> dict[str, float]:
        """Return the segments that are there, with their ages."""
        now = time.time()
        rows = self._rows(SEGMENTS, EVERY_ROW, ["written"])
        return {row["id"]: now - row["written"] for row in rows if row["written"] > 0}

    def remains(self) -> dict[str, float]:
        """Return the segments that were begun, with their ages: when they were is below 0."""
        now = time.time()
        rows = self._rows(SEGMENTS, EVERY_ROW, ["written"])
        return {row["id"]: now + row["written"] for row in rows if row["written"] < 0}

    def publish(self, name: str, number: int, body: bytes) -> None:
        """Make a generation the current one: its pieces first, then its row."""
        self._make(0)
        owner = f"generation {blake2b(body, digest_size=16).hexdigest()}"
        self._upsert(PIECES, _pieces(owner, [("", body)]))
        row = {"id": f"{name}/{number}", "name": name, "number": number, "written": time.time(), "body": owner}
        self._upsert(GENERATIONS, [row | {"none": NOTHING}])

    def current(self, name: str) -> Published | None:
        """Return the current generation of an index."""
        rows = self._rows(GENERATIONS, f"name == {_quoted(name)}", ["name", "number", "written", "body"])
        return self._published(max(rows, key=lambda row: int(row["number"]))) if rows else None

    def generations(self) -> list[Published]:
        """Return all generations."""
        rows = self._rows(GENERATIONS, EVERY_ROW, ["name", "number", "written", "body"])
        return [self._published(row) for row in sorted(rows, key=lambda row: (row["name"], row["number"]))]

    def names(self) -> list[str]:
        """Return the names of all indexes."""
        return sorted({row["name"] for row in self._rows(GENERATIONS, EVERY_ROW, ["name"])})

    def forget(self, name: str, number: int) -> None:
        """Remove a generation; its pieces may be those of another one."""
        with _asking():
            self._client.delete(GENERATIONS, ids=[f"{name}/{number}"])

    @contextmanager
    def reading(self) -> Iterator[set[str]]:
        """Look in the end whether the segments that were read are still there."""
        names: set[str] = set()
        yield names
        left, rows = iter(sorted(names)), list[Row]()
        with _asking():
            while batch := list(islice(left, BATCH)):
                rows += self._client.get(SEGMENTS, ids=batch, output_fields=["id", "written"])
        check_still_there(names, [row["id"] for row in rows if row["written"] > 0])

    def exclusive(self) -> AbstractContextManager[None]:
        """Return what keeps nobody out: Milvus has no locks, so the grace of exports has to suffice."""
        return nullcontext()

    def reach(self, chunks: int) -> Reach:  # noqa: ARG002
        """Return the usual numbers."""
        return Reach()

    def by_terms(
        self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
    ) -> list[Found]:
        """Return the best files by an inner product; terms that share a dimension raise it."""
        field = "holds" if presence else "terms"
        return self._search(FILES, field, _sparse(keys, weights), where, k=k)

    def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
        """Return the nearest chunks: all are compared, unless another index was made in Milvus."""
        unit = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return self._search(CHUNKS, "vector", unit.astype(np.float32).tolist(), where, k=k)

    def frequencies(self, keys: Array, segments: Sequence[str], *, roughly: bool = False) -> Array:  # noqa: ARG002
        """Return in how many chunks each key is."""
        return self._counts.sums(keys, segments, self._read)

    def fetch(self, files: Iterable[FileKey], where: Conditions) -> dict[FileKey, bytes]:
        """Return the packets of files."""
        seen = set(where.segments)
        wanted = {f"{key.segment}/{key.number}": key for key in files if key.segment in seen}
        found = self._read(list(wanted))
        if len(found) < len(wanted):
            raise RemoteStoreError("the store dropped files of a generation while it was read; ask again")
        return {wanted[key]: body for key, body in found.items()}

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _published(self, row: Row) -> Published:
        body = self._read([f"{row['body']}/"]).get(f"{row['body']}/")
        if body is None:
            raise RemoteStoreError(f'a generation of {row["name"]!r} is damaged; run "coderag export"')
        return Published(row["name"], int(row["number"]), time.time() - row["written"], body)

    def _search(self, collection: str, field: str, vector: object, where: Conditions, *, k: int) -> list[Found]:
        if collection not in self._made or not where.segments:
            return []
        with _asking():
            [hits] = self._client.search(
                collection,
                data=[vector],
                anns_field=field,
                limit=min(k, MOST_ROWS),
                filter=_filter(where),
                output_fields=["segment", "file"],
                search_params={"metric_type": "IP", "params": {"ef": 2 * k} if field == "vector" else {}},
            )
        entities = [(hit["entity"], float(hit["distance"])) for hit in hits]
        return [Found(FileKey(one["segment"], int(one["file"])), score) for one, score in entities if score > 0]

    def _rows(self, collection: str, condition: str, fields: list[str]) -> list[Row]:
        if collection not in self._made:
            return []
        with _asking():
            return list(
                self._client.query(collection, filter=condition, output_fields=["id", *fields], limit=MOST_ROWS)
            )

    def _read(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return what is stored under keys, of those that are there whole."""
        firsts = self._texts([f"{key}/0" for key in keys])
        counts = {key: _count(firsts[f"{key}/0"]) for key in keys if f"{key}/0" in firsts}
        rest = self._texts([f"{key}/{number}" for key, count in counts.items() for number in range(1, count)])
        texts = {key: text.partition(":")[2] for key, text in (firsts | rest).items()}
        whole = {key: [texts.get(f"{key}/{number}") for number in range(count)] for key, count in counts.items()}
        return {key: _decoded("".join(filter(None, parts))) for key, parts in whole.items() if None not in parts}

    def _texts(self, keys: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for begin in range(0, len(keys) if PIECES in self._made else 0, BATCH):
            with _asking():
                rows = self._client.get(PIECES, ids=list(keys[begin : begin + BATCH]), output_fields=["id", "text"])
            found |= {row["id"]: row["text"] for row in rows}
        return found

    def _upsert(self, collection: str, rows: Iterable[Row]) -> None:
        left = iter(rows)
        with _asking():
            while batch := list(islice(left, BATCH)):
                self._client.upsert(collection, batch)
            self._client.flush(collection)

    def _make(self, dimensions: int) -> None:
        """Make the collections that are missing; that of chunks once its vectors' length is known."""
        for collection, fields in _COLLECTIONS.items():
            if collection in self._made or (collection == CHUNKS and not dimensions):
                continue
            schema, indexes = MilvusClient.create_schema(auto_id=False), MilvusClient.prepare_index_params()
            schema.add_field("id", DataType.VARCHAR, max_length=512, is_primary=True)
            for name, (kind, size) in fields.items():
                if kind is DataType.VARCHAR:
                    schema.add_field(name, kind, max_length=size)
                elif kind is DataType.FLOAT_VECTOR:
                    schema.add_field(name, kind, dim=size or dimensions)
                    # A graph misses some of the nearest, most where a filter leaves one repository of many.
                    indexes.add_index(name, index_type="FLAT", metric_type="IP")
                else:
                    schema.add_field(name, kind)
                    if kind is DataType.SPARSE_FLOAT_VECTOR:
                        indexes.add_index(name, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
            with _asking():
                self._client.create_collection(
                    collection, schema=schema, index_params=indexes, consistency_level="Strong"
                )
            self._made.add(collection)


_TEXT, _NUMBER, _VECTOR = DataType.VARCHAR, DataType.INT64, DataType.FLOAT_VECTOR
_OF_FILES = {
    "segment": (_TEXT, 64),
    "file": (_NUMBER, 0),
    "path": (_TEXT, MAX_PATH),
    "language": (_TEXT, 64),
    "is_test": (DataType.BOOL, 0),
}
_COLLECTIONS: dict[str, dict[str, tuple[DataType, int]]] = {
    FILES: {**_OF_FILES, "terms": (DataType.SPARSE_FLOAT_VECTOR, 0), "holds": (DataType.SPARSE_FLOAT_VECTOR, 0)},
    CHUNKS: {**_OF_FILES, "vector": (_VECTOR, 0)},
    PIECES: {"segment": (_TEXT, 64), "text": (_TEXT, 65_535), "none": (_VECTOR, 2)},
    SEGMENTS: {"written": (DataType.DOUBLE, 0), "none": (_VECTOR, 2)},
    GENERATIONS: {
        "name": (_TEXT, 512),
        "number": (_NUMBER, 0),
        "written": (DataType.DOUBLE, 0),
        "body": (_TEXT, 64),
        "none": (_VECTOR, 2),
    },
}


def _file_rows(segment: StoredSegment) -> Iterator[Row]:
    order = np.argsort(segment.key_files, kind="stable")
    keys, files, weights = segment.keys[order], segment.key_files[order], segment.weights[order] / np.float32(255)
    for file, row in _scalars(segment).items():
        here = slice(*np.searchsorted(files, [file, file + 1]).tolist())
        ones = np.ones(here.stop - here.start, dtype=np.float32)
        yield {**row, "id": f"{segment.name}/{file}", "terms": _sparse(keys[here], weights[here])} | {
            "holds": _sparse(keys[here], ones)
        }


def _chunk_rows(segment: StoredSegment) -> Iterator[Row]:
    scalars = _scalars(segment)
    for number, (file, vector) in enumerate(zip(segment.vector_files.tolist(), segment.vectors, strict=True)):
        yield {**scalars[file], "id": f"{segment.name}/{number}", "vector": vector.astype(np.float32).tolist()}


def _scalars(segment: StoredSegment) -> dict[int, Row]:
    """Return what filters ask of each file."""
    return {
        file.number: {
            "segment": segment.name,
            "file": file.number,
            "path": file.path.encode("utf-8", "replace")[: MAX_PATH - 4].decode("utf-8", "ignore"),
            "language": file.language,
            "is_test": file.is_test,
        }
        for file in segment.files
    }


def _pieces(owner: str, packets: Iterable[tuple[str, bytes]]) -> Iterator[Row]:
    """Yield packets as rows of text; each begins with the number of rows that the packet has."""
    for key, body in packets:
        text = base64.b64encode(body).decode()
        count = max(-(-len(text) // PIECE_CHARACTERS), 1)
        for number in range(count):
            piece = text[number * PIECE_CHARACTERS : (number + 1) * PIECE_CHARACTERS]
            identity = f"{owner}/{key}/{number}"
            yield {"id": identity, "segment": owner, "text": f"{count}:{piece}", "none": NOTHING}


def _count(first: str) -> int:
    """Return how many rows the packet has whose first row this is."""
    count = first.partition(":")[0]
    if not (count.isascii() and count.isdigit() and len(count) <= len(str(MOST_PIECES)) and int(count) <= MOST_PIECES):
        raise RemoteStoreError('the store holds a damaged row; run "coderag export" to write it anew')
    return int(count)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise RemoteStoreError('the store holds a damaged row; run "coderag export" to write it anew') from error


def _sparse(keys: Array, weights: Array) -> dict[int, float]:
    """Return a sparse vector; keys that share a dimension add up, so no inner product is too small."""
    found: dict[int, float] = {}
    for key, weight in zip((keys % np.uint64(FOLDED)).tolist(), weights.tolist(), strict=True):
        found[key] = found.get(key, 0.0) + weight
    return found or {0: 1e-9}


def _quoted(text: str) -> str:
    """Return a text as Milvus reads it in a condition; it knows other escapes than JSON."""
    return '"' + text.translate(ESCAPES) + '"'


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _filter(where: Conditions) -> str:
    """Return the conditions of a leg as Milvus reads them."""
    parts = [f"segment in {_list(where.segments)}"]
    dead: dict[str, list[int]] = {}
    for key in where.dead:
        dead.setdefault(key.segment, []).append(key.number)
    parts += [f"not (segment == {_quoted(name)} and file in {files})" for name, files in dead.items()]
    if where.languages:
        parts.append(f"language in {_list(where.languages)}")
    if where.without_tests:
        parts.append("is_test == false")
    if where.folders and not any(QUOTED.intersection(folder) for folder in where.folders):
        parts.append("(" + " or ".join(f'path like "{folder}%"' for folder in where.folders) + ")")
    return " and ".join(parts)


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except MilvusException as error:
        raise RemoteStoreError(f"Milvus: {' '.join(str(error.message).split())[:300]}") from error
