"""Who writes an index: one at a time, waiting for a while, and never for the dead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import IndexLockedError
from coderag.index.build.build import Builder
from coderag.index.build.job import BuildOptions
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import Holder, holder_of, locked
from tests.workspace import REPOSITORY, write

HOLD = """
import sys
from pathlib import Path
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import locked
with locked(IndexPath(Path(sys.argv[1])), 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the lock."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_who_waits_hears_who_holds_it(tmp_path: Path) -> None:
    heard: list[Holder | None] = []
    with held_by_another(tmp_path) as process:
        told = pytest.raises(IndexLockedError, match=rf"process {process.pid} \(-c\), since .* more than 0.6 s")
        with told, locked(IndexPath(tmp_path), 0.6, waiting=heard.append):
            raise AssertionError
        assert [one.pid for one in heard if one] == [process.pid]
        holder = holder_of(IndexPath(tmp_path))
        assert holder is not None
        assert holder.pid == process.pid
        assert abs(holder.since - time.time()) < 60
    assert holder_of(IndexPath(tmp_path)) is None


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "lock.json").exists()  # nobody could remove it
        assert holder_of(IndexPath(tmp_path)) is None
        with locked(IndexPath(tmp_path), 0):
            holder = holder_of(IndexPath(tmp_path))
            assert holder is not None
            assert holder.pid == os.getpid()
    assert not (tmp_path / "lock.json").exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"pid": 1}', json.dumps({"pid": "x", "host": "y", "command": "", "since": 0})]
)
def test_what_is_not_said_properly(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock.json").write_text(text)
    holder = holder_of(IndexPath(tmp_path))
    assert holder is None or holder.host == "y"
    with held_by_another(tmp_path):
        (tmp_path / "lock.json").write_text(text)
        with pytest.raises(IndexLockedError, match="has been writing the index"), locked(IndexPath(tmp_path), 0):
            raise AssertionError


def test_a_holder_on_another_machine(tmp_path: Path) -> None:
    there = Holder(1, "another-machine", "coderag index", 0.0)
    (tmp_path / "lock.json").write_text(
        json.dumps({"pid": there.pid, "host": there.host, "command": there.command, "since": there.since})
    )
    assert holder_of(IndexPath(tmp_path)) == there
    assert "on another-machine (coderag index)" in str(there)


def test_a_second_writer_waits_and_goes_on(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "def first():\n    return 1\n"})
    index = Index.build(root, workers=0)
    write(root, {"a.py": "def second():\n    return 1\n"})
    builder = Builder(root, IndexPath(root / ".coderag"), repository="root")
    with held_by_another(root / ".coderag"):
        with pytest.raises(IndexLockedError):
            builder.update(BuildOptions(workers=0, lock_seconds=0.1))
        assert index.symbols("first")  # who only reads waits for nobody
        assert Index.open(root).symbols("first")
        assert not (root / ".coderag/listing-2.bin").exists()
    builder.update(BuildOptions(workers=0, lock_seconds=0.1))
    builder.close()
    assert Index.open(root).symbols("second", alike=False)


def test_nothing_of_a_failure_keeps_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="on the way"), locked(IndexPath(tmp_path), 0):
        raise ValueError("on the way")
    with locked(IndexPath(tmp_path), 0):
        assert holder_of(IndexPath(tmp_path)) is not None
