"""`coderag hook`: what agents say of a tool call, and the reminder after three searches by grep."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from coderag.agents.reminder import reminder
from tests.agents.machine import Machine
from tests.growth import HANG_SECONDS


def said(folder: Path, tool: str, command: Any = None, *, session: str = "s", **more: Any) -> str:
    """Return what is printed after a call of a tool."""
    told = {"session_id": session, "hook_event_name": "PostToolUse", "tool_name": tool, **more}
    if command is not None:
        told["tool_input"] = {"command": command}
    return reminder(json.dumps(told).encode(), {"XDG_CACHE_HOME": str(folder)})


def test_after_three_searches_there_is_a_reminder(tmp_path: Path) -> None:
    assert [bool(said(tmp_path, "Grep")) for _ in range(7)] == [False, False, True] * 2 + [False]


def test_what_it_says(tmp_path: Path) -> None:
    [text] = filter(None, [said(tmp_path, "Grep") for _ in range(3)])
    told = json.loads(text)["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUse"
    assert "coderag search" in told["additionalContext"]
    assert "decision" not in text


def test_a_call_of_coderag_begins_anew(tmp_path: Path) -> None:
    for tool, command in (
        ("mcp__coderag__search", None),
        ("Bash", "coderag search 'x' | head"),
        ("mcp_coderag_refs", None),
    ):
        assert not any(said(tmp_path, "Grep") for _ in range(2))
        assert not said(tmp_path, tool, command)
    assert not any(said(tmp_path, "Grep") for _ in range(2))


def test_other_tools_in_between_count_for_nothing(tmp_path: Path) -> None:
    tools = ("Grep", "Read", "Edit", "Grep", "Read", "Grep")
    assert [bool(said(tmp_path, tool)) for tool in tools] == [False] * 5 + [True]


def test_sessions_are_counted_apart(tmp_path: Path) -> None:
    assert not any(said(tmp_path, "Grep", session=str(number)) for number in range(9))
    assert not any(said(tmp_path, "Grep", session="../../../x" * number) for number in range(1, 5))
    assert {path.parent.name for path in tmp_path.rglob("*") if path.is_file()} == {"reminders"}


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("rg -n foo src", True),
        ("grep -r foo .", True),
        ("cd src && grep -rn foo", True),
        ("LC_ALL=C grep -r foo", True),
        ("git grep foo", True),
        ("/usr/bin/find . -name '*.py'", True),
        (["bash", "-lc", "rg foo"], True),
        (["rg", "foo"], True),
        ("make 2>&1 | grep error", False),
        ("git log --grep=foo", False),
        ("ls -la; cat a", False),
        ("echo 'grep", False),
        ("", False),
        (7, False),
    ],
)
def test_which_commands_are_searches(tmp_path: Path, command: Any, *, counts: bool) -> None:
    assert any(said(tmp_path, "Bash", command) for _ in range(3)) == counts


def test_the_words_of_other_agents(tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    gemini = {"session_id": "a", "hook_event_name": "AfterTool", "tool_name": "search_file_content"}
    copilot = {"sessionId": "b", "toolName": "bash", "toolArgs": json.dumps({"command": "rg foo"})}
    for told, event in ((gemini, "AfterTool"), (copilot, "PostToolUse")):
        answers = [reminder(json.dumps(told).encode(), environment) for _ in range(3)]
        assert answers[:2] == ["", ""]
        assert json.loads(answers[2])["hookSpecificOutput"]["hookEventName"] == event
        assert ("additionalContext" in json.loads(answers[2])) == (told is copilot)


def test_counters_of_old_sessions_go(tmp_path: Path) -> None:
    said(tmp_path, "Grep", session="old")
    [old] = [path for path in tmp_path.rglob("*") if path.is_file()]
    long_ago = time.time() - 10 * 86_400
    os.utime(old, (long_ago, long_ago))
    said(tmp_path, "Grep", session="new")
    assert not old.exists()


@pytest.mark.parametrize(
    "stdin", ["", "{", "[]", "null", '"x"', '{"tool_name": 7}', '{"tool_input": {"command": {}}}', "\0"]
)
def test_no_agent_is_failed(machine: Machine, stdin: str) -> None:
    done = machine.run("hook", stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_place_for_counters_is_no_failure(machine: Machine) -> None:
    (machine.home / "cache").write_text("a file\n")
    told = json.dumps({"session_id": "s", "tool_name": "Grep"})
    done = machine.run("hook", stdin=told, XDG_CACHE_HOME=str(machine.home / "cache"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_description_that_does_not_end_is_given_up(machine: Machine) -> None:
    with subprocess.Popen(
        [machine.coderag, "hook"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine.environment
    ) as hook:
        assert hook.stdin is not None
        hook.stdin.write(b'{"session_id": "s", ')
        hook.stdin.flush()
        assert hook.wait(HANG_SECONDS) == 0


def test_the_command_counts_as_the_function_does(machine: Machine) -> None:
    told = json.dumps({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Grep"})
    printed = [machine.run("hook", stdin=told).stdout for _ in range(3)]
    assert printed[:2] == ["", ""]
    assert json.loads(printed[2])["hookSpecificOutput"]["additionalContext"]
    assert (machine.home / ".cache/coderag/reminders").is_dir()


def test_a_hook_imports_next_to_nothing() -> None:
    import sys

    script = "import sys, coderag.cli.main as m; m.run(['hook']); print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], input="{}", capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "tomlkit", "yaml", "tree_sitter", "msgspec", "rich"} & {*loaded}
