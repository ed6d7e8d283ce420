"""How a server starts, follows its files, and ends."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coderag import Index
from coderag.cli.main import run
from tests.serve.http.served import SECONDS, Served
from tests.workspace import let_clock_tick, write

pytestmark = pytest.mark.slow

FILES = {f"part{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(4)}


def built(root: Path) -> Path:
    write(root, FILES)
    Index.build(root, workers=0).close()
    return root


def symbols(server: Served, name: str) -> list[str]:
    return [record["name"] for record in server.get(f"/api/symbol?name={name}").json]


def until(answer: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not answer():
        assert time.monotonic() < deadline


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    with Served(built(tmp_path / "a"), "--no-token") as server:
        assert server.token == ""
        assert server.get("/api/status").json[0]["repository"] == "a"
        assert b"coderag" in server.get("/").body  # a page, or where there are none, what this is
        with socket.create_connection(("127.0.0.1", server.port)):  # one that asks nothing holds nothing up
            assert server.end(number) == (0, "coderag: serving; Ctrl-C ends it\n")


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = built(tmp_path / "a")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert run(["serve", "--root", str(root), "--port", str(port)]) == 2
    said = f"coderag: 127.0.0.1:{port} cannot be served: Address already in use; give another --port, or 0 for any\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--no-token", "--host", "0.0.0.0"], "--no-token lets in whoever reaches 0.0.0.0; it is for 127.0.0.1 alone"),
        (["--no-token", "--groups-from", "keys"], "--no-token and --groups-from exclude each other"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid:0 cannot be served"),
        (["--groups-from", "missing"], "missing"),
        (["--root", "nowhere"], "'nowhere' does not exist"),
        (["--port", "65536"], "65,535"),
    ],
)
def test_what_cannot_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    monkeypatch.chdir(write(tmp_path, FILES))
    assert run(["serve", "--port", "0", *arguments]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


def test_edits_are_answered_and_no_request_fails_meanwhile(tmp_path: Path) -> None:
    root = built(tmp_path / "a")
    with Served(root) as server:
        failures: list[bytes] = []
        stop = threading.Event()

        def ask() -> None:
            while not stop.is_set():
                reply = server.get("/api/search?q=part&k=3")
                if reply.status != 200:
                    failures.append(reply.body)

        with ThreadPoolExecutor(3) as threads:
            asking = [threads.submit(ask) for _ in range(3)]
            try:
                for number in range(4):
                    let_clock_tick()
                    (root / "part0.py").write_text(f"def part_edit_{number}():\n    return 0\n")
                    name = f"part_edit_{number}"
                    until(lambda name=name: name in symbols(server, name))  # type: ignore[misc]
            finally:
                stop.set()
            for each in asking:
                each.result()
        assert failures == []


def test_a_root_that_is_deleted_is_told_and_the_others_come_back(tmp_path: Path) -> None:
    root = built(tmp_path / "a")
    with Served(root) as server:
        shutil.move(root, tmp_path / "b")
        reply = server.get("/api/search?q=part")
        assert (reply.status, reply.headers["retry-after"]) == (503, "2")
        assert reply.json["error"] == f"{root} is gone; the server answers again when it is back"
        assert server.get("/healthz").status == 200
        shutil.move(tmp_path / "b", root)
        assert symbols(server, "part_1") == ["part_1"]


def test_the_others_answer_when_one_root_of_several_is_deleted(tmp_path: Path) -> None:
    other = write(tmp_path / "b", {"late.py": "def late():\n    pass\n"})
    Index.build(other, workers=0).close()
    with Served(built(tmp_path / "a"), "--root", str(other)) as server:
        assert symbols(server, "part_1") == ["part_1"]
        shutil.move(tmp_path / "a", tmp_path / "elsewhere")
        reply = server.get("/api/symbol?name=late")
        assert [one["name"] for one in reply.json] == ["late"]
        assert json.loads(reply.headers["coderag-notes"]) == [
            f"{tmp_path / 'a'} is gone; the server answers again when it is back"
        ]
        shutil.move(tmp_path / "elsewhere", tmp_path / "a")
        until(lambda: symbols(server, "part_1") == ["part_1"])


def test_several_roots_are_one(tmp_path: Path) -> None:
    other = write(tmp_path / "b", {"late.py": "def late():\n    pass\n"})
    Index.build(other, workers=0).close()
    with Served(built(tmp_path / "a"), "--root", str(other)) as server:
        assert symbols(server, "late") + symbols(server, "part_1") == ["late", "part_1"]
        assert server.get("/api/file?path=late.py&repository=b").json["lines"] == ["def late():", "    pass"]
        assert server.get("/api/file?path=late.py&repository=a").status == 404
