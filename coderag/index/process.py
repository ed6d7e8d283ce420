"""Processes of coderag's own: started like any other program, off the folder that is indexed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from coderag.index.limits import FILE_BYTES, FILE_SECONDS

__all__ = ["MODULE", "Reader", "child_environment", "prepare_reader", "start_reader"]

MODULE = "coderag.index.worker"


@dataclass(frozen=True, slots=True)
class Reader:
    """A process that reads files (coderag.index.worker)."""

    process: subprocess.Popen[bytes]
    said: IO[bytes]  # what it writes to its standard error


_prepared: list[Reader] = []


def prepare_reader() -> None:
    """Start a reader that the next `start_reader` takes: it comes up while the caller imports what an update needs."""
    _prepared.append(start_reader(FILE_BYTES, FILE_SECONDS))


def start_reader(file_bytes: int, file_seconds: float) -> Reader:
    """Start a process that reads files, within limits for each of them."""
    if _prepared and (file_bytes, file_seconds) == (FILE_BYTES, FILE_SECONDS):
        return _prepared.pop()
    said = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
    # "-P" keeps the current folder off the module path: it may be the untrusted repository that is being indexed.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, str(file_bytes), str(file_seconds)],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        env=child_environment(),
        process_group=0,  # Ctrl-C is for this process, which ends that one
    )
    return Reader(process, said)


def child_environment() -> dict[str, str]:
    """Return the environment of a process that runs a module of this very package."""
    package = str(Path(__file__).resolve().parents[2])
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, (package, inherited))),
        "OPENBLAS_NUM_THREADS": "1",  # numpy only sorts and adds here
    }
