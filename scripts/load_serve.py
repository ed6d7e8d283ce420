"""A running server to how it answers under load: one reader, many at once, and those who only hold connections.

    coderag serve --root ROOT --port 8420 --no-token &
    scripts/load_serve.py 8420                             one reader, then 200 at once for 20 s
    scripts/load_serve.py 8420 --readers 50 --seconds 600 --edit ROOT/scratch.py
    scripts/load_serve.py 8420 --idle 10000                with connections open that ask nothing

With --edit a file is rewritten every second, so that the index changes while it is read. Memory and processor time
are those of --process, given once for each worker; processor time means more than waiting on a machine that is shared.
It prints one JSON record; exit code 1 when a request failed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

QUESTIONS = (
    "where is an order cancelled",
    "retry a failed delivery",
    "parse the configuration file",
    "validate the token of a login",
    "migrate the database schema",
    "create an invitation",
    "render a template",
    "close a connection that is idle",
)
SINGLE = 40  # requests of the lone reader
ANSWER_SECONDS = 120.0
USER_TICKS, SYSTEM_TICKS = 11, 12  # in /proc/ID/stat, behind the name
EDIT_SECONDS = 1.0


async def ask(port: int, path: str, token: str) -> int:
    """Return the status of a request on a connection of its own, 0 where none comes."""
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return 0
    try:
        writer.write(f"{head}\r\n".encode())
        answer = await asyncio.wait_for(reader.read(), ANSWER_SECONDS)
        whole = answer.startswith(b"HTTP/1.1 ") and answer.endswith(b"\n")
        return int(answer[9:12]) if whole else 0
    except (OSError, TimeoutError):
        return 0
    finally:
        writer.close()


class Readers:
    """Readers that ask one question after the other."""

    turns = itertools.count(int(time.time()))  # no question of another run either

    def __init__(self, options: argparse.Namespace) -> None:
        self.seconds: list[float] = []
        self.statuses: Counter[int] = Counter()
        self._options = options

    async def once(self) -> None:
        """Ask a question and note how long that took."""
        turn = next(self.turns)
        question = quote(QUESTIONS[turn % len(QUESTIONS)] + (f" {turn}" if self._options.distinct else ""))
        started = time.perf_counter()
        status = await ask(self._options.port, self._options.path.format(q=question), self._options.token)
        self.seconds.append(time.perf_counter() - started)
        self.statuses[status] += 1

    async def until(self, deadline: float) -> None:
        """Ask until a moment of the clock."""
        while time.perf_counter() < deadline:
            await self.once()

    def figures(self) -> dict[str, float]:
        """Return the median and the 95th percentile, in milliseconds."""
        ordered = sorted(self.seconds)
        at = {"p50": len(ordered) // 2, "p95": int(len(ordered) * 0.95)}
        return {name: round(ordered[min(place, len(ordered) - 1)] * 1e3, 1) for name, place in at.items()}


async def edits(file: Path) -> None:
    """Rewrite a file again and again."""
    for number in range(sys.maxsize):
        file.write_text(f"def edited_{number}():\n    return {number}\n")
        await asyncio.sleep(EDIT_SECONDS)


async def memory(processes: Sequence[int], samples: list[int]) -> None:
    """Note the memory of processes, in kilobytes, each second."""
    while True:
        texts = [Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii") for process in processes]
        samples.append(sum(int(text.partition("\nPss_Anon:")[2].split()[0]) for text in texts))
        await asyncio.sleep(1)


def processor_seconds(processes: Sequence[int]) -> float:
    """Return the processor time that processes have taken."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    return ticks / os.sysconf("SC_CLK_TCK")


async def measure(options: argparse.Namespace) -> dict[str, object]:
    """Return what was measured."""
    idle = [await asyncio.open_connection("127.0.0.1", options.port) for _ in range(options.idle)]
    alone, crowd, samples = Readers(options), Readers(options), list[int]()
    began = processor_seconds(options.process)
    for _ in range(SINGLE):
        await alone.once()
    between = processor_seconds(options.process)
    beside = [asyncio.create_task(edits(options.edit))] if options.edit else []
    beside += [asyncio.create_task(memory(options.process, samples))] if options.process else []
    start = time.perf_counter()
    deadline = start + options.seconds
    await asyncio.gather(*(crowd.until(deadline) for _ in range(options.readers)))
    lasted = time.perf_counter() - start
    spent = processor_seconds(options.process) - between
    for task in beside:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    for _, writer in idle:
        writer.close()
    one, many = alone.figures(), crowd.figures()
    third = len(samples) // 3
    return {
        "single_ms": one,
        "readers": options.readers,
        "readers_ms": many,
        "p95_in_singles": round(many["p95"] / one["p50"], 1),
        "per_second": round(len(crowd.seconds) / lasted, 1),
        "processor_ms": [round((between - began) / SINGLE * 1e3, 1), round(spent / len(crowd.seconds) * 1e3, 1)],
        "statuses": dict(alone.statuses + crowd.statuses),
        "idle": options.idle,
        "memory_mb": [round(max(samples[at : at + third]) / 1e3, 1) for at in range(0, 3 * third, third)]
        if third
        else [],
    }


def main() -> int:
    """Measure the server on a port."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--path", default="/api/search?q={q}&k=10", help="what is asked; {q} is a question")
    parser.add_argument("--token", default="")
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--idle", type=int, default=0, metavar="N", help="connections that ask nothing")
    parser.add_argument("--edit", type=Path, metavar="FILE", help="a file of the root to rewrite meanwhile")
    parser.add_argument("--process", type=int, action="append", default=[], metavar="ID", help="one of the server's")
    parser.add_argument("--distinct", action="store_true", help="ask no question twice")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    record = asyncio.run(measure(options))
    print(json.dumps(record))
    return 0 if set(record["statuses"]) == {200} else 1  # type: ignore[call-overload]


if __name__ == "__main__":
    sys.exit(main())
