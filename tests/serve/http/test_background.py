"""Servers without a terminal: real processes, found again and ended."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from coderag.cli.main import run
from tests.serve.http.served import SECONDS
from tests.serve.http.test_life import built


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an indexed root whose servers have state of their own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = built(tmp_path / "a")
    yield root
    serve(root, "--stop", "--port", "0")


def serve(root: Path, *arguments: str) -> int:
    """Run `coderag serve` in this process, and return its exit code."""
    return run(["serve", "--root", str(root), *arguments])


def background(root: Path, port: int = 0) -> subprocess.CompletedProcess[str]:
    """Run `coderag serve --background` in a process of its own, which has no other thread."""
    command = [sys.executable, "-m", "coderag", "serve", "--root", str(root), "--background", "--port", str(port)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)


def status(address: str) -> int:
    """Return the status of an answer, 0 where nobody listens."""
    parts = urlsplit(address)
    connection = HTTPConnection("127.0.0.1", parts.port or 0, timeout=SECONDS)
    token = parts.fragment.removeprefix("token=")
    try:
        connection.request("GET", "/api/symbol?name=part_1", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    except ConnectionRefusedError:
        return 0
    finally:
        connection.close()


@pytest.mark.slow
def test_one_is_started_found_again_and_ended(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = background(root)
    address = first.stdout.strip()
    assert (first.returncode, status(address)) == (0, 200)
    state = root.parent / "state/coderag/servers"
    (log,) = state.glob("*.log")
    assert str(log) in first.stderr
    assert [oct(each.stat().st_mode & 0o077) for each in state.iterdir()] == ["0o0", "0o0"]
    assert (serve(root, "--background", "--port", "0"), capsys.readouterr().out.strip()) == (0, address)
    assert serve(root, "--stop", "--port", "1") == 1  # another port
    (record,) = state.glob("*.json")
    left = record.read_text()
    assert serve(root, "--stop", "--port", "0") == 0
    assert status(address) == 0
    assert not record.exists()
    record.write_text(left)  # as one leaves that is killed
    assert serve(root, "--stop", "--port", "0") == 1
    assert "no server of these roots" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_and_nothing_is_left(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert serve(root, "--background", "--port", str(port)) == 2
        assert f"127.0.0.1:{port} cannot be served" in capsys.readouterr().err
        assert serve(root, "--stop", "--port", str(port)) == 1


@pytest.mark.slow
def test_one_that_nobody_asks_ends(root: Path) -> None:
    command = [sys.executable, "-m", "coderag", "serve", "--root", str(root), "--port", "0", "--idle", "0.02"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stdout.startswith("http://127.0.0.1:")) == (0, True)
