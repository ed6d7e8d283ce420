"""`coderag watch`: a process that follows files, tells what it read, and ends when it is told to."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import ENVIRONMENT, Run
from tests.growth import HANG_SECONDS
from tests.workspace import place

pytestmark = pytest.mark.slow

SECONDS = 2 * HANG_SECONDS  # for all that a test does


@contextmanager
def watching(*arguments: str | Path, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `coderag watch`; a line that never comes ends it, so that reading one cannot hang."""
    process = subprocess.Popen(
        [sys.executable, "-m", "coderag", "watch", *map(str, arguments)],
        cwd=cwd,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    late = threading.Timer(SECONDS, process.kill)
    late.start()
    try:
        yield process
    finally:
        late.cancel()
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def told(process: subprocess.Popen[str], words: str) -> str:
    """Return the line of standard error that holds some words."""
    assert process.stderr is not None
    for one in process.stderr:
        if words in one:
            return one
    raise AssertionError(f"it ended without saying {words!r}")


def test_updates_are_told_as_lines(coderag: Run, project: Path) -> None:
    with watching(cwd=project) as process:
        assert str(project) in told(process, "following")
        place(project / "src/new.py", "def fresh():\n    return 1\n")
        said = line(process)
        assert "  1 file read, " in said
        assert " chunks" in said
        (project / "src/new.py").unlink()
        assert "  1 gone, " in line(process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(SECONDS) == 0
        out, errors = process.communicate()
        assert (out, errors) == ("", "")
    assert coderag("search", "total", "--no-refresh", cwd=project).returncode == 0


def test_json_is_an_object_a_line(project: Path) -> None:
    with watching("--json", cwd=project) as process:
        told(process, "following")
        place(project / "src/new.py", "def fresh():\n    return 1\n")
        update = json.loads(line(process))
        assert (update["read"], update["removed"], update["error"], update["repository"]) == (1, 0, "", "project")
        process.terminate()
        assert process.wait(SECONDS) == 0


def test_quiet_prints_only_errors(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    with watching("--quiet", cwd=project) as process:
        for name in ("fresh", "fresher"):
            (project / "src/new.py").write_text(f"def {name}():\n    return 1\n")
            while coderag("symbols", name, "--no-refresh", cwd=project).returncode:
                assert process.poll() is None
            (project / "coderag.toml").write_text("content = [")
            assert "coderag.toml" in told(process, "not up to date yet")
            (project / "coderag.toml").unlink()
        process.terminate()
        assert process.wait(SECONDS) == 0
        assert process.communicate()[0] == ""


def test_a_root_that_is_removed_ends_it(coderag: Run, project: Path, tmp_path: Path) -> None:
    coderag("index", cwd=project)
    with watching(project, cwd=tmp_path) as process:
        told(process, "following")
        shutil.rmtree(project)
        assert f"{project} was removed" in told(process, "removed")
        assert process.wait(SECONDS) == 2
    assert not project.exists()


def test_several_roots_are_named(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("def a():\n    return 1\n")
    with watching(project, other, cwd=tmp_path) as process:
        told(process, "following")
        place(other / "b.py", "def b():\n    return 1\n")
        assert "  other: 1 file read, " in line(process)
        place(project / "src/new.py", "def fresh():\n    return 1\n")
        assert "  project: 1 file read, " in line(process)


def test_a_signal_while_the_index_is_made(project: Path) -> None:
    for number in range(300):
        (project / f"src/m{number}.py").write_text("".join(f"def f{one}():\n    return {one}\n" for one in range(60)))
    with watching(cwd=project) as process:
        while not (project / ".coderag/segments").exists():
            assert process.poll() is None
        process.terminate()
        assert process.wait(SECONDS) == 0
        assert "Traceback" not in process.communicate()[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "does not exist"),
        (["--poll", "0"], "is less than 0.01"),
        (["--workers", "x"], "whole number"),
    ],
)
def test_what_cannot_be_done_is_said(coderag: Run, project: Path, arguments: list[str], message: str) -> None:
    done = coderag("watch", *arguments, cwd=project)
    assert done.returncode == 2
    assert message in done.stderr


def test_it_gives_way_to_others(coderag: Run, project: Path) -> None:
    coderag("index", cwd=project)
    with watching("--json", cwd=project) as process:
        told(process, "following")
        place(project / "src/new.py", "def fresh():\n    return 1\n")
        line(process)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) > 0
