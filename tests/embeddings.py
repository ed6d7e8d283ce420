"""An endpoint of embeddings on this machine, which a test can break."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

__all__ = ["Endpoint", "embeddings"]


class Endpoint(BaseHTTPRequestHandler):
    """Embeddings of texts by their letters; answers 500 while it is broken."""

    broken = False
    asked = 0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked += len(asked["input"])
        rows = [np.bincount(np.frombuffer(text.encode(), dtype=np.uint8) % 16, minlength=16) for text in asked["input"]]
        data = [{"index": number, "embedding": row.tolist()} for number, row in enumerate(rows)]
        body = json.dumps({"data": data}).encode()
        self.send_response(400 if self.broken else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def embeddings() -> Iterator[str]:
    """Give the encoder line of an endpoint that answers within the block."""
    Endpoint.broken, Endpoint.asked = False, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/embeddings#letters"
    server.shutdown()
    server.server_close()
    thread.join()
