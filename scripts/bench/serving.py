"""Servers of the Model Context Protocol at work to figures: how soon they answer, and what they hold in memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scripts.bench.engines import Engine, Job
from scripts.bench.measure import PROC, Command, proportional_mb, run, warm_page_cache
from scripts.bench.notes import Effort, Notes
from scripts.bench.records import BenchmarkError, Corpus, Figure, Say

__all__ = ["MCP", "measure_mcp"]

MCP = "mcp"
VERSION = "2025-11-25"  # of the protocol, that agents speak
QUESTION = "where is a failed request tried again"
TICKS = os.sysconf("SC_CLK_TCK")  # of processor time, per second


def measure_mcp(engine: Engine, corpus: Corpus, *, effort: Effort, scratch: Path, say: Say) -> list[Figure]:
    """Return what servers on an index of a corpus take, from their start to the first answer."""
    from coderag.text.budget import tokens_of

    notes = Notes(MCP, corpus.name)
    folder = scratch / f"mcp-{corpus.name.replace('/', '-')}"
    folder.mkdir()
    warm_page_cache(corpus.folder)
    job = Job(engine, corpus.folder, folder / "index", effort.workers)
    job.forget()
    run(job.command("index"))
    for turn in range(effort.builds):
        say(f"servers of {corpus.name}: run {turn + 1} of {effort.builds}")
        with _Server(job.command(MCP)) as server:
            tools = server.list_tools()
            notes.add(engine.name, "start to tools/list", "s", server.seconds)
            notes.add(engine.name, "processor to tools/list", "s", server.cpu_seconds)
            server.search()
            notes.add(engine.name, "start to first answer", "s", server.seconds)
            notes.add(engine.name, "processor to first answer", "s", server.cpu_seconds)
            notes.add(engine.name, "memory of one", "MB", server.resident_mb)
        with ExitStack() as stack:
            servers = [stack.enter_context(_Server(job.command(MCP))) for _ in range(effort.servers)]
            for server in servers:
                server.list_tools()
                server.search()
            shares = sum(proportional_mb(server.process.pid) for server in servers)
            notes.add(engine.name, f"memory of {effort.servers}", "MB", shares)
        if not turn:
            text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
            notes.add(engine.name, "tools/list", "bytes", len(text.encode()))
            notes.add(engine.name, "tools/list in tokens", "", tokens_of(text))
    shutil.rmtree(folder, ignore_errors=True)
    return notes.figures()


class _Server:
    """A server that was just started, as an agent starts it."""

    def __init__(self, command: Command) -> None:
        self._started = time.perf_counter()
        self.process = subprocess.Popen(
            command.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **command.environment},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.process.communicate()

    @property
    def seconds(self) -> float:
        """The time since it was started."""
        return time.perf_counter() - self._started

    @property
    def cpu_seconds(self) -> float:
        """User and system time of it, without that of processes that it started."""
        fields = (PROC / str(self.process.pid) / "stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def resident_mb(self) -> float:
        """The memory that it holds (RSS, proc_pid_status)."""
        status = (PROC / str(self.process.pid) / "status").read_text().splitlines()
        return int(next(line for line in status if line.startswith("VmRSS:")).split()[1]) * 1024 / 1e6

    def list_tools(self) -> list[dict[str, Any]]:
        """Open the session, and return the tools."""
        client = {"name": "benchmark", "version": "1"}
        self._ask("initialize", protocolVersion=VERSION, capabilities={}, clientInfo=client)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools: list[dict[str, Any]] = self._ask("tools/list")["tools"]
        return tools

    def search(self) -> None:
        """Ask for code, and wait for the answer."""
        if self._ask("tools/call", name="search", arguments={"query": QUESTION}).get("isError"):
            raise BenchmarkError("a server could not answer a search")

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self.process.stdout
        self._say({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        line = self.process.stdout.readline()
        if not line:
            raise BenchmarkError(f"a server ended before it answered {method}")
        result: dict[str, Any] = json.loads(line)["result"]
        return result

    def _say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
