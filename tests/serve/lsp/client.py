"""A client of the Language Server Protocol, as small as can be."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.cli.conftest import ENVIRONMENT
from tests.growth import HANG_SECONDS

__all__ = ["Client"]

Message = dict[str, Any]


class Client:
    """A running server that serves a folder; leaving the block shuts it down."""

    def __init__(self, root: Path, *arguments: str, program: str = "", **capabilities: Any) -> None:
        """Start `coderag lsp` for a folder, or a program in its place."""
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, *(["-c", program] if program else ["-m", "coderag", "lsp"]), *arguments],
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.notifications: list[Message] = []
        self._last = 0
        self._answers: dict[int, Message] = {}
        self._versions: dict[str, int] = {}
        folder = {"uri": root.as_uri(), "name": root.name}
        told = {"processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder]}
        self.offered = self.ask("initialize", told | {"capabilities": capabilities})["capabilities"]
        self.tell("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        if kind is None:
            self.ask("shutdown", None)
            self.tell("exit", None)
            assert self.process.wait(HANG_SECONDS) == 0
        self.process.kill()
        with self.process:  # its pipes are closed
            self.process.wait(HANG_SECONDS)

    def ask(self, method: str, params: Any) -> Any:
        """Return the result of a request."""
        message = self.answer(self.send(method, params))
        assert "error" not in message, message
        return message["result"]

    def send(self, method: str, params: Any) -> int:
        """Send a request and return its number."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        return self._last

    def answer(self, identifier: int) -> Message:
        """Return the answer to a request, an error being one."""
        while identifier not in self._answers:
            message = self._received()
            if "id" in message and "method" not in message:
                self._answers[message["id"]] = message
            else:
                self.notifications.append(message)
        return self._answers.pop(identifier)

    def ask_all(self, requests: Sequence[tuple[str, Any]]) -> list[Message]:
        """Return the answers to requests that are sent without waiting."""
        return [self.answer(identifier) for identifier in [self.send(*request) for request in requests]]

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def told(self, method: str, uri: str) -> Any:
        """Return the next notification of a kind about a document."""
        while True:
            for message in self.notifications:
                if message.get("method") == method and message["params"].get("uri") == uri:
                    self.notifications.remove(message)
                    return message["params"]
            self.notifications.append(self._received())

    def open(self, path: str, text: str | None = None) -> str:
        """Open a document, with other text than the file has where it is given; return its address."""
        file = self.root / path
        text = file.read_text() if text is None else text
        document = {"uri": file.as_uri(), "languageId": "x", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return file.as_uri()

    def change(self, uri: str, text: str) -> None:
        """Replace the text of a document."""
        self._versions[uri] = self._versions.get(uri, 1) + 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def edit(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replace the characters between two positions, each a line and UTF-16 units of it."""
        self._versions[uri] = self._versions.get(uri, 1) + 1
        where = {name: {"line": line, "character": at} for name, (line, at) in (("start", start), ("end", end))}
        document = {"uri": uri, "version": self._versions[uri]}
        change = {"range": where, "text": text}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def _send(self, message: Message) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _received(self) -> Message:
        assert self.process.stdout is not None
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the server has ended"
        message: Message = json.loads(self.process.stdout.read(size))
        return message
