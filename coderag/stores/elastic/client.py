"""Requests to Elasticsearch or OpenSearch, and their answers as JSON."""

from __future__ import annotations

import base64
import http.client
import ipaddress
import json
import os
import ssl
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from coderag.errors import QueryError, RemoteStoreError

__all__ = ["KEY_VARIABLE", "PASSWORD_VARIABLE", "Client", "Reply"]

KEY_VARIABLE, PASSWORD_VARIABLE = "ELASTIC_API_KEY", "ELASTIC_PASSWORD"
PORT = 9200
TIMEOUT = 60.0  # seconds; a delete by query of a large segment takes a few
TRIES = 4  # while it says that it is busy
FIRST_WAIT = 0.5  # seconds, doubled from try to try
BUSY = frozenset({429, 502, 503, 504})
SHOWN = 300  # characters of what it says about an error
JSON, LINES = "application/json", "application/x-ndjson"


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: Any


class Client:
    """A connection that is kept between requests; one thread at a time may use it."""

    def __init__(self, address: str) -> None:
        """Take elasticsearch://USER@HOST:PORT; raises QueryError for an address that names no host."""
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port or PORT
        except ValueError as error:
            raise QueryError(f"the store's address is none: {error}") from error
        if not host or parts.path not in ("", "/") or parts.query:
            raise QueryError("the address of a search engine is elasticsearch://USER@HOST:PORT or opensearch://...")
        self._headers = {"Accept": JSON, **_authorization(unquote(parts.username or ""))}
        self._connection: http.client.HTTPConnection
        if is_loopback(host):
            self._connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        else:
            context = ssl.create_default_context()
            self._connection = http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=context)

    def ask(self, method: str, path: str, body: object = None, *, expected: Iterable[int] = ()) -> Reply:
        """Return the answer to a request with JSON; raises RemoteStoreError unless it worked or is as `expected`."""
        raw = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        return self._asked(method, path, raw, kind=JSON, expected=frozenset(expected))

    def bulk(self, lines: bytes) -> None:
        """Write documents, as lines of JSON; raises RemoteStoreError where one was refused."""
        body = self._asked("POST", "/_bulk", lines, kind=LINES, expected=frozenset()).body
        if body.get("errors"):
            failed = next(one for item in body["items"] for one in item.values() if "error" in one)
            raise _failure(failed.get("status", 0), failed)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _asked(self, method: str, path: str, raw: bytes | None, *, kind: str, expected: frozenset[int]) -> Reply:
        headers = self._headers if raw is None else {**self._headers, "Content-Type": kind}
        wait = FIRST_WAIT
        for turn in range(TRIES):
            status, data = self._sent(method, path, raw, headers)
            if status not in BUSY or turn == TRIES - 1:
                break
            time.sleep(wait)
            wait *= 2
        try:
            body = json.loads(data) if data else {}
        except ValueError as error:
            raise RemoteStoreError(f"the search engine answered {status} and no JSON") from error
        if status >= http.client.BAD_REQUEST and status not in expected:
            raise _failure(status, body)
        return Reply(status, body)

    def _sent(self, method: str, path: str, raw: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Return status and body; a connection that was closed while it was idle is made again."""
        was_open = self._connection.sock is not None
        try:
            return self._sent_once(method, path, raw, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self._connection.close()
            if not was_open:
                raise _unreachable(error) from error
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise _unreachable(error) from error
        try:
            return self._sent_once(method, path, raw, headers)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise _unreachable(error) from error

    def _sent_once(self, method: str, path: str, raw: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        self._connection.request(method, path, raw, dict(headers))
        with self._connection.getresponse() as reply:
            return reply.status, reply.read()


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, to which nothing has to be encrypted."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _authorization(user: str) -> dict[str, str]:
    if key := os.environ.get(KEY_VARIABLE):
        return {"Authorization": f"ApiKey {key}"}
    if not user:
        return {}
    pair = f"{user}:{os.environ.get(PASSWORD_VARIABLE, '')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _failure(status: int, body: Any) -> RemoteStoreError:
    error = body.get("error", body) if isinstance(body, dict) else body
    causes = error.get("root_cause") if isinstance(error, dict) else None
    said = (causes[0] if causes else error) if isinstance(error, dict) else error
    words = f"{said.get('type', '')}: {said.get('reason', '')}" if isinstance(said, dict) else str(said)
    return RemoteStoreError(f"the search engine refused ({status}): {' '.join(words.split())[:SHOWN]}")


def _unreachable(error: Exception) -> RemoteStoreError:
    return RemoteStoreError(f"the search engine does not answer: {type(error).__name__}: {error}")
