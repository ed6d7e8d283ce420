"""Several processes behind one address."""

from __future__ import annotations

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coderag.serve.http.workers import LEAST_SECONDS
from tests.serve.http.served import Served
from tests.serve.http.test_life import built, until

pytestmark = pytest.mark.slow


def workers(server: Served) -> set[int]:
    """Return the processes that answer, as far as some requests at once reach them."""
    with ThreadPoolExecutor(8) as threads:
        texts = threads.map(lambda _: server.get("/metrics").body.decode(), range(16))
    return {int(number) for text in texts for number in re.findall(r'in_flight\{worker="(\d+)"\}', text)}


def test_workers_share_an_address_and_one_that_dies_is_replaced(tmp_path: Path) -> None:
    with Served(built(tmp_path / "a"), "--workers", "2") as server:
        until(lambda: len(workers(server)) == 2)
        first = workers(server)
        assert server.process.pid not in first
        assert server.get("/api/symbol?name=part_1").json[0]["name"] == "part_1"
        started = time.monotonic()
        until(lambda: time.monotonic() - started > LEAST_SECONDS)  # what dies sooner cannot start
        os.kill(min(first), signal.SIGKILL)
        until(lambda: len(workers(server) - first) == 1)
        assert server.end(signal.SIGTERM) == (0, "coderag: serving; Ctrl-C ends it\n")
        assert not any(Path(f"/proc/{process}").exists() for process in first)


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    with Served(built(tmp_path / "a"), "--workers", "2") as server:
        until(lambda: len(workers(server)) == 2)
        left = workers(server)
        server.end(signal.SIGKILL)
        until(lambda: not any(Path(f"/proc/{process}").exists() for process in left))
