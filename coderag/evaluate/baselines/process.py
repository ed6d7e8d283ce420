"""A command to a process of its own group, which ends with whoever started it, and within its time."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from coderag.errors import EvaluationError

__all__ = ["LineProcess", "run_command"]

MAX_LINE_BYTES = 64 * 1024 * 1024  # of an answer
POSIX = os.name == "posix"


class LineProcess:
    """A program that is written a line and answers a line, without a shell; a context manager that ends it."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; what it writes on its error stream is shown to the user. Raises EvaluationError."""
        self._name = command[0]
        self._process = _start(command, None, keeps_stdin=True)
        self._lines: queue.Queue[bytes] = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True).start()

    def ask(self, line: str, *, seconds: float) -> bytes:
        """Return the answer to a line; raises EvaluationError where none comes in time."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, OSError):  # it ended; why is told below
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        try:
            answer = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise EvaluationError(f"{self._name} did not answer within {seconds:g} s") from None
        if not answer.endswith(b"\n"):
            if len(answer) >= MAX_LINE_BYTES:
                raise EvaluationError(f"{self._name} answered more than {MAX_LINE_BYTES:,} bytes")
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
            raise EvaluationError(f"{self._name} ended without an answer, exit status {self._process.poll()}")
        return answer

    def close(self) -> None:
        """End the program and whatever it started."""
        _end(self._process)


def run_command(command: Sequence[str], *, folder: Path, seconds: float) -> tuple[int, bytes]:
    """Return the exit status and the output of a command; raises EvaluationError where it does not end in time."""
    process = _start(command, folder, keeps_stdin=False)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise EvaluationError(f"{command[0]} did not end within {seconds:g} s") from None
    finally:
        _end(process)
    return process.returncode, output


def _start(command: Sequence[str], folder: Path | None, *, keeps_stdin: bool) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            cwd=folder,
            stdin=subprocess.PIPE if keeps_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if keeps_stdin else subprocess.DEVNULL,
            start_new_session=POSIX,
        )
    except OSError as error:
        raise EvaluationError(f"{command[0]} cannot be run: {error.strerror}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group, so that nothing it started is left."""
    with suppress(ProcessLookupError, PermissionError):
        if POSIX:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def _read_lines(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    """Pass on each line of a stream; what is too long, and the end, come without a line break."""
    with suppress(ValueError, OSError):  # the stream is closed
        while line := stream.readline(MAX_LINE_BYTES):
            lines.put(line)
        lines.put(b"")
