"""Standard streams that are closed, full or left: one line on stderr where there is one, code 2, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ENVIRONMENT, REPOSITORY
from tests.commands import Commands

pytestmark = pytest.mark.slow

EVAL = ("eval", str(REPOSITORY / "fixtures/questions.jsonl"), "--sample", "1")
COMMANDS: tuple[Any, ...] = (
    ("--help",),
    ("--version",),
    ("search", "payments", "--no-refresh"),
    ("search", "payments", "--no-refresh", "--json"),
    ("index",),
    ("outline", "shop/money.py"),
    ("symbols", "backoff_delay"),
    ("refs", "orders"),
    ("impact", "orders"),
    ("path", "PaymentRetrier.retry_failed", "payments"),
    ("graph", "orders"),
    ("map",),
    ("schema", "revenue"),
    ("tables",),
    ("table", "orders"),
    ("erd",),
    ("check-sql", "schema/queries/money.sql", "--json"),
    pytest.param(EVAL, marks=pytest.mark.dev("ir_measures")),
    ("status",),
    ("clean", "--dry-run"),
    ("languages",),
    ("completion", "zsh"),
)

TO_A_FULL_DISK = """
import os
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
from coderag.__main__ import program
program()
"""


def run(shop: Path, arguments: Sequence[str], redirections: str, stdin: str = "") -> tuple[int, str, str]:
    """Run a command with redirections as a shell makes them; return the code, stdout and stderr."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-m", "coderag", *arguments],
        cwd=shop,
        env=ENVIRONMENT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command))
def test_stdout_that_cannot_be_written(shop: Path, command: tuple[str, ...], commands: Commands) -> None:
    # A stream that is closed is one that an interpreter starts without; a full one may be put in the place of another.
    code, _, errors = run(shop, command, ">&-")
    assert (code, errors.splitlines()[-1]) == (2, "coderag: standard output: it is closed")
    assert "Traceback" not in errors
    full = commands.run(command, cwd=shop, environment=ENVIRONMENT, program=TO_A_FULL_DISK)
    assert (full.code, full.err.splitlines()[-1]) == (2, "coderag: standard output: No space left on device")
    assert "Traceback" not in full.err


@pytest.mark.parametrize("command", [("search", "payments", "--no-refresh"), ("index",), ("--help",), ("map",)])
def test_stderr_that_cannot_be_written_changes_nothing(shop: Path, command: tuple[str, ...]) -> None:
    expected = run(shop, command, "")
    assert expected[0] == 0
    for redirections in ("2>&-", "2>/dev/full"):
        code, output, _ = run(shop, command, redirections)
        assert code == 0
        assert output.splitlines()[-1] == expected[1].splitlines()[-1]
    assert run(shop, ["search", " "], "2>&-")[0] == run(shop, ["frobnicate"], "2>/dev/full")[0] == 2


def test_stdin_that_is_closed(shop: Path) -> None:
    for command in (["search", "--batch", "--no-refresh"], ["schema", "--batch", "--no-refresh"], ["check-sql", "-"]):
        assert run(shop, command, "<&-") == (2, "", "coderag: standard input: it is closed\n")
    assert run(shop, ["search", "payments", "--no-refresh", "-k", "1"], "<&-")[0] == 0


def test_all_three_closed(shop: Path) -> None:
    for command in (["search", "payments", "--no-refresh"], ["search", "--batch"], ["languages"], ["frobnicate"]):
        assert run(shop, command, "<&- >&- 2>&-") == (2, "", "")
    assert run(shop, ["index", "--quiet"], "<&- >&- 2>&-")[0] == 0


def test_what_is_printed_never_gets_into_a_file_of_the_index(shop: Path, tmp_path: Path) -> None:
    """With a descriptor closed, the first file that is opened would get its number."""
    place = str(tmp_path / "index")
    code, _, _ = run(shop, ["index", "--index", place], "<&- >&- 2>&-")
    assert code == 2  # for the summary
    code, _, errors = run(shop, ["status", "--check", "--index", place], "")
    assert (code, errors) == (0, "")


def test_a_batch_ends_with_its_reader(shop: Path) -> None:
    command = [sys.executable, "-m", "coderag", "search", "--batch", "--no-refresh"]
    with subprocess.Popen(
        command, cwd=shop, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"query": "payments", "question": "payments"}\n')
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"error": "unknown field')
        process.stdout.close()
        try:
            for _ in range(20):
                process.stdin.write(b'{"query": "payments"}\n')
                process.stdin.flush()
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_a_full_disk_ends_a_batch(shop: Path) -> None:
    for command in (["search", "--batch", "--no-refresh"], ["schema", "--batch", "--no-refresh"]):
        field = "query" if command[0] == "search" else "question"
        code, _, errors = run(shop, command, ">/dev/full", stdin=f'{{"{field}": "payments"}}\n' * 3)
        assert (code, errors) == (2, "coderag: standard output: No space left on device\n")


def test_notes_of_sqlglot_reach_no_terminal(shop: Path, tmp_path: Path) -> None:
    """It writes what it does not take apart to stderr as it is."""
    (tmp_path / "odd.sql").write_text(
        "GRANT \x1b[31m SELECT ON orders TO x;\nCREATE TRIGGER \x1b[31m AFTER UPDATE ON orders\n"
    )
    _, output, errors = run(shop, ["check-sql", str(tmp_path / "odd.sql")], "")
    assert "\x1b" not in output + errors
    assert "Falling back" not in errors
