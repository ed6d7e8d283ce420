"""A server that answers as the documentation of Elasticsearch and OpenSearch says, for what coderag asks of them.

It refuses whatever else it is asked: unknown routes, queries, options and fields. As theirs, its searches see what was
refreshed alone, its features have nine significant bits, and its scores four bytes. Vectors are compared exactly.
"""

from __future__ import annotations

import json
import pickle
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from fnmatch import fnmatchcase
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np

MOST_CLAUSES, MOST_HITS, MOST_VALUES = 1024, 10_000, 65_536
OPTIONS = {"refresh", "ignore_unavailable", "allow_no_indices", "conflicts", "_source"}
Document = dict[str, Any]


class RefusedError(Exception):
    """What is answered with an error."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.kind = status, kind


class Engine:
    """Indices in memory."""

    def __init__(self, product: str) -> None:
        self.product = product
        self.mappings: dict[str, Document] = {}
        self.written: dict[str, dict[str, Document]] = {}
        self.searched: dict[str, dict[str, Document]] = {}
        self.lock = threading.Lock()
        self.left = 1 << 30  # requests until connections are cut
        self.busy = 0  # requests that are refused as too many
        self.failed_shards = 0
        self.asked: list[str] = []
        self.authorizations: set[str | None] = set()
        self.port = 0

    @property
    def address(self) -> str:
        """Where it is."""
        return f"{self.product}://127.0.0.1:{self.port}"

    def copy_indices(self, other: Engine) -> None:
        """Take copies of all indices of another one."""
        copied = pickle.loads(pickle.dumps((other.mappings, other.written, other.searched)))
        self.mappings, self.written, self.searched = copied

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, Any]:
        """Return the status and the body of an answer."""
        parts = urlsplit(target)
        options = dict(parse_qsl(parts.query))
        if unknown := options.keys() - OPTIONS:
            raise RefusedError(400, "illegal_argument_exception", f"unrecognized parameters: {sorted(unknown)}")
        path = [unquote(part) for part in parts.path.strip("/").split("/")]
        with self.lock:
            self.asked.append(f"{method} {path[-1] if path[-1].startswith('_') else len(path)}")
            status, answer = self._route(method, path, options, body)
            if options.get("refresh") == "true":
                self._refresh(path[0])
            return status, answer

    def _route(self, method: str, path: list[str], options: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        sent = json.loads(body) if body and path != ["_bulk"] else {}
        match method, path:
            case "GET", [""]:
                version = {"number": "3.0.0", "distribution": "opensearch"}
                return 200, {"version": version if self.product == "opensearch" else {"number": "9.0.0"}}
            case "HEAD", [index]:
                return (200 if index in self.mappings else 404), None
            case "PUT", [index]:
                return 200, self._create(index, sent)
            case "POST", ["_bulk"]:
                return 200, self._bulk(body)
            case "PUT", [index, "_doc", identity]:
                self._write(index, identity, sent)
                return 201, {"result": "created"}
            case "PUT", [index, "_create", identity]:
                if identity in self.written.get(index, {}):
                    raise RefusedError(409, "version_conflict_engine_exception", "document already exists")
                self._write(index, identity, sent)
                return 201, {"result": "created"}
            case "DELETE", [index, "_doc", identity]:
                known = self.written.get(index, {}).pop(identity, None)
                return (200, {"result": "deleted"}) if known else (404, {"result": "not_found"})
            case "POST", [names, "_refresh"]:
                self._refresh(names)
                return 200, {"_shards": {"failed": 0}}
            case "POST", [names, "_search"]:
                return 200, self._search(self._named(names, options), sent)
            case "POST", [index, "_mget"]:
                return 200, {"docs": [self._one(index, identity) for identity in sent["ids"]]}
            case "POST", [names, "_delete_by_query"]:
                return 200, self._delete(self._named(names, options), sent)
        raise RefusedError(405, "illegal_argument_exception", f"no handler for {method} {path}")

    def _named(self, names: str, options: Mapping[str, str]) -> list[str]:
        found = []
        for name in names.split(","):
            own = [index for index in self.mappings if fnmatchcase(index, name)]
            if not own and options.get("ignore_unavailable") != "true":
                raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
            found += own
        return found

    def _create(self, index: str, body: Document) -> Document:
        if index in self.mappings:
            raise RefusedError(400, "resource_already_exists_exception", f"index [{index}] already exists")
        assert body.keys() <= {"mappings", "settings"}, body
        vector = body["mappings"]["properties"].get("vector", {"type": ""})
        wanted = {"elasticsearch": "dense_vector", "opensearch": "knn_vector"}[self.product]
        if vector["type"] not in ("", wanted) or (wanted == "knn_vector" and vector["type"] and "settings" not in body):
            raise RefusedError(400, "mapper_parsing_exception", f"No handler for type [{vector['type']}]")
        self.mappings[index], self.written[index], self.searched[index] = body["mappings"], {}, {}
        return {"acknowledged": True, "index": index}

    def _bulk(self, body: bytes) -> Document:
        lines = body.split(b"\n")
        assert lines.pop() == b"", "the last line has to end"
        items: list[Document] = []
        for action, line in zip(lines[::2], lines[1::2], strict=True):
            target = json.loads(action)["index"]
            try:
                self._write(target["_index"], target["_id"], json.loads(line))
                items.append({"index": {"status": 201, **target}})
            except RefusedError as error:
                said = {"type": error.kind, "reason": str(error)}
                items.append({"index": {"status": error.status, "error": said, **target}})
        return {"errors": any("error" in item["index"] for item in items), "items": items}

    def _write(self, index: str, identity: str, row: Document) -> None:
        if index not in self.mappings or len(identity.encode()) > 512:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{index}], or too long an id")
        properties = self.mappings[index]["properties"]
        kept = deepcopy(row)
        for name, value in row.items():
            kind = properties.get(name, {"type": None})
            match kind["type"]:
                case None:
                    raise RefusedError(
                        400, "strict_dynamic_mapping_exception", f"[{name}] within [_doc] is not allowed"
                    )
                case "rank_features":
                    if any(weight <= 0 or "." in feature for feature, weight in value.items()):
                        raise RefusedError(400, "illegal_argument_exception", "[rank_features] fields must be positive")
                    kept[name] = {feature: _nine_bits(weight) for feature, weight in value.items()}
                case "dense_vector" | "knn_vector" if len(value) != kind.get("dims", kind.get("dimension")):
                    raise RefusedError(400, "document_parsing_exception", "different number of dimensions")
                case "keyword" if any(
                    len(one.encode()) > 32_766 for one in ([value] if isinstance(value, str) else value)
                ):
                    raise RefusedError(400, "illegal_argument_exception", "immense term")
        self.written[index][identity] = kept

    def _refresh(self, names: str) -> None:
        for index in self.mappings:
            if any(fnmatchcase(index, name) for name in names.split(",")):
                self.searched[index] = dict(self.written[index])

    def _one(self, index: str, identity: str) -> Document:
        row = self.written.get(index, {}).get(identity)
        found = {"_index": index, "_id": identity, "found": row is not None}
        return found if row is None else {**found, "_source": row}

    def _delete(self, indices: list[str], body: Document) -> Document:
        deleted = 0
        for index in indices:
            for identity, row in list(self.searched[index].items()):
                if _score(body["query"], row, self.mappings[index]) is not None:
                    deleted += self.written[index].pop(identity, None) is not None
            self.searched[index] = dict(self.written[index])
        return {"deleted": deleted}

    def _search(self, indices: list[str], body: Document) -> Document:
        known = {"size", "_source", "track_total_hits", "query", "knn", "sort", "search_after"}
        assert body.keys() <= known, body.keys() - known
        if body["size"] > MOST_HITS:
            raise RefusedError(400, "illegal_argument_exception", "Result window is too large")
        found: list[tuple[float, str, Document]] = []
        for index in indices:
            score = self._leg(body, self.mappings[index])
            for identity, row in self.searched[index].items():
                if (value := score(row)) is not None:
                    found.append((float(np.float32(value)), identity, row))
        orders = [next(iter(order.items())) for order in body.get("sort", [])]
        for name, order in reversed(orders):
            found.sort(key=partial(_value, name), reverse=order == "desc")
        if not orders:
            found.sort(key=lambda one: -one[0])
        if after := body.get("search_after"):
            assert all(order == "asc" for _, order in orders)
            found = [one for one in found if [one[2][name] for name, _ in orders] > after]
        limit = min(body["size"], body["knn"]["k"]) if "knn" in body else body["size"]
        hits: list[Document] = []
        for score_, identity, row in found[:limit]:
            hit: Document = {"_id": identity, "_score": score_, "sort": [row[name] for name, _ in orders]}
            if body.get("_source", True) is not False:
                wanted = body.get("_source") or list(row)
                hit["_source"] = {name: row[name] for name in wanted}
            hits.append(hit)
        return {"timed_out": False, "_shards": {"failed": self.failed_shards}, "hits": {"hits": hits}}

    def _leg(self, body: Document, mapping: Document) -> Callable[[Document], float | None]:
        if "knn" in body:
            assert self.product == "elasticsearch"
            near = body["knn"]
            assert near.keys() == {"field", "query_vector", "k", "num_candidates", "filter"}
            assert near["k"] <= near["num_candidates"] <= MOST_HITS
            return lambda row: _cosine_score(near["query_vector"], row, near["filter"], mapping)
        _count_clauses(body["query"])
        if "knn" in body["query"]:
            assert self.product == "opensearch"
            near = body["query"]["knn"]["vector"]
            assert near.keys() == {"vector", "k", "filter"}
            return lambda row: _cosine_score(near["vector"], row, near["filter"], mapping)
        return lambda row: _score(body["query"], row, mapping)


def _value(name: str, found: tuple[float, str, Document]) -> Any:
    return found[2][name]


def _cosine_score(vector: list[float], row: Document, only: Document, mapping: Document) -> float | None:
    if _score(only, row, mapping) is None:
        return None
    mine, theirs = np.array(vector), np.array(row["vector"])
    return float((1 + mine @ theirs / np.linalg.norm(mine) / np.linalg.norm(theirs)) / 2)


def _nine_bits(weight: float) -> float:
    """Return a number as Lucene stores a feature: the upper seventeen bits of four bytes."""
    (bits,) = struct.unpack(">I", struct.pack(">f", weight))
    (found,) = struct.unpack(">f", struct.pack(">I", bits >> 15 << 15))
    return float(found)


def _count_clauses(query: Document) -> None:
    text = json.dumps(query)
    clauses = sum(text.count(f'"{kind}":') for kind in ("term", "terms", "prefix", "rank_feature"))
    if clauses > MOST_CLAUSES:
        raise RefusedError(400, "too_many_nested_clauses", "Query contains too many nested clauses")


def _score(query: Document, row: Document, mapping: Document) -> float | None:
    """Return the score of a document, None where it is no hit."""
    ((kind, inside),) = query.items()
    match kind:
        case "match_all":
            return 1.0
        case "bool":
            return _bool_score(inside, row, mapping)
        case "term" | "prefix":
            ((field, value),) = inside.items()
            assert field in mapping["properties"], field
            own = row.get(field)
            if kind == "prefix":
                return 1.0 if str(own).startswith(value) else None
            return 1.0 if own == value or (isinstance(own, list) and value in own) else None
        case "terms":
            ((field, values),) = inside.items()
            assert field in mapping["properties"]
            assert len(values) <= MOST_VALUES
            return 1.0 if row.get(field) in values else None
        case "constant_score":
            assert inside.keys() == {"filter", "boost"}
            return None if _score(inside["filter"], row, mapping) is None else inside["boost"]
        case "rank_feature":
            assert inside.keys() == {"field", "linear", "boost"}
            assert inside["linear"] == {}
            field, _, feature = inside["field"].partition(".")
            assert mapping["properties"][field]["type"] == "rank_features"
            weight = row.get(field, {}).get(feature)
            return None if weight is None else weight * inside["boost"]
    raise RefusedError(400, "parsing_exception", f"unknown query [{kind}]")


def _bool_score(inside: Document, row: Document, mapping: Document) -> float | None:
    assert inside.keys() <= {"should", "minimum_should_match", "filter", "must_not"}, inside.keys()
    if any(_score(one, row, mapping) is None for one in inside.get("filter", [])):
        return None
    if any(_score(one, row, mapping) is not None for one in inside.get("must_not", [])):
        return None
    should = [score for one in inside.get("should", []) if (score := _score(one, row, mapping)) is not None]
    return None if len(should) < inside.get("minimum_should_match", 0) else sum(should)


@contextmanager
def run_engine(product: str) -> Iterator[Engine]:
    """Run one on the loopback."""
    engine = Engine(product)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a body waits for the 40 ms after which headers are acknowledged

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            engine.authorizations.add(self.headers.get("Authorization"))
            engine.left -= 1
            if engine.left < 0:
                self.close_connection = True
                return
            if engine.busy:
                engine.busy -= 1
                self._send(429, {"error": {"type": "circuit_breaking_exception", "reason": "busy"}})
                return
            try:
                self._send(*engine.answer(self.command, self.path, body))
            except RefusedError as error:
                said = {"type": error.kind, "reason": str(error)}
                self._send(error.status, {"error": {**said, "root_cause": [said]}, "status": error.status})

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle  # noqa: N815

        def _send(self, status: int, body: object) -> None:
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        engine.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield engine
        finally:
            server.shutdown()
            thread.join()
