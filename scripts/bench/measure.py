"""A command to what it took: wall time, processor time, memory of its whole process tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.bench.records import BenchmarkError

__all__ = ["PROC", "Command", "Usage", "folder_bytes", "proportional_mb", "run", "run_with_memory", "warm_page_cache"]

SAMPLE_SECONDS = 0.05  # between looks at the memory of a process, unless looking takes long
SAMPLE_SHARE = 0.02  # of the time is spent on looking: it costs the processes time
LAST_CHARACTERS = 2000  # of what a command that failed has said
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run: its arguments, and what its environment has besides ours."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command took, and what it printed."""

    seconds: float
    cpu_seconds: float  # user and system, of the process and of all that it waited for
    output: str
    peak_mb: float = 0.0  # the most that its processes held together, where that was watched


def run(command: Command, *, accepted: Collection[int] = (0,)) -> Usage:
    """Run a command to its end; raises BenchmarkError with its last words when its exit status is not accepted."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = _start(command, output.fileno(), errors.fileno())
        cpu_seconds = _end_of(process)
        seconds = time.perf_counter() - started
        output.seek(0)
        errors.seek(0)
        if process.returncode not in accepted:
            said = (errors.read() or output.read()).decode(errors="replace").strip()
            raise BenchmarkError(
                f'"{" ".join(command.arguments)}" ended with {process.returncode}: {said[-LAST_CHARACTERS:]}'
            )
        return Usage(seconds, cpu_seconds, output.read().decode(errors="replace"))


def run_with_memory(command: Command) -> Usage:
    """Run a command to its end and watch the memory of all its processes, shared pages counted once.

    What it prints is thrown away; raises BenchmarkError when it fails.
    """
    started = time.perf_counter()
    process = _start(command, subprocess.DEVNULL, subprocess.DEVNULL)
    peak = 0.0
    stop = threading.Event()

    def sample() -> None:
        nonlocal peak
        pause = SAMPLE_SECONDS
        while not stop.wait(pause):
            before = time.thread_time()
            peak = max(peak, sum(proportional_mb(pid) for pid in _tree(process.pid)))
            pause = max(SAMPLE_SECONDS, (time.thread_time() - before) / SAMPLE_SHARE)

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    cpu_seconds = _end_of(process)
    seconds = time.perf_counter() - started
    stop.set()
    sampler.join()
    if process.returncode:
        raise BenchmarkError(f'"{" ".join(command.arguments)}" ended with {process.returncode}')
    return Usage(seconds, cpu_seconds, "", peak)


def _end_of(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process; return the processor seconds of it and of all those that it waited for."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def _start(command: Command, output: int, errors: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, **command.environment}
    return subprocess.Popen(command.arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment)


def _tree(root: int) -> list[int]:
    """Return a process and its descendants."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it ended while the others were looked at
                # The name of the program is in parentheses and may hold any character.
                parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def proportional_mb(pid: int) -> float:
    """Return a process's share of the memory it uses (PSS, proc_pid_smaps_rollup), 0 when it has ended."""
    with suppress(OSError):
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder; links are not followed."""
    paths = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    return sum(path.lstat().st_size for path in paths)


def warm_page_cache(folder: Path, suffixes: Sequence[str] = ()) -> None:
    """Read the files of a folder, so that the first run finds the disk as the others do."""
    for base, _, names in os.walk(folder):
        for name in names:
            path = Path(base, name)
            if name.endswith(tuple(suffixes) or "") and not path.is_symlink():
                path.read_bytes()
