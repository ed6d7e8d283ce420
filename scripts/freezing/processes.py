"""Command lines to what they print, each in a process of its own that has imported coderag already."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from scripts.freezing.invocations import Invocation
from scripts.freezing.rows import Row
from scripts.freezing.server import STDERR, STDIN, STDOUT

__all__ = ["Place", "Servers"]

CHECKOUT = Path(__file__).resolve().parents[2]
# Of --json: how long something took, when, and the size of files that say so.
VOLATILE_KEYS = frozenset({"updated_ns", "build_seconds", "seconds", "index_bytes", "p50", "p90", "search_ms"})
VOLATILE_TEXT = re.compile(r"\b\d[\d.,]* (?:s|ms|µs|B|kB|MB|GB)\b|\(\d+%\)|just now|\b\d+ \w+ ago\b")
DECIMAL = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where commands run, and the index that they read."""

    root: Path
    index: Path
    temporary: Path  # below it lie the index and what else is made for the commands


class Server:
    """A process that runs commands, one after the other."""

    def __enter__(self) -> Self:
        """Start it."""
        command = [sys.executable, "-m", "scripts.freezing.server"]
        pipe = subprocess.PIPE
        # What a command prints must not depend on a process that another one left behind.
        environment = os.environ | {"CODERAG_BACKGROUND": "0"}
        self._process = subprocess.Popen(command, cwd=CHECKOUT, stdin=pipe, stdout=pipe, text=True, env=environment)
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()

    def run(self, arguments: Sequence[str], *, folder: str, root: Path) -> int:
        """Run a command in a root, its streams in files of a folder, and return its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([arguments, folder, str(root)]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


class Servers:
    """Some processes that run commands at the same time."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def __enter__(self) -> Self:
        """Start them."""
        self._stack = ExitStack()
        self._free: SimpleQueue[Server] = SimpleQueue()
        for _ in range(self._jobs):
            self._free.put(self._stack.enter_context(Server()))
        self._pool = self._stack.enter_context(ThreadPoolExecutor(self._jobs))
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        self._stack.close()

    def printed_rows(self, lines: Sequence[Invocation], place: Place, *, digits: int | None = 6) -> Iterator[Row]:
        """Yield what each command prints on its two streams, and its exit code, without what differs each time.

        Where `digits` is None, scores in texts are left out too.
        """
        return self._pool.map(lambda line: self._row(line, place, portable=digits is None), lines)

    def _row(self, line: Invocation, place: Place, *, portable: bool) -> Row:
        arguments = [argument.replace("<temporary>", str(place.temporary)) for argument in line.arguments]
        index = ["--index", str(place.index)] if line.indexed else []
        with tempfile.TemporaryDirectory(dir=place.temporary) as folder:
            (Path(folder) / STDIN).write_text(line.stdin, encoding="utf-8")
            server = self._free.get()
            code = server.run([*arguments, *index], folder=folder, root=place.root)
            self._free.put(server)
            out, err = ((Path(folder) / name).read_text("utf-8", "backslashreplace") for name in (STDOUT, STDERR))
        streams = [_output(text, line, place, portable=portable) for text in (out, err)]
        return Row(_identity(line), (code, *streams))


def _identity(line: Invocation) -> str:
    return json.dumps([*line.arguments, *([{"stdin": line.stdin}] if line.stdin else [])])


def _output(text: str, line: Invocation, place: Place, *, portable: bool) -> Any:
    """Return JSON as values, other text as lines; both without the places and times of this run."""
    for name, path in (("index", place.index), ("temporary", place.temporary), ("root", place.root)):
        text = text.replace(str(path), f"<{name}>")
    values = _values(text) if "--json" in line.arguments or "--batch" in line.arguments else None
    if values is not None:
        return {"json": _steady(values) if line.timed else values}
    if line.timed:
        text = VOLATILE_TEXT.sub("#", text)
    if portable and line.scored:
        text = DECIMAL.sub("#", text)
    return text.split("\n")


def _values(text: str) -> list[Any] | None:
    """Return the values of a document of JSON, or of one a line; None for what is no JSON."""
    with suppress(ValueError):
        return [json.loads(text)]
    with suppress(ValueError):
        return [json.loads(line) for line in text.splitlines()]
    return None


def _steady(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: "#" if key in VOLATILE_KEYS else _steady(one) for key, one in value.items()}
    return [_steady(one) for one in value] if isinstance(value, list) else value
