"""Processes of coderag's own that read files, started like any program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Protocol

from coderag.index.workers.process_limits import FILE_BYTES, FILE_SECONDS
from coderag.record import record

__all__ = [
    "MODULE",
    "Process",
    "Reader",
    "child_environment",
    "hide_working_folder",
    "is_alone",
    "prepare_reader",
    "start_reader",
]

MODULE = "coderag.index.workers.worker"
PACKAGE = str(Path(__file__).resolve().parents[3])  # the folder that holds it
TASKS = Path("/proc/self/task")  # a folder for each thread of this process


class Process(Protocol):
    """What `subprocess.Popen` and a reader of a fork server have in common."""

    pid: int
    returncode: int | None
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def kill(self) -> None:
        """End it, if it has not ended."""


@record
class Reader:
    """A process that reads files (coderag.index.workers.worker)."""

    process: Process
    said: IO[bytes]  # what it writes to its standard error


_prepared: list[Reader] = []


def prepare_reader() -> None:
    """Start a process that the next `start_reader` returns: it comes up while the caller does something else."""
    _prepared.append(_program(FILE_BYTES, FILE_SECONDS))


def start_reader(file_bytes: int, file_seconds: float) -> Reader:
    """Start a process that reads files, within limits for each of them."""
    if _prepared and (file_bytes, file_seconds) == (FILE_BYTES, FILE_SECONDS):
        return _prepared.pop()
    return _program(file_bytes, file_seconds)


def _program(file_bytes: int, file_seconds: float) -> Reader:
    stderr = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, str(file_bytes), str(file_seconds)],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=child_environment(),
        process_group=0,  # Ctrl-C is for this process, which ends that one
    )
    return Reader(process, stderr)


def child_environment() -> dict[str, str]:
    """Return the environment of a process that runs a module of this very package."""
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (PACKAGE, inherited))),
        "OPENBLAS_NUM_THREADS": "1",  # numpy only sorts and adds here
    }


def is_alone() -> bool:
    """Tell whether this process is known to have no thread but this one."""
    try:
        return len(list(TASKS.iterdir())) == 1
    except OSError:
        return False


def hide_working_folder() -> None:
    """Take the current folder off the module path: it may be the untrusted repository that is being indexed."""
    here = str(Path.cwd())
    sys.path[:] = [*(path for path in sys.path if path not in ("", here)), PACKAGE]
