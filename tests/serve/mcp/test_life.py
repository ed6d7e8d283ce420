"""When a server ends, and that nothing of it is left."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.growth import HANG_SECONDS
from tests.serve.mcp.session import COMMAND, ENVIRONMENT, LEGACY, MODERN, Session, left_behind, marked
from tests.workspace import copy_shop

pytestmark = pytest.mark.slow

QUESTION = "where are failed payments retried?"
ODD_TOOLS = (sys.executable, "-m", "tests.serve.mcp.odd_tools", "mcp")
SERVERS = 10
# Starts a command with the input and output that it has itself, says so, and waits to be killed.
PARENT = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(3600)"


def test_a_server_ends_with_its_input(shop: Path) -> None:
    mark = marked()
    with Session("--root", shop, **mark) as session:
        session.open(LEGACY).call("search", query=QUESTION)
    assert left_behind(mark) == []
    assert session.stderr == []


@pytest.mark.parametrize("sent", [b"", b"{nonsense\n", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"'])
def test_a_server_ends_though_it_was_never_opened(shop: Path, sent: bytes) -> None:
    done = subprocess.run(
        [*COMMAND, "--root", shop], input=sent, env=ENVIRONMENT, capture_output=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_a_server_ends_while_a_call_hangs(shop: Path) -> None:
    mark = marked()
    with Session("--root", shop, command=ODD_TOOLS, **mark) as session:
        session.open(MODERN).send_call("search", query="hang")
    assert left_behind(mark) == []


def test_a_server_ends_when_nobody_reads_its_output(shop: Path) -> None:
    out, written = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "--root", shop], stdin=subprocess.PIPE, stdout=written, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    os.close(written)
    os.close(out)
    assert process.stdin
    assert process.stderr
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    assert process.wait(HANG_SECONDS) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_server_quietly(shop: Path, number: signal.Signals) -> None:
    mark = marked()
    with Session("--root", shop, **mark) as session:
        session.open(LEGACY).call("search", query=QUESTION)
        session.process.send_signal(number)
        assert session.is_at_end()
    assert left_behind(mark) == []
    assert session.stderr == []


@contextmanager
def orphan(root: Path, mark: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """Yield the parent of a server, and the ends of its pipes, which this process keeps open."""
    stdin, our_stdin = os.pipe()
    our_stdout, stdout = os.pipe()
    try:
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT, *ODD_TOOLS, "--root", str(root)],
            stdin=stdin,
            stdout=stdout,
            env=ENVIRONMENT | mark,
        )
        os.close(stdin)
        os.close(stdout)
        yield parent, our_stdin, our_stdout
    finally:
        parent.kill()
        parent.wait()
        os.close(our_stdin)
        os.close(our_stdout)


def stateless(number: int, method: str, **params: Any) -> bytes:
    """Return the line of a request that needs no handshake."""
    own = {"protocolVersion": MODERN, "clientInfo": {"name": "test", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in own.items()}
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params | {"_meta": meta}}
    return json.dumps(request).encode() + b"\n"


def said(stdout: int) -> bytes:
    """Return what is next on a pipe, b"" when nobody can write to it any more."""
    assert select.select([stdout], [], [], HANG_SECONDS)[0]
    return os.read(stdout, 1 << 16)


@pytest.mark.parametrize("without", [{}, {"NO_PIDFD": "1"}], ids=["pidfd", "polling"])
@pytest.mark.parametrize("query", ["", "hang"], ids=["idle", "in a call"])
def test_a_server_ends_with_its_parent_though_its_pipe_stays_open(
    shop: Path, without: dict[str, str], query: str
) -> None:
    mark = marked()
    with orphan(shop, mark | without) as (parent, stdin, stdout):
        os.write(stdin, stateless(1, "tools/list"))
        assert b'"name":"search"' in said(stdout)
        if query:
            os.write(stdin, stateless(2, "tools/call", name="search", arguments={"query": query}))
        parent.kill()
        parent.wait()
        while said(stdout):  # an answer to what was under way
            pass
        assert left_behind(mark) == []


def test_many_servers_on_one_index_leave_nothing_behind(tmp_path: Path) -> None:
    root = copy_shop(tmp_path / "shop")  # not indexed: one of them does it
    mark = marked()
    with ExitStack() as stack:
        sessions = [stack.enter_context(Session("--root", root, **mark)) for _ in range(SERVERS)]
        for number, session in enumerate(sessions):
            session.open(LEGACY if number % 2 else MODERN).send_call("search", query=QUESTION)
        for session in sessions:
            assert session.answer()["result"]["content"]
    assert left_behind(mark) == []
