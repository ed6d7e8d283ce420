"""The server that agents start, asked as they would: started, greeted, its tools listed, one of them called."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from coderag._version import __version__

__all__ = ["Probe", "probe"]

SECONDS = 60  # for all of it, also on a machine that is busy
GRACE = 5  # seconds to end in once its input is closed
PROTOCOL = "2025-06-18"
QUERY = "where does the program start"
MAX_SAID = 300  # characters of what the server says of its failure
MAX_LINE = 10_000_000


@dataclass(frozen=True, slots=True)
class Probe:
    """What a server answered; `failure` says why it did not, "" if it did."""

    failure: str = ""
    tools: tuple[str, ...] = ()
    start_seconds: float = 0.0  # until it answered the greeting
    search_seconds: float = 0.0
    answer: str = ""  # the first line of what the search found


def probe(command: Sequence[str], folder: Path) -> Probe:
    """Return what a server answers that is started in a folder."""
    begun = time.monotonic()
    try:
        server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        return Probe(f"{command[0]} cannot be started: {error.strerror}")
    client = _Client(server, begun + SECONDS)
    try:
        return _asked(client, begun)
    except _Failure as failure:
        return Probe(f"{failure}{client.said()}")
    finally:
        client.close()


def _asked(client: _Client, begun: float) -> Probe:
    client.ask(
        "initialize",
        {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "doctor", "version": __version__}},
    )
    started = time.monotonic()
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    tools = client.ask("tools/list", {}).get("tools", [])
    names = tuple(str(tool.get("name")) for tool in tools)
    if "search" not in names:
        raise _Failure("it offers no tool called search")
    asked = time.monotonic()
    reply = client.ask("tools/call", {"name": "search", "arguments": {"query": QUERY}})
    text = " ".join(str(part.get("text", "")) for part in reply.get("content", []))
    if reply.get("isError"):
        raise _Failure(f"its search failed: {text[:MAX_SAID]}")
    answer = text.strip().partition("\n")[0]
    return Probe("", names, started - begun, time.monotonic() - asked, answer)


class _Failure(Exception):
    """What is wrong with the server."""


class _Client:
    """A server's pipes, read by threads so that a deadline holds."""

    def __init__(self, server: subprocess.Popen[bytes], deadline: float) -> None:
        self._server = server
        self._deadline = deadline
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._errors: list[bytes] = []
        self._number = 0
        for stream, keep in ((server.stdout, self._lines.put), (server.stderr, self._errors.append)):
            threading.Thread(target=_read, args=(stream, keep), daemon=True).start()

    def send(self, message: dict[str, Any]) -> None:
        """Write a message on a line."""
        stdin = self._server.stdin
        if stdin is None:
            raise _Failure("it has no input")
        try:
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
        except OSError:
            raise _Failure("it ended") from None

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request; raises _Failure."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            message = self._next(method)
            if not isinstance(message, dict) or message.get("id") != self._number:
                continue
            if "error" in message:
                raise _Failure(f"{method} failed: {str(message['error'])[:MAX_SAID]}")
            result: dict[str, Any] = message.get("result") or {}
            return result

    def said(self) -> str:
        """Return the last line of its standard error, as the end of a message."""
        with suppress(subprocess.TimeoutExpired):
            self._server.wait(1)
        lines = b"".join(self._errors).decode(errors="replace").strip().splitlines()
        return f": {lines[-1][:MAX_SAID]}" if lines else ""

    def close(self) -> None:
        """End the server, which it does by itself when nobody writes any more."""
        if self._server.stdin is not None:
            with suppress(OSError):
                self._server.stdin.close()
        try:
            self._server.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def _next(self, method: str) -> Any:
        try:
            line = self._lines.get(timeout=max(self._deadline - time.monotonic(), 0.01))
        except queue.Empty:
            raise _Failure(f"it did not answer {method} within {SECONDS} s") from None
        if not line:
            raise _Failure(f"it ended before it answered {method}")
        try:
            return json.loads(line)
        except ValueError:
            raise _Failure(f"it wrote what is no JSON: {line[:80]!r}") from None


def _read(stream: IO[bytes], keep: Any) -> None:
    """Hand over the lines of a stream, and an empty one at its end."""
    with suppress(OSError, ValueError), stream:
        while line := stream.readline(MAX_LINE):
            keep(line)
    keep(b"")
