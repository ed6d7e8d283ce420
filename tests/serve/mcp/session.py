"""A server in a process of its own, and lines of JSON to and from it as a client would send them."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY

__all__ = ["COMMAND", "ENVIRONMENT", "LEGACY", "MODERN", "Session", "left_behind", "marked", "text_of"]

COMMAND = (sys.executable, "-m", "coderag", "mcp")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "1"}
LEGACY, MODERN = "2025-11-25", "2026-07-28"
CLIENT = {"name": "test", "version": "1"}
MARK = "CODERAG_TEST_MARK"  # which all that a server starts inherits

Message = dict[str, Any]


class Session:
    """A running server; leaving the block closes its input and checks that it ends well."""

    def __init__(self, *arguments: str | Path, command: Sequence[str] = COMMAND, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*command, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT | environment,
        )
        self.stderr: list[str] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._meta: Message = {}
        self._last = 0
        self._threads = [threading.Thread(target=job, daemon=True) for job in (self._read, self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        with suppress(OSError):  # a test may have closed it, or the server its end
            self._stdin.close()
        try:
            code = self.process.wait(HANG_SECONDS)
        finally:
            self.process.kill()
        for thread in self._threads:
            thread.join(HANG_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        assert kind is not None or code == 0, "".join(self.stderr)

    @property
    def is_modern(self) -> bool:
        """Whether it was opened without a handshake."""
        return bool(self._meta)

    @property
    def _stdin(self) -> Any:
        return self.process.stdin

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_stderr(self) -> None:
        assert self.process.stderr
        self.stderr.extend(line.decode() for line in self.process.stderr)

    def open(self, version: str) -> Self:
        """Say which protocol is spoken, as a client of its era does."""
        if version >= MODERN:
            prefix = "io.modelcontextprotocol/"
            own = {"protocolVersion": version, "clientInfo": CLIENT, "clientCapabilities": {}}
            self._meta = {"_meta": {prefix + name: value for name, value in own.items()}}
            return self
        opened = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=CLIENT)
        assert opened["result"]["protocolVersion"] == version
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def say(self, message: Message | bytes) -> None:
        """Send a message, or any line."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._stdin.write(line + b"\n")
        self._stdin.flush()

    def send(self, method: str, **params: Any) -> int:
        """Send a request, and return its id."""
        self._last += 1
        self.say({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params | self._meta})
        return self._last

    def send_call(self, tool: str, **arguments: Any) -> int:
        """Send a call of a tool, and return its id."""
        return self.send("tools/call", name=tool, arguments=arguments)

    def answer(self) -> Message:
        """Return the next message; what is none fails."""
        line = self._lines.get(timeout=HANG_SECONDS)
        assert line, f"the server ended with {self.process.wait(HANG_SECONDS)}: {''.join(self.stderr)}"
        message: Message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method: str, **params: Any) -> Message:
        """Send a request, and return the next message, which answers it."""
        number = self.send(method, **params)
        message = self.answer()
        assert message["id"] == number
        return message

    def call(self, tool: str, **arguments: Any) -> Message:
        """Return the result of a call of a tool."""
        result: Message = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return result

    def is_at_end(self) -> bool:
        """Wait until the server has closed its output, and return whether it had nothing more to say."""
        return self._lines.get(timeout=HANG_SECONDS) == b""


def text_of(result: Message) -> str:
    """Return the text of a tool's result."""
    (block,) = result["content"]
    assert block["type"] == "text"
    return str(block["text"])


def marked() -> dict[str, str]:
    """Return a variable that only a server that is given it has, and what it starts."""
    return {MARK: uuid.uuid4().hex}


def left_behind(mark: dict[str, str]) -> list[str]:
    """Wait until no process with a mark is left, and return the command lines of those that do not end."""
    deadline = time.monotonic() + HANG_SECONDS
    while (running := list(_running(mark[MARK]))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return running


def _running(mark: str) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
