"""The fixture applications: how each is made ready and tested, and how the failures of its tests read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["APPLICATIONS", "Application", "Failure", "Frame", "ToolError"]

HERE = Path(__file__).parent
DEBIAN_DRIVER = Path("/usr/share/gocode/src/github.com/mattn/go-sqlite3")
NODE_FRAME = re.compile(r"\(?((?:file://)?/[^\s():]+):([0-9]+):[0-9]+\)?$", re.MULTILINE)
GO_FRAME = re.compile(r"^[ \t]*(/[^\s:]+\.go):([0-9]+)", re.MULTILINE)
GO_STACK = "goroutine "
RUN_SECONDS = 600  # that tests may take
SHOWN = 2_000  # characters of what a tool said


class ToolError(Exception):
    """Something that an application needs is not there or did not work."""


Frame = tuple[str, int]  # path as the tool tells it, line from 1


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed."""

    path: str
    title: str
    stacks: tuple[tuple[Frame, ...], ...]  # the innermost frame first


@dataclass(frozen=True, slots=True)
class Application:
    """How an application is made ready, tested and asked for its versions."""

    name: str
    tests: tuple[str, ...]  # how the paths of tests and their helpers begin or end
    migrations: str  # where its migrations stand
    prepare: Callable[[Path, Path | None], None]  # a copy of the application; a node_modules to use
    run: Callable[[Path, Mapping[str, str]], list[Failure]]  # a copy and further variables of the environment
    versions: tuple[tuple[str, ...], ...]  # commands

    def is_test(self, path: str) -> bool:
        """Tell whether a path belongs to tests."""
        return any(path.startswith(part) or path.endswith(part) for part in self.tests)


def _call(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=os.environ | dict(environment),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolError(f"{error.filename} is not installed") from error


def _prepare(command: Sequence[str], folder: Path) -> None:
    done = _call(command, folder, {})
    if done.returncode:
        raise ToolError(f"{' '.join(command)}: {done.stderr[-SHOWN:]}")


def _told(done: subprocess.CompletedProcess[str], failures: list[Failure]) -> list[Failure]:
    """Return the failures; raises ToolError where a run failed and no test of it did: nothing could be built."""
    if done.returncode and not failures:
        raise ToolError(f"{' '.join(done.args)}: {(done.stdout + done.stderr)[-SHOWN:]}")
    return failures


def _read_records(text: str, read_stack: Callable[[Any], tuple[Frame, ...]]) -> list[Failure]:
    records = [json.loads(line) for line in text.splitlines()]
    return [
        Failure(record["path"], record["title"], tuple(read_stack(stack) for stack in record["stacks"]))
        for record in records
    ]


def _nothing(folder: Path, modules: Path | None) -> None:
    """Leave the copy as it is."""


def _run_pytest(folder: Path, environment: Mapping[str, str]) -> list[Failure]:
    frames = folder / "frames.jsonl"
    frames.write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "pytest_frames"]
    done = _call(command, folder, {**environment, "PYTHONPATH": str(HERE), "FRAMES": str(frames)})
    return _told(done, _read_records(frames.read_text(encoding="utf-8"), _given_frames))


def _given_frames(stack: Any) -> tuple[Frame, ...]:
    return tuple((str(path), int(line)) for path, line in stack)


def _add_modules(folder: Path, modules: Path | None) -> None:
    if modules is not None:
        (folder / "node_modules").symlink_to(modules.resolve())
    elif not (folder / "node_modules").exists():
        _prepare(["npm", "install", "--no-audit", "--no-fund"], folder)


def _run_node(folder: Path, environment: Mapping[str, str]) -> list[Failure]:
    """Run each file in a process of its own, as errors lose their stacks on the way from one process to another."""
    found = []
    for file in sorted(folder.glob("tests/*.test.ts")):
        options = ["--stack-trace-limit=100", "--import", "tsx", f"--test-reporter={HERE / 'node_frames.mjs'}"]
        done = _call(["node", *options, str(file)], folder, environment)
        found += _told(done, _read_records(done.stdout, _node_stack))
    return found


def _node_stack(stack: str) -> tuple[Frame, ...]:
    return tuple((path.removeprefix("file://"), int(line)) for path, line in NODE_FRAME.findall(stack))


def _add_driver(folder: Path, modules: Path | None) -> None:
    del modules
    if DEBIAN_DRIVER.is_dir():
        _prepare(["go", "mod", "edit", "-replace", f"github.com/mattn/go-sqlite3={DEBIAN_DRIVER}"], folder)
    else:
        _prepare(["go", "mod", "tidy"], folder)


def _run_go(folder: Path, environment: Mapping[str, str]) -> list[Failure]:
    output: dict[tuple[str, str], list[str]] = {}
    failed = set()
    done = _call(["go", "test", "-count=1", "-json", "./..."], folder, environment)
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if "Test" not in event:
            continue
        key = event["Package"], event["Test"].partition("/")[0]
        if event["Action"] == "output":
            output.setdefault(key, []).append(event["Output"])
        elif event["Action"] == "fail":
            failed.add(key)
    failures = [
        Failure(_go_file(folder, package, test), test, tuple(_go_stacks("".join(output.get((package, test), ())))))
        for package, test in sorted(failed)
    ]
    return _told(done, failures)


def _go_stacks(text: str) -> Iterator[tuple[Frame, ...]]:
    for stack in text.split(GO_STACK)[1:]:
        yield tuple((path, int(line)) for path, line in GO_FRAME.findall(stack))


def _go_file(folder: Path, package: str, test: str) -> str:
    """Return the file that defines a test; the last part of a package is its folder."""
    for file in sorted(folder.glob(f"{package.rpartition('/')[2]}/*_test.go")):
        if f"func {test}(" in file.read_text(encoding="utf-8"):
            return str(file)
    raise ToolError(f"no file of {package} defines {test}")


APPLICATIONS = {
    one.name: one
    for one in (
        Application(
            "clinic",
            ("tests/",),
            "migrations/",
            _nothing,
            _run_pytest,
            (
                (
                    sys.executable,
                    "-c",
                    "import platform, sqlalchemy, alembic, flask, importlib.metadata as m; print('Python',"
                    " platform.python_version(), 'SQLAlchemy', sqlalchemy.__version__, 'Alembic', alembic.__version__,"
                    " 'Flask', m.version('flask'))",
                ),
            ),
        ),
        Application(
            "shipping",
            ("tests/",),
            "src/db/migrations/",
            _add_modules,
            _run_node,
            (
                ("node", "-p", "'Node.js ' + process.version"),
                ("node", "-p", "'Knex ' + require('knex/package.json').version"),
                ("node", "-p", "'better-sqlite3 ' + require('better-sqlite3/package.json').version"),
            ),
        ),
        Application(
            "payroll", ("internal/dbtest/", "_test.go"), "db/migrations/", _add_driver, _run_go, (("go", "version"),)
        ),
    )
}
