"""What a worker process may take of memory and time; it sets these limits itself."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress

__all__ = ["FILE_BYTES", "FILE_SECONDS", "KEPT_BYTES", "limit_memory", "limit_time", "occupied_bytes", "sweep"]

FILE_SECONDS = 20.0  # the largest file takes a second or two; what takes longer will not end
FILE_BYTES = 1_500_000_000  # of memory beyond what the process has at its start; 4 MB of code take some 400 MB
KEPT_BYTES = 700_000_000  # a worker that holds more between two batches makes room for a fresh one
GARBAGE = 30_000  # objects that were made and not freed: worth a look for cycles, as trees of SQL are
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
STATM = "/proc/self/statm"
RESIDENT, DATA = 1, 5  # fields of statm, in pages


def limit_memory(size: int) -> None:
    """Let this process take `size` bytes more than it has; without a word where the system has no such limit."""
    try:
        import resource
    except ImportError:
        return  # Windows
    # Memory maps of files do not count as data: an encoder's table may be of any size.
    wanted = _statm(DATA) + size
    with suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, wanted))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the crash of a parser leaves no file behind


def limit_time(seconds: float) -> None:
    """End this process when it works longer without calling again; 0 for never.

    It is the processor's time that counts: a busy or sleeping machine makes no file late.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process, in C code too
        signal.setitimer(signal.ITIMER_PROF, seconds)


def occupied_bytes() -> int:
    """Return the memory that this process occupies; 0 if that cannot be told."""
    return _statm(RESIDENT)


def sweep() -> None:
    """Free what is left of cycles, when there may be much; the collector is off while files are read."""
    if gc.get_count()[0] > GARBAGE:
        gc.collect()


def _statm(field: int) -> int:
    try:
        with open(STATM, encoding="ascii") as file:
            return int(file.read().split()[field]) * PAGE_BYTES
    except OSError:
        return 0
