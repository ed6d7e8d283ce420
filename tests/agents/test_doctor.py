"""`coderag doctor`: what it checks, what it finds wrong, and the server asked for real."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from coderag.agents import probe as probing
from coderag.agents.probe import probe
from tests.agents.machine import Machine

pytestmark = pytest.mark.slow

SERVER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {results}
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], **result}}), flush=True)
"""
ANSWERS = (
    '{"result": {"tools": [{"name": "search"}]}} if message["method"] == "tools/list" else '
    '{"result": {"content": [{"type": "text", "text": "a.py:1  function f"}]}}'
)


def server(folder: Path, script: str) -> tuple[str, str]:
    path = folder / "server.py"
    path.write_text(script)
    return sys.executable, str(path)


@pytest.fixture
def project(machine: Machine) -> Path:
    """A repository on the machine."""
    root = machine.home / "work"
    (root / ".git").mkdir(parents=True)
    (root / "cart.py").write_text('def total(cart):\n    """Add up the prices."""\n    return sum(cart)\n')
    return root


def checks(machine: Machine, project: Path, **environment: str) -> tuple[dict[str, tuple[str, str, str]], int]:
    """Return what doctor says by what was checked, and its exit code."""
    done = machine.run("doctor", "--json", cwd=project, **environment)
    assert done.stderr == ""
    return {one["name"]: (one["level"], one["text"], one["advice"]) for one in json.loads(done.stdout)}, done.returncode


@pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")
def test_all_is_well(machine: Machine, project: Path) -> None:
    machine.run("index", cwd=project)
    machine.run("install", "--agent", "claude-code,codex,goose,continue,opencode", cwd=project)
    found, code = checks(machine, project)
    assert code == 0, found
    assert {level for level, _, _ in found.values()} == {"ok"}
    assert str(machine.coderag) in found["program"][1]
    for title in ("Claude Code", "Codex", "Goose", "Continue", "OpenCode"):
        assert found[title][1].endswith(f"starts {machine.coderag}")
    assert "1 file," in found["index"][1]
    assert "search" in found["server"][1]
    assert "started in" in found["server"][1]


def test_what_is_wrong_is_said(machine: Machine, project: Path) -> None:
    machine.run("install", "--agent", "cursor,codex,zed,claude-code", cwd=project)
    (machine.home / ".codex/config.toml").write_text("broken = \n")
    cursor = machine.home / ".cursor/mcp.json"
    cursor.write_text(cursor.read_text().replace(str(machine.coderag), "/gone/bin/coderag"))
    zed = machine.home / ".config/zed/settings.json"
    zed.write_text("{}\n")
    other = machine.programs.parent / "coderag"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    claude = machine.home / ".claude.json"
    claude.write_text(claude.read_text().replace(str(machine.coderag), str(other)))
    found, code = checks(machine, project)
    assert code == 1
    assert found["Cursor"] == (
        "problem",
        "~/.cursor/mcp.json starts /gone/bin/coderag, which cannot be run",
        'run "coderag install --agent cursor"',
    )
    assert found["Codex"][0] == "problem"
    assert "it is no TOML" in found["Codex"][1]
    assert found["Zed"][:2] == ("warning", "coderag is not in ~/.config/zed/settings.json")
    assert found["Claude Code"][:2] == ("warning", f"~/.claude.json starts another coderag, {other}")
    assert found["index"][0] == "warning"


def test_settings_of_the_project_count(machine: Machine, project: Path) -> None:
    (machine.home / ".cursor").mkdir()
    machine.run("install", "--project", "--agent", "cursor,claude-code", cwd=project)
    found, _ = checks(machine, project)
    assert found["Cursor"][:2] == ("ok", ".cursor/mcp.json starts coderag")
    assert found["Claude Code"][:2] == ("ok", ".mcp.json starts coderag")
    (project / ".cursor/mcp.json").unlink()
    (project / ".cursor/mcp.json").symlink_to("/etc/passwd")
    found, _ = checks(machine, project)
    assert found["Cursor"][:2] == ("warning", "coderag is not in ~/.cursor/mcp.json")


def test_no_agents_is_a_warning(machine: Machine, project: Path) -> None:
    found, _ = checks(machine, project)
    assert found["agents"][0] == "warning"


def test_a_program_that_shells_do_not_find(machine: Machine, project: Path) -> None:
    done = machine.run("doctor", cwd=project, PATH="/usr/bin:/bin")
    assert "warning  program: " in done.stdout
    assert "a shell does not find coderag" in done.stdout
    assert f"add {machine.programs} to PATH" in done.stdout


def test_an_index_that_is_not_of_this_user(machine: Machine, project: Path) -> None:
    machine.run("index", cwd=project)
    found, code = checks(machine, project, XDG_DATA_HOME=str(machine.home / "another"))
    assert code == 0
    assert found["index"][0] == "warning"
    assert "was not made by you on this machine" in found["index"][1]


def test_a_server_is_asked_as_agents_ask_it(tmp_path: Path) -> None:
    answered = probe(server(tmp_path, SERVER.format(results=ANSWERS)), tmp_path)
    assert answered.failure == ""
    assert answered.tools == ("search",)
    assert answered.answer == "a.py:1  function f"
    assert 0 < answered.start_seconds < 600
    assert 0 < answered.search_seconds < 600


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        ("import sys; sys.exit('no mcp here')", "it ended before it answered initialize: no mcp here"),
        ("input(); print('hello')", "it wrote what is no JSON: b'hello\\n'"),
        (SERVER.format(results='{"result": {"tools": []}}'), "it offers no tool called search"),
        (SERVER.format(results='{"error": {"code": -1, "message": "broken"}}'), "initialize failed: {'code': -1"),
        (
            SERVER.format(results='{"result": {"tools": [{"name": "search"}], "isError": True, "content": []}}'),
            "its search failed: ",
        ),
        ("import os; os.close(0); os.close(1); import time; time.sleep(60)", "it ended"),
    ],
)
def test_a_server_that_fails(tmp_path: Path, script: str, failure: str) -> None:
    assert probe(server(tmp_path, script), tmp_path).failure.startswith(failure)


def test_a_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "SECONDS", 1)
    monkeypatch.setattr(probing, "GRACE", 0.1)
    answered = probe(server(tmp_path, "import time; time.sleep(60)"), tmp_path)
    assert answered.failure == "it did not answer initialize within 1 s"


def test_no_server_at_all(tmp_path: Path) -> None:
    assert probe([str(tmp_path / "missing")], tmp_path).failure.endswith("cannot be started: No such file or directory")
