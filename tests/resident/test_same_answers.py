"""A helper answers what the command would have: every byte of both streams, and the exit code."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from coderag.cli.parser.parser import COMMANDS as ALL_COMMANDS
from coderag.resident.client import COMMANDS
from tests.growth import HANG_SECONDS
from tests.resident.conftest import Desk, Done

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="there are no helpers elsewhere"),
]

BY_THEMSELVES = {
    *("index", "watch", "clean", "mcp", "install", "uninstall", "doctor", "helper", "eval", "languages", "completion"),
    *("lsp", "serve", "sessions", "merge", "push", "pull", "export"),
    "log",  # it runs git
    "sql",  # DuckDB has threads, which a fork does not copy
    "check-answer",  # it reads standard input
}
# A command line for each line; all are asked in the folder of the example application.
ASKED = """
search where are failed payments retried?
search PaymentRetrier.retry_failed -k 2 --json
search payments --format markdown
search payments --vimgrep
search payments --explain --related 5
search payments --context whole --expand parent
search payments --context none --no-collapse --tests exclude
search payments --kind function,method --language python
search payments --language nonsense
search payments --path !**/test*/**
search payments --threshold 1
search payments --groups nobody
search payments --database nonsense
search payments --no-refresh
search payments --color always
search payments -k 0
search payments --nonsense
search payments --root nowhere
search payments --root . --root ../shop/docs --index /nowhere/at/all --no-refresh
search --help
search
search zyxxyz_nothing
at shop/payments/retry.py:68
at shop/payments/retry.py:9999
at nonsense.py:1
outline shop/payments/retry.py
outline shop/payments/retry.py --json
outline nonsense.py
symbols backoff_delay
symbols backof
symbols PaymentRetrier --json
refs PaymentRetrier.retry_failed
refs orders --json
refs nonsense_that_nothing_is_called
impact PaymentRetrier.retry_failed
impact orders.total --change drop --depth 5
path PaymentRetrier.retry_failed payments
path orders customers --json --limit 3
graph orders
graph orders --format svg
graph orders --format dot
map
map --json
map payments --budget 3000
schema monthly revenue by region
schema monthly revenue by region --json
schema revenue --explain --budget 1000
schema revenue --format markdown --no-samples
tables
tables --json
tables *s --tests exclude
table orders
table orders --json
table nonsense
erd
erd orders customers
check-sql schema/queries/money.sql
check-sql schema/queries/money.sql --json
check-sql nonsense.sql
ask how are failed payments retried?
ask who calls retry_failed? --json
ask where is the flux capacitor? --trace
ask which tables hold invoices? --groups nobody
status
status --verbose
status --json
status --check
status --groups nobody
"""
LINES = ASKED.strip().splitlines()
ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "groups": {"CODERAG_GROUPS": "nobody"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "narrow": {"COLUMNS": "40"},
    "unbuffered": {"PYTHONUNBUFFERED": "1"},
}


def timeless(done: Done) -> tuple[int, bytes, bytes]:
    """Return what a command gave, without what depends on when it ran."""
    aged = re.compile(rb"just now|\d+ (seconds?|minutes?) ago|milliseconds\": [\d.]+|\"age[^,]*|[\d.]+ ms")
    return done.returncode, aged.sub(b"", done.stdout), aged.sub(b"", done.stderr)


def test_every_command_is_asked_or_answers_by_itself() -> None:
    assert ALL_COMMANDS.keys() == COMMANDS | BY_THEMSELVES
    assert not COMMANDS & BY_THEMSELVES
    assert {line.split()[0] for line in LINES} == COMMANDS


def test_answers_are_the_same(desk: Desk, asked: Path) -> None:
    # By an interpreter once for each command, and else by a copy of a process, which takes a fifth of the time.
    first = {line.split()[0]: line for line in reversed(LINES)}.values()
    alone = [timeless((desk.alone if line in first else desk.copied)(*line.split(), cwd=asked)) for line in LINES]
    desk.start()
    desk.wait_for_answers(asked)
    before = desk.answered()
    for line, expected in zip(LINES, alone, strict=True):
        assert timeless(desk.run(*line.split(), cwd=asked)) == expected, line
    desk.wait_until_answered(before + len(LINES))


def test_the_environment_goes_with_the_command(desk: Desk, asked: Path) -> None:
    desk.start()
    desk.wait_for_answers(asked)
    for name, variables in ENVIRONMENTS.items():
        for line in ("search payments", "tables", "search é", "nonsense"):
            for folder in (asked, asked / "shop"):
                alone = desk.copied(*line.split(), cwd=folder, **variables)
                assert timeless(desk.run(*line.split(), cwd=folder, **variables)) == timeless(alone), (name, line)


def test_files_are_made_in_the_folder_and_by_the_umask_of_the_command(desk: Desk, asked: Path, tmp_path: Path) -> None:
    desk.start()
    desk.wait_for_answers(asked)
    made = []
    for number, run in enumerate((desk.alone, desk.run)):
        folder = tmp_path / str(number)
        folder.mkdir()
        os.umask(0o027)
        try:
            done = run("graph", "orders", "--root", str(asked), "--output", "orders.svg", cwd=folder)
        finally:
            os.umask(0o022)
        [path] = folder.iterdir()
        made.append((timeless(done), path.name, path.read_bytes(), path.stat().st_mode))
    assert made[0] == made[1]


def shown_at_a_terminal(desk: Desk, line: str, folder: Path, **environment: str) -> bytes:
    """Return what a command shows on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "coderag", *line.split()],
        cwd=folder,
        env={**desk.environment, **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown, until = b"", time.monotonic() + HANG_SECONDS
    while select.select([ours], [], [], max(until - time.monotonic(), 0))[0]:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # nobody has the other side
            break
        shown += part
    os.close(ours)
    process.wait(HANG_SECONDS)
    return shown


def test_a_terminal_shows_the_same(desk: Desk, asked: Path) -> None:
    desk.start()
    desk.wait_for_answers(asked)
    for line in ("search payments -k 3", "outline shop/payments/retry.py", "table orders"):
        for more in ({}, {"NO_COLOR": "1"}, {"COLUMNS": "50"}):
            alone = shown_at_a_terminal(desk, line, asked, CODERAG_HELPER="0", **more)
            before = desk.answered()
            assert shown_at_a_terminal(desk, line, asked, **more) == alone
            desk.wait_until_answered(before + 1)
    assert b"\x1b[" in shown_at_a_terminal(desk, "search payments", asked)


def test_a_reader_that_stops_reading_ends_the_command_alike(desk: Desk, asked: Path) -> None:
    desk.start()
    desk.wait_for_answers(asked)
    search = f"{sys.executable} -m coderag search payments --context whole -k 50"
    script = f"{search} | head -c 10; echo ${{PIPESTATUS[0]}}"
    outcomes = [
        subprocess.run(
            ["bash", "-c", script],
            cwd=asked,
            env={**desk.environment, "CODERAG_HELPER": switch},
            capture_output=True,
            timeout=HANG_SECONDS,
        ).stdout
        for switch in ("0", "1")
    ]
    assert outcomes[0] == outcomes[1]


def test_stdin_git_and_closed_streams_are_left_to_the_command(desk: Desk, asked: Path) -> None:
    desk.start()
    desk.wait_for_answers(asked)
    before = desk.answered()
    lines = {
        "check-sql -": b"SELECT totl FROM orders",
        "search --batch": b'{"query": "payments"}\n',
        "search payments --changed": b"",
        "impact --diff=-": b"",
    }
    for line, stdin in lines.items():
        alone = desk.alone(*line.split(), cwd=asked, stdin=stdin)
        assert timeless(desk.run(*line.split(), cwd=asked, stdin=stdin)) == timeless(alone)
    script = f"exec {sys.executable} -m coderag search payments >&-"
    done = subprocess.run(
        ["sh", "-c", script], cwd=asked, env=desk.environment, capture_output=True, timeout=HANG_SECONDS
    )
    assert (done.returncode, done.stderr) == (2, b"coderag: standard output: it is closed\n")
    assert desk.answered() == before
