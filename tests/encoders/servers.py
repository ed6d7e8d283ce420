"""Servers on this machine that answer as models behind HTTP do, well and badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Reply", "Request", "Server", "embedding", "serve", "vectors"]


@dataclass(frozen=True)
class Request:
    """What a server was asked."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """What a server answers; bytes are sent as they are, anything else as JSON."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Server:
    """Where a server is, and what it was asked so far."""

    url: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def serve(answer: Callable[[Request], Reply]) -> Iterator[Server]:
    """Run a server that answers each request by a function; one that raises breaks the connection off."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, dict(self.headers), json.loads(data))
            server.requests.append(request)
            try:
                reply = answer(request)
            except ConnectionError:
                self.close_connection = True
                return
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                pass  # whoever asked has gone: the test is about a time limit

        def log_message(self, *_args: Any) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server = Server(f"http://127.0.0.1:{http.server_address[1]}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def embedding(text: str) -> list[float]:
    """Return a vector of a text: how often four words are in it."""
    return [float(text.count(word)) for word in ("retry", "parse", "money", "def")]


def vectors(request: Request) -> Reply:
    """Answer as an embeddings endpoint does, the last text first."""
    rows = [{"index": place, "embedding": embedding(text)} for place, text in enumerate(request.body["input"])]
    return Reply({"object": "list", "data": rows[::-1], "model": request.body.get("model")})
