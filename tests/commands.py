"""Run commands of coderag as copies of a process that has imported them, which takes a third of the time.

Each is a process of its own, with its own environment, working folder and standard streams. What only the start of an
interpreter can show needs a real one: a module that is imported too late or too early, a variable that Python reads.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import pytest

from tests import command_server
from tests.command_server import HANGS_AFTER
from tests.growth import HANG_SECONDS

__all__ = ["ENVIRONMENT", "REPOSITORY", "Commands", "Done", "Ended", "Run", "run_here", "run_program"]

REPOSITORY = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
} | {
    "PYTHONPATH": str(REPOSITORY),
    "TERM": "xterm-256color",
    "PYTHONUTF8": "1",
}
FOR_PYTHON = ("PYTHON", "LD_", "LC_", "LANG")  # what the interpreter reads when it starts begins so

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


class Ended(NamedTuple):
    """How a command ended."""

    code: int | None  # None: it did not end in time
    out: str
    err: str


def run_program(*arguments: str | Path, cwd: Path, stdin: str = "", **environment: str) -> Done:
    """Run `coderag` with some arguments in a folder, in an interpreter that is started for it."""
    return subprocess.run(
        [sys.executable, "-m", "coderag", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=HANG_SECONDS,
    )


def run_here(*arguments: str | Path, cwd: Path, stdin: str = "", **environment: str) -> Done:
    """Do what `run_program` does in this process, for tests to which it is nothing that a command has its own."""
    from coderag.cli.main import run  # later than what the environment of the tests is to be

    if any(name.startswith(FOR_PYTHON) for name in environment):
        return run_program(*arguments, cwd=cwd, stdin=stdin, **environment)
    words, variables = [str(argument) for argument in arguments], ENVIRONMENT | environment
    given, out, err = (io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin.encode(), b"", b""))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")
        patch.chdir(cwd)
        for name in os.environ.keys() - variables.keys():
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        code = run(words)
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8", "surrogateescape"))
    return Done(words, code, *map(_lines, said))


class Commands:
    """What runs commands; any thread may use it, one command at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._server = subprocess.Popen(
            [sys.executable, "-P", command_server.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"},
        )

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        stdin: str = "",
        program: str = "",
        name: str = "coderag",
    ) -> Ended:
        """Run a command by its name, or a program in Python."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        request = {
            "name": name,
            "arguments": list(arguments),
            "cwd": str(cwd),
            "environment": dict(environment),
            "stdin": stdin,
            "program": program,
        }
        with self._lock:
            self._server.stdin.write(f"{json.dumps(request)}\n")
            self._server.stdin.flush()
            answer = json.loads(self._server.stdout.readline())
        return Ended(answer["code"], answer["out"], answer["err"])

    def done(
        self,
        arguments: Sequence[str | Path],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        stdin: str = "",
        name: str = "coderag",
    ) -> Done:
        """Run a command, and return what `subprocess.run` does of texts; it has to end."""
        words = [str(argument) for argument in arguments]
        ended = self.run(words, cwd=cwd, environment=environment, stdin=stdin, name=name)
        assert ended.code is not None, f"{words} did not end in {HANGS_AFTER} s"
        return Done(words, ended.code, _lines(ended.out), _lines(ended.err))

    def coderag(self, *arguments: str | Path, cwd: Path, stdin: str = "", **environment: str) -> Done:
        """Do what `run_program` does, without starting an interpreter where none is needed."""
        if any(name.startswith(FOR_PYTHON) for name in environment):
            return run_program(*arguments, cwd=cwd, stdin=stdin, **environment)
        return self.done(arguments, cwd=cwd, environment=ENVIRONMENT | environment, stdin=stdin)

    def close(self) -> None:
        """End the process that starts the commands."""
        self._server.communicate(timeout=HANGS_AFTER)


def _lines(text: str) -> str:
    """Return text with the ends of lines that `subprocess` gives it."""
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
