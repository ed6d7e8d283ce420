"""A runtime folder of its own for each test, and the helpers that listen there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL
from typing import Any
from uuid import uuid4

import pytest

from tests.commands import ENVIRONMENT, Commands, Run
from tests.growth import HANG_SECONDS
from tests.workspace import copy_shop

Done = subprocess.CompletedProcess[bytes]
FIRST_PAUSE, LAST_PAUSE = 0.02, 0.3  # seconds between two looks at what is waited for


@dataclass(frozen=True)
class Desk:
    """A user who runs commands, with or without a helper."""

    runtime: Path
    environment: Mapping[str, str]
    mark: str
    commands: Commands
    helpers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, *arguments: str, cwd: Path, stdin: bytes = b"", **environment: str) -> Done:
        """Run a command that a helper may answer."""
        return subprocess.run(
            [sys.executable, "-m", "coderag", *arguments],
            cwd=cwd,
            input=stdin,
            env={**self.environment, **environment},
            capture_output=True,
            timeout=HANG_SECONDS,
        )

    def alone(self, *arguments: str, cwd: Path, stdin: bytes = b"", **environment: str) -> Done:
        """Run a command that answers by itself."""
        return self.run(*arguments, cwd=cwd, stdin=stdin, **{**environment, "CODERAG_HELPER": "0"})

    def copied(self, *arguments: str, cwd: Path, **environment: Any) -> Done:
        """Run a command that answers by itself, without an interpreter of its own where that reads no variable."""
        if any(name.startswith("PYTHON") for name in environment):
            return self.alone(*arguments, cwd=cwd, **environment)
        environment = {**self.environment, **environment, "CODERAG_HELPER": "0"}
        ended = self.commands.run(arguments, cwd=cwd, environment=environment)
        assert ended.code is not None
        out, err = (text.encode("utf-8", "surrogateescape") for text in (ended.out, ended.err))
        return Done(arguments, ended.code, out, err)

    def start(self) -> subprocess.Popen[bytes]:
        """Start a helper, and wait until it listens."""
        helper = subprocess.Popen([sys.executable, "-m", "coderag", "helper", "run"], cwd="/", env=self.environment)
        self.helpers.append(helper)
        self.wait_for(lambda: any(state["pid"] == helper.pid for state in self.states()))
        return helper

    def states(self) -> list[dict[str, Any]]:
        """Return what the helpers that listen say of themselves."""
        if not any(self.runtime.glob("coderag/*.sock")):
            return []  # whoever waits for one asks again and again, and a command takes as long as the start of one
        done = self.commands.done(["helper", "status", "--json"], cwd=self.runtime, environment=self.environment)
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    def answered(self) -> int:
        """Return how many commands the only helper has answered; a busy one takes its time to say so."""
        found: list[dict[str, Any]] = []

        def said() -> bool:
            found[:] = self.states()
            return bool(found)

        self.wait_for(said)
        [state] = found
        return int(state["answered"])

    def wait_for(self, condition: Any) -> None:
        """Wait until something is so, and look less often the longer that takes: looking is work too."""
        limit, pause = time.monotonic() + HANG_SECONDS, FIRST_PAUSE
        while not condition():
            assert time.monotonic() < limit
            time.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE)

    def wait_for_answers(self, root: Path) -> None:
        """Ask until a helper answers: it has the index open, and is not busy."""
        before = self.answered()
        self.wait_for(
            lambda: self.run("search", "x", cwd=root) and self.answered() > before and str(root) in str(self.states())
        )

    def wait_until_answered(self, count: int) -> None:
        """Wait until the only helper says that it has answered so many commands; it learns that afterwards."""
        self.wait_for(lambda: self.answered() >= count)
        assert self.answered() == count

    def processes(self) -> list[int]:
        """Return the processes that run with the mark of this test."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if self.mark.encode() in path.read_bytes():
                    found.append(int(path.parent.name))
        return found


@pytest.fixture
def desk(commands: Commands) -> Iterator[Desk]:
    """A user with a runtime folder; helpers that are left are ended."""
    runtime = Path(tempfile.mkdtemp(prefix="crh-"))  # below pytest's own folder, paths are too long for a socket
    mark = f"coderag-test-{uuid4()}"
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "CODERAG_HELPER"}
    # The helper's own processes have only what it passes on: LOGNAME is.
    found = Desk(
        runtime,
        {**environment, "XDG_RUNTIME_DIR": str(runtime), "LOGNAME": mark, "CODERAG_HELPER": "wait"},
        mark,
        commands,
    )
    yield found
    found.copied("helper", "stop", "--all", cwd=runtime)
    for helper in found.helpers:
        with suppress(ProcessLookupError):
            helper.send_signal(SIGKILL)
        helper.wait(HANG_SECONDS)
    found.wait_for(lambda: not found.processes())
    shutil.rmtree(runtime)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    """An indexed copy of the example application; tests only read it."""
    root = copy_shop(tmp_path_factory.mktemp("resident") / "shop")
    (root / ".git").mkdir()
    assert coderag("index", "--quiet", "--workers", "0", cwd=root).returncode == 0
    return root


@pytest.fixture
def small(tmp_path: Path, coderag: Run) -> Path:
    """A small repository, indexed, that a test may change."""
    root = tmp_path / "small"
    (root / ".git").mkdir(parents=True)
    (root / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
    assert coderag("index", "--quiet", "--workers", "0", cwd=root).returncode == 0
    return root


def as_shown(done: Done) -> tuple[int, bytes, bytes]:
    """Return the exit code, the standard output and the standard error of a command."""
    return done.returncode, done.stdout, done.stderr
