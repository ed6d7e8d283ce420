"""A server in a process of its own, and requests to it over a socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

__all__ = ["SECONDS", "Reply", "Served"]

SECONDS = 60.0  # that anything may take before a test fails


@dataclass(frozen=True)
class Reply:
    """An answer."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(repr=False)

    @property
    def json(self) -> Any:
        """The body, which is JSON."""
        return json.loads(self.body)


class Served:
    """`coderag serve` over a root, or over what the arguments say."""

    def __init__(self, root: Path | None, *arguments: str) -> None:
        place = [] if root is None else ["--root", str(root)]
        command = [sys.executable, "-m", "coderag", "serve", *place, "--port", "0", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.process.communicate()[1]
        parts = urlsplit(self.address)
        self.port = parts.port or 0
        self.token = parts.fragment.removeprefix("token=")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End it by a signal; return its exit code and what it said on standard error."""
        os.kill(self.process.pid, number)
        _, said = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, said

    def get(self, path: str, *, token: str | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Return the answer to a request; `token` in place of that of the owner, "" for none."""
        return self.ask("GET", path, token=token, headers=headers)

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Return the answer to a request with a body."""
        token = self.token if token is None else token
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, {**sent, **(headers or {})})
            answer = connection.getresponse()
            return Reply(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})
        finally:
            connection.close()

    def send(self, data: bytes) -> bytes:
        """Send bytes as they are, and return all that comes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(data)
            received = b""
            while part := connection.recv(65_536):
                received += part
            return received
