"""Processes of coderag's own that read files: started like any program, or as a copy of this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn, Protocol

from coderag.index.workers.process_limits import FILE_BYTES, FILE_SECONDS

__all__ = ["MODULE", "Process", "Reader", "child_environment", "prepare_reader", "start_reader"]

MODULE = "coderag.index.workers.worker"
PACKAGE = str(Path(__file__).resolve().parents[3])  # the folder that holds it
TASKS = Path("/proc/self/task")  # a folder for each thread of this process


class Process(Protocol):
    """What `subprocess.Popen` and a copy of this process have in common."""

    pid: int
    returncode: int | None
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""

    def kill(self) -> None:
        """End it, if it has not ended."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A process that reads files (coderag.index.workers.worker)."""

    process: Process
    said: IO[bytes]  # what it writes to its standard error


_prepared: list[Reader] = []


def prepare_reader(likely: Sequence[str] = ()) -> None:
    """Start a reader that the next `start_reader` takes: it comes up while the caller imports what an update needs.

    Of files at `likely` paths it has loaded the grammars by then. A copy of this process knows numpy already and is
    ready in a third of the time. It has none of its other threads, though, and would wait for ever for what they held:
    so there is one only where there are none.
    """
    said = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
    process = _Copy(said, likely) if _is_alone() else _program(said, FILE_BYTES, FILE_SECONDS)
    _prepared.append(Reader(process, said))


def start_reader(file_bytes: int, file_seconds: float) -> Reader:
    """Start a process that reads files, within limits for each of them."""
    if _prepared and (file_bytes, file_seconds) == (FILE_BYTES, FILE_SECONDS):
        return _prepared.pop()
    said = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
    return Reader(_program(said, file_bytes, file_seconds), said)


def child_environment() -> dict[str, str]:
    """Return the environment of a process that runs a module of this very package."""
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (PACKAGE, inherited))),
        "OPENBLAS_NUM_THREADS": "1",  # numpy only sorts and adds here
    }


def _program(said: IO[bytes], file_bytes: int, file_seconds: float) -> Process:
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, str(file_bytes), str(file_seconds)],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        env=child_environment(),
        process_group=0,  # Ctrl-C is for this process, which ends that one
    )


def _is_alone() -> bool:
    """Tell whether this process is known to have no thread but this one."""
    try:
        return len(list(TASKS.iterdir())) == 1
    except OSError:
        return False


class _Copy:
    """A copy of this process that reads files."""

    def __init__(self, said: IO[bytes], likely: Sequence[str]) -> None:
        requests, self_requests = os.pipe()
        self_answers, answers = os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _become_reader(requests, answers, said.fileno(), likely)
        os.close(requests)
        os.close(answers)
        self.stdin: IO[bytes] | None = os.fdopen(self_requests, "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(self_answers, "rb", buffering=0)

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _become_reader(requests: int, answers: int, said: int, likely: Sequence[str]) -> NoReturn:
    """Read files until the requests end, and never come back."""
    code = 1
    try:
        os.setpgid(0, 0)
        for old, new in ((requests, 0), (answers, 1), (said, 2)):
            os.dup2(old, new)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        here = str(Path.cwd())
        sys.path[:] = [*(path for path in sys.path if path not in ("", here)), PACKAGE]
        from coderag.index.workers.worker import serve

        with open(0, "rb", closefd=False) as pipe:
            serve(pipe, file_bytes=FILE_BYTES, file_seconds=FILE_SECONDS, likely=likely)
        code = 0
    except BaseException:  # noqa: BLE001  # told to who asked, as a program tells it
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)
