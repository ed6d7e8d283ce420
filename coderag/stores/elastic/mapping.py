"""A segment to documents of Elasticsearch or OpenSearch, and the mappings of these.

A file is a document with its terms as `rank_features`, a field of both products: a query of type `rank_feature` with
the function `linear` gives the number itself, which Lucene stores with nine significant bits. Weights take eight, so
the sum of such queries is the inner product, exactly and without a script.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from coderag.stores.counts import segment_packets
from coderag.stores.store import StoredSegment

__all__ = [
    "CHUNKS",
    "FILES",
    "GENERATIONS",
    "PACKETS",
    "SEGMENTS",
    "Product",
    "bulk_lines",
    "chunks_index",
    "feature",
    "mappings",
    "segment_documents",
]

FILES, CHUNKS, PACKETS = "coderag-files", "coderag-chunks", "coderag-packets"
SEGMENTS, GENERATIONS = "coderag-segments", "coderag-generations"
MAX_PATH_BYTES = 8_000  # of the 32,766 that Lucene takes in a keyword
BULK_BYTES = 4 << 20  # of documents that are sent at once
Document = dict[str, Any]


class Product(StrEnum):
    """Which of both it is; they differ in vectors alone."""

    ELASTICSEARCH = "elasticsearch"
    OPENSEARCH = "opensearch"


def chunks_index(dimensions: int) -> str:
    """Return the index of chunks whose vectors have so many dimensions, which a mapping fixes."""
    return f"{CHUNKS}-{dimensions}"


def mappings(product: Product, *, dimensions: int) -> dict[str, Document]:
    """Return what each index is made with; that of chunks where there are dimensions."""
    keyword, number = {"type": "keyword"}, {"type": "integer"}
    scalars = {
        "segment": keyword,
        "file": number,
        "path": keyword,
        "language": keyword,
        "is_test": {"type": "boolean"},
    }
    found = {
        FILES: _strict(
            scalars | {"terms": {"type": "rank_features"}, "holds": {"type": "keyword", "doc_values": False}},
            left_out=["terms", "holds"],
        ),
        PACKETS: _strict({"segment": keyword, "body": {"type": "binary"}}),
        SEGMENTS: _strict({"name": keyword, "written": {"type": "double"}, "whole": {"type": "boolean"}}),
        GENERATIONS: _strict(
            {"name": keyword, "number": {"type": "long"}, "written": {"type": "double"}, "body": {"type": "binary"}}
        ),
    }
    if dimensions:
        found[chunks_index(dimensions)] = _with_vectors(product, scalars, dimensions)
    return found


def _strict(properties: Mapping[str, object], *, left_out: Iterable[str] = ()) -> Document:
    source = {"_source": {"excludes": list(left_out)}} if left_out else {}
    return {"mappings": {"dynamic": "strict", **source, "properties": dict(properties)}}


def _with_vectors(product: Product, scalars: Mapping[str, object], dimensions: int) -> Document:
    if product is Product.ELASTICSEARCH:
        # Of full precision: what is quantised gives other scores than files do.
        vector = {
            "type": "dense_vector",
            "dims": dimensions,
            "index": True,
            "similarity": "cosine",
            "index_options": {"type": "hnsw"},
        }
        return _strict({**scalars, "vector": vector}, left_out=["vector"])
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
    vector = {"type": "knn_vector", "dimension": dimensions, "method": method}
    return {"settings": {"index.knn": True}, **_strict({**scalars, "vector": vector}, left_out=["vector"])}


def feature(key: int) -> str:
    """Return the name of a term: its hash, of which nothing is folded."""
    return f"{key:016x}"


def segment_documents(segment: StoredSegment) -> Iterator[tuple[str, str, Document]]:
    """Yield the documents of a segment, each with its index and its id; they say nothing of the segment being whole."""
    scalars = _scalars(segment)
    yield from _files(segment, scalars)
    index = chunks_index(segment.vectors.shape[1])
    for number, (file, vector) in enumerate(zip(segment.vector_files.tolist(), segment.vectors, strict=True)):
        row = [round(value, 6) for value in vector.astype(float).tolist()]
        yield index, f"{segment.name}/{number}", {**scalars[file], "vector": row}
    for key, body in segment_packets(segment):
        encoded = base64.b64encode(body).decode()
        yield PACKETS, f"{segment.name}/{key}", {"segment": segment.name, "body": encoded}


def _files(segment: StoredSegment, scalars: Mapping[int, Document]) -> Iterator[tuple[str, str, Document]]:
    order = np.argsort(segment.key_files, kind="stable")
    keys, files, weights = segment.keys[order], segment.key_files[order], segment.weights[order]
    for file, row in scalars.items():
        here = slice(*np.searchsorted(files, [file, file + 1]).tolist())
        names = [feature(key) for key in keys[here].tolist()]
        # Only what is above 0 may be a feature; it is held all the same.
        terms = {name: weight for name, weight in zip(names, weights[here].tolist(), strict=True) if weight}
        yield FILES, f"{segment.name}/{file}", {**row, "terms": terms, "holds": names}


def _scalars(segment: StoredSegment) -> dict[int, Document]:
    """Return what filters ask of each file."""
    return {
        file.number: {
            "segment": segment.name,
            "file": file.number,
            "path": file.path.encode("utf-8", "replace")[:MAX_PATH_BYTES].decode("utf-8", "ignore"),
            "language": file.language,
            "is_test": file.is_test,
        }
        for file in segment.files
    }


def bulk_lines(documents: Iterable[tuple[str, str, Document]]) -> Iterator[bytes]:
    """Yield documents as requests that write them, each of a few megabytes; written twice they are there once."""
    lines: list[bytes] = []
    size = 0
    for index, identity, document in documents:
        action = json.dumps({"index": {"_index": index, "_id": identity}})
        lines.append(f"{action}\n{json.dumps(document, separators=(',', ':'))}\n".encode())
        size += len(lines[-1])
        if size >= BULK_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)
