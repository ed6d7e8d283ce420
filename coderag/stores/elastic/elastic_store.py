"""A store in Elasticsearch or OpenSearch: documents by ids of their content, a segment's name last."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from urllib.parse import quote

import numpy as np

from coderag.errors import RemoteStoreError
from coderag.index.storage.arrays.arrays import Array
from coderag.stores.counts import Counts
from coderag.stores.elastic.client import Client
from coderag.stores.elastic.mapping import (
    CHUNKS,
    FILES,
    GENERATIONS,
    PACKETS,
    SEGMENTS,
    Product,
    bulk_lines,
    chunks_index,
    mappings,
    segment_documents,
)
from coderag.stores.elastic.queries import terms_query, vector_query
from coderag.stores.store import Conditions, FileKey, Found, Published, Reach, StoredSegment, check_still_there

__all__ = ["ElasticStore"]

BATCH = 200  # documents that are read at once
PAGE = 1_000  # names of segments and generations
EXISTS, ABSENT = 409, 404
OWN_ROWS = ",".join((FILES, f"{CHUNKS}-*", PACKETS))
IF_THERE = "ignore_unavailable=true&allow_no_indices=true"
NO_DOCUMENTS: dict[str, Any] = {"hits": {"hits": []}}


class ElasticStore:
    """The indices of coderag in a search engine.

    It has no locks: a segment that no generation names yet is safe for the grace of an export (`export_index`).
    """

    def __init__(self, address: str) -> None:
        """Connect; raises QueryError for an address that names no host, and RemoteStoreError."""
        self._client = Client(address)
        try:
            version = self._client.ask("GET", "/").body.get("version", {})
        except RemoteStoreError:
            self._client.close()
            raise
        self._product = Product.OPENSEARCH if version.get("distribution") == "opensearch" else Product.ELASTICSEARCH
        self._made: set[int] = set()  # dimensions for which the indices are there
        self._counts = Counts()

    def put_segment(self, segment: StoredSegment) -> None:
        """Write a segment, its name once the rest can be searched."""
        self._make(segment.vectors.shape[1])
        row = {"name": segment.name, "written": time.time(), "whole": False}
        self._index(SEGMENTS, segment.name, row)
        for lines in bulk_lines(segment_documents(segment)):
            self._client.bulk(lines)
        self._client.ask("POST", f"/{OWN_ROWS}/_refresh?{IF_THERE}")
        self._index(SEGMENTS, segment.name, {**row, "written": time.time(), "whole": True})

    def drop_segment(self, name: str) -> None:
        """Remove a segment, which is not whole from the first moment on."""
        self._index(SEGMENTS, name, {"name": name, "written": time.time(), "whole": False})
        query = {"query": {"term": {"segment": name}}}
        self._client.ask("POST", f"/{OWN_ROWS}/_delete_by_query?{IF_THERE}&conflicts=proceed&refresh=true", query)
        self._delete(SEGMENTS, name)

    def segments(self) -> dict[str, float]:
        """Return the segments that are there, with their ages."""
        return self._ages(is_whole=True)

    def remains(self) -> dict[str, float]:
        """Return the segments that were begun, with their ages."""
        return self._ages(is_whole=False)

    def publish(self, name: str, number: int, body: bytes) -> None:
        """Make a generation the current one; raises RemoteStoreError where another export has just made that number."""
        self._make(0)
        row = {"name": name, "number": number, "written": time.time(), "body": base64.b64encode(body).decode()}
        path = f"/{GENERATIONS}/_create/{_quoted(f'{name}/{number}')}?refresh=true"
        if self._client.ask("PUT", path, row, expected=[EXISTS]).status == EXISTS:
            raise RemoteStoreError(f"another export has just published {name!r}; export again")

    def current(self, name: str) -> Published | None:
        """Return the current generation of an index."""
        body = {"size": 1, "query": {"term": {"name": name}}, "sort": [{"number": "desc"}]}
        hits = self._hits(GENERATIONS, body)
        return _published(hits[0]["_source"]) if hits else None

    def generations(self) -> list[Published]:
        """Return all generations."""
        return [_published(row) for row in self._rows(GENERATIONS, {"match_all": {}}, then="number")]

    def names(self) -> list[str]:
        """Return the names of all indexes, one after the other by the order of names."""
        found: list[str] = []
        after: list[Any] | None = None
        body: dict[str, Any] = {"size": 1, "query": {"match_all": {}}, "sort": [{"name": "asc"}], "_source": ["name"]}
        while hits := self._hits(GENERATIONS, body if after is None else {**body, "search_after": after}):
            found.append(str(hits[0]["_source"]["name"]))
            after = [found[-1]]
        return found

    def forget(self, name: str, number: int) -> None:
        """Remove a generation."""
        self._delete(GENERATIONS, f"{name}/{number}")

    @contextmanager
    def reading(self) -> Iterator[set[str]]:
        """Look in the end whether the segments that were read are still there."""
        names: set[str] = set()
        yield names
        rows = self._documents(SEGMENTS, sorted(names), field="whole")
        check_still_there(names, [name for name, row in rows.items() if row["whole"]])

    def exclusive(self) -> AbstractContextManager[None]:
        """Return what keeps nobody out."""
        return nullcontext()

    def reach(self, chunks: int) -> Reach:  # noqa: ARG002
        """Return the usual numbers."""
        return Reach()

    def by_terms(
        self, keys: Array, weights: Array, where: Conditions, *, k: int, presence: bool = False
    ) -> list[Found]:
        """Return the best files by an inner product, which is exact up to 900 terms."""
        if not where.segments:
            return []
        body, more = terms_query(keys, weights, where, k=k, presence=presence)
        return [Found(_file_key(hit["_id"]), float(hit["_score"]) + more) for hit in self._hits(FILES, body)]

    def by_vector(self, vector: Array, where: Conditions, *, k: int) -> list[Found]:
        """Return the nearest chunks by the HNSW graph of the engine."""
        length = float(np.linalg.norm(vector))
        if not where.segments or not length:
            return []
        body = vector_query(self._product, vector / length, where, k=k)
        hits = ((hit["_source"], 2 * float(hit["_score"]) - 1) for hit in self._hits(chunks_index(len(vector)), body))
        return [Found(FileKey(row["segment"], int(row["file"])), cosine) for row, cosine in hits if cosine > 0]

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

    def _make(self, dimensions: int) -> None:
        """Make the indices that are missing."""
        if dimensions in self._made:
            return
        for index, body in mappings(self._product, dimensions=dimensions).items():
            if self._client.ask("HEAD", f"/{index}", expected=[ABSENT]).status == ABSENT:
                # Another export may have made it meanwhile, which is told as a bad request.
                reply = self._client.ask("PUT", f"/{index}", body, expected=[400])
                if reply.status == 400 and "already_exists" not in str(reply.body):
                    raise RemoteStoreError(f"the search engine made no index {index}: {str(reply.body)[:300]}")
        self._made.add(dimensions)

    def _ages(self, *, is_whole: bool) -> dict[str, float]:
        now = time.time()
        rows = self._rows(SEGMENTS, {"term": {"whole": is_whole}})
        return {row["name"]: now - row["written"] for row in rows}

    def _index(self, index: str, identity: str, row: dict[str, Any]) -> None:
        self._client.ask("PUT", f"/{index}/_doc/{_quoted(identity)}?refresh=true", row)

    def _delete(self, index: str, identity: str) -> None:
        self._client.ask("DELETE", f"/{index}/_doc/{_quoted(identity)}?refresh=true", expected=[ABSENT])

    def _hits(self, index: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the hits of a search; none where there is no such index yet. Raises RemoteStoreError for a part."""
        found = self._client.ask("POST", f"/{index}/_search?{IF_THERE}", body).body
        if found.get("timed_out") or found.get("_shards", {}).get("failed"):
            raise RemoteStoreError("the search engine answered from a part of its shards; ask again")
        hits: list[dict[str, Any]] = found["hits"]["hits"]
        return hits

    def _rows(self, index: str, query: dict[str, Any], *, then: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield all documents of an index, in order of their names."""
        body: dict[str, Any] = {
            "size": PAGE,
            "query": query,
            "sort": [{"name": "asc"}, *([{then: "asc"}] if then else [])],
        }
        while hits := self._hits(index, body):
            yield from (hit["_source"] for hit in hits)
            if len(hits) < PAGE:
                return
            body["search_after"] = hits[-1]["sort"]

    def _read(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return what is stored under keys, of those that are there."""
        rows = self._documents(PACKETS, keys, field="body")
        try:
            return {key: base64.b64decode(row["body"], validate=True) for key, row in rows.items()}
        except (ValueError, TypeError, LookupError) as error:
            raise RemoteStoreError('the store holds a damaged row; run "coderag export" to write it anew') from error

    def _documents(self, index: str, keys: Sequence[str], *, field: str) -> dict[str, dict[str, Any]]:
        """Return a field of documents by their ids, of those that are there."""
        found: dict[str, dict[str, Any]] = {}
        for begin in range(0, len(keys), BATCH):
            asked = {"ids": list(keys[begin : begin + BATCH])}
            reply = self._client.ask("POST", f"/{index}/_mget?_source={field}", asked, expected=[ABSENT])
            found |= {one["_id"]: one["_source"] for one in reply.body.get("docs", ()) if one.get("found")}
        return found


def _published(row: dict[str, Any]) -> Published:
    return Published(row["name"], int(row["number"]), time.time() - row["written"], base64.b64decode(row["body"]))


def _file_key(identity: str) -> FileKey:
    segment, _, number = identity.rpartition("/")
    return FileKey(segment, int(number))


def _quoted(identity: str) -> str:
    return quote(identity, safe="")
