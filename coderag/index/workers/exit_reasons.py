"""A worker process that ended to how it did: over time, over memory, by a crash, an exception, or from outside."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from enum import StrEnum
from typing import NamedTuple

from coderag.index.workers.fork_server import Forked
from coderag.index.workers.process import Process

__all__ = ["Ended", "ExitReason", "exit_reason", "wait_for"]

END_SECONDS = 5.0  # a process whose pipe is closed has ended, or is about to
POLL_SECONDS = 0.001
# The last words of Python, numpy, the C++ library, and tree-sitter.
OUT_OF_MEMORY = re.compile(r"[\w.]*MemoryError\b|.*\bstd::bad_alloc\b|tree-sitter failed to (?:re)?allocate\b")


class ExitReason(StrEnum):
    """How a worker came to its end, other than by being told to."""

    LATE = "late"
    MEMORY = "memory"
    CRASHED = "crashed"  # by a signal of its own making
    RAISED = "raised"  # an exception of Python
    KILLED = "killed"  # from outside, as the system does when memory is short


class Ended(NamedTuple):
    """The exit code of a process, and the most memory that it occupied, in bytes; 0 if that is not known."""

    code: int
    peak_bytes: int = 0


def wait_for(process: Process) -> Ended:
    """Wait for a process that is about to end; it is killed when that takes long."""
    until = time.monotonic() + END_SECONDS
    while (ended := _reaped(process)) is None:
        if time.monotonic() > until:
            process.kill()
        time.sleep(POLL_SECONDS)
    return ended


def exit_reason(ended: Ended, words: bytes, *, limit: int) -> tuple[ExitReason, str]:
    """Tell how a process ended that might take `limit` bytes, from its last words too; with a detail, "" for none."""
    lines = words.decode("utf-8", "replace").strip().splitlines() or [""]
    if any(OUT_OF_MEMORY.match(line.strip()) for line in lines[-2:]):
        return ExitReason.MEMORY, ""
    if ended.code >= 0:
        return ExitReason.RAISED, lines[-1].strip()
    name = signal.Signals(-ended.code).name
    if name == "SIGPROF":
        return ExitReason.LATE, ""
    if name in ("SIGKILL", "SIGTERM"):
        return ExitReason.KILLED, ""
    # Not every parser looks whether it got the memory that it asked for.
    return (ExitReason.MEMORY, "") if ended.peak_bytes > limit // 2 else (ExitReason.CRASHED, name)


def _reaped(process: Process) -> Ended | None:
    """Return how a process ended, None when it has not."""
    if isinstance(process, Forked):
        return None if process.poll() is None else Ended(process.poll() or 0, process.peak_bytes)
    if sys.platform == "linux" and process.returncode is None:
        import resource

        try:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        except ChildProcessError:
            pass  # another thread was told of its end, and `poll` knows
        else:
            if not pid:
                return None
            process.returncode = os.waitstatus_to_exitcode(status)
            # The peak of a process begins with that of the one that started it.
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return Ended(process.returncode, usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0)
    code = process.poll()
    return None if code is None else Ended(code)
