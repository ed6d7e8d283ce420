"""`coderag install` and `coderag uninstall` as people run them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from coderag.agents.agent import Part, agents
from coderag.cli.parser.agents import PARTS
from tests.agents.machine import Machine
from tests.terminal import run_at_a_terminal

pytestmark = pytest.mark.slow

CODEBUDDY = """#!/bin/sh
echo "$PWD: $@" >> "$HOME/said"
[ -e "$HOME/broken" ] && { echo "no such scope" >&2; exit 3; }
exit 0
"""


def at_a_terminal(machine: Machine, *arguments: str, answer: str) -> tuple[str, int]:
    """Run `coderag` on a terminal, give an answer, and return what was shown and the exit code."""
    command = [str(machine.coderag), *arguments]
    return run_at_a_terminal(command, cwd=machine.home, environment=machine.environment, typed=f"{answer}\n")


def test_the_words_of_options_are_the_parts() -> None:
    assert tuple(Part) == PARTS


def test_agents_are_found(machine: Machine) -> None:
    assert machine.run("install", "--yes").returncode == 1
    (machine.home / ".codex").mkdir()
    machine.program("gemini", "#!/bin/sh\n")
    done = machine.run("install", "--yes", "--json")
    assert done.returncode == 0
    records = json.loads(done.stdout)
    assert {record["agent"] for record in records} == {"codex", "gemini-cli"}
    assert {record["part"] for record in records} == {"mcp", "instructions", "skill"}
    assert {record["action"] for record in records} == {"created"}
    assert (machine.home / ".gemini/settings.json").exists()


def test_a_dry_run_writes_nothing(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text('{\n  "a": 1\n}\n')
    before = machine.tree()
    done = machine.run("install", "--agent", "claude-code", "--dry-run")
    assert done.returncode == 0
    assert '-  "a": 1\n+  "a": 1,\n+  "mcpServers": {\n' in done.stdout
    assert f'+      "command": "{machine.coderag}",' in done.stdout
    assert done.stderr == "coderag: nothing was written: --dry-run\n"
    assert machine.tree() == before
    assert not (machine.home / ".local").exists()


def test_a_second_install_changes_nothing_and_says_so(machine: Machine) -> None:
    machine.run("install", "--agent", "cursor")
    before = machine.tree()
    done = machine.run("install", "--agent", "cursor")
    assert (done.returncode, done.stderr) == (0, "coderag: nothing to change\n")
    assert "created" not in done.stdout
    assert machine.tree() == before
    assert machine.run("uninstall", "--yes").returncode == 0
    again = machine.run("uninstall", "--yes")
    assert (again.returncode, again.stdout.strip(), again.stderr) == (0, "", "coderag: nothing to change\n")


def test_parts_are_chosen(machine: Machine) -> None:
    machine.run("install", "--agent", "claude-code", "--without", "instructions,skill", "--with", "hook")
    files = {path for path, (_, held) in machine.tree().items() if held}
    assert files == {".claude.json", ".claude/settings.json"}
    machine.run("install", "--agent", "claude-code", "--with", "subagent", "--without", "mcp")
    assert "code-explorer" in (machine.home / ".claude/agents/code-explorer.md").read_text()
    assert machine.run("uninstall", "--agent", "claude-code").returncode == 0
    assert machine.tree() == {}


@pytest.mark.parametrize("stdin", ["", "y\n"])
def test_without_a_terminal_nobody_is_asked(machine: Machine, stdin: str) -> None:
    (machine.home / ".cursor").mkdir()
    done = machine.run("install", stdin=stdin)
    assert done.returncode == 2
    assert "add --yes, name agents with --agent, or see --dry-run" in done.stderr
    assert [path for path, (_, held) in machine.tree().items() if held] == []


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
@pytest.mark.parametrize(("answer", "code"), [("", 0), ("y", 0), ("YES", 0), ("n", 2), ("what?", 2)])
def test_on_a_terminal_there_is_one_question(machine: Machine, answer: str, code: int) -> None:
    (machine.home / ".cursor").mkdir()
    shown, returned = at_a_terminal(machine, "install", answer=answer)
    assert returned == code
    assert shown.count("Change 2 files? [Y/n]") == 1
    assert "\x1b[32m+" in shown
    assert (machine.home / ".cursor/mcp.json").exists() == (code == 0)


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
def test_the_end_of_input_is_no(machine: Machine) -> None:
    (machine.home / ".cursor").mkdir()
    shown, returned = at_a_terminal(machine, "install", answer="\x04")
    assert returned == 2
    assert "Traceback" not in shown
    assert not (machine.home / ".cursor/mcp.json").exists()


def test_what_shells_do_not_find_is_said(machine: Machine) -> None:
    done = machine.run("install", "--agent", "cursor", PATH="/usr/bin:/bin")
    assert f"add {machine.programs} to PATH" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("install", "--agent", "claud"),
            "there is no agent 'claud'; did you mean claude-code?; there are claude-code",
        ),
        (("install", "--with", "magic"), "'magic' is no list of mcp, instructions, skill, subagent, hook"),
        (("install", "--agent", "claude-desktop", "--root", "missing"), "missing is no folder"),
        (("uninstall", "--agent", "x" * 50), "there is no agent"),
    ],
)
def test_wrong_usage_is_said(machine: Machine, arguments: tuple[str, ...], said: str) -> None:
    done = machine.run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_file_that_is_left_alone_does_not_keep_the_rest_from_it(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text('{"mcpServers": [}\n')
    done = machine.run("install", "--agent", "claude-code")
    assert done.returncode == 2
    assert "left alone  ~/.claude.json\n      it is no JSON at line 1\n" in done.stdout
    assert (machine.home / ".claude.json").read_text() == '{"mcpServers": [}\n'
    assert (machine.home / ".claude/skills/coderag/SKILL.md").exists()


def test_a_file_that_cannot_be_written_whole_stays(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text('{"a": 1}\n')
    (machine.home / ".local/share").mkdir(parents=True)
    before = machine.tree()
    done = subprocess.run(
        ["/bin/sh", "-c", f"ulimit -f 0; exec {machine.coderag} install --agent claude-code --json"],
        cwd=machine.home,
        env=machine.environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert {one["action"] for one in json.loads(done.stdout)} == {"left alone"}
    assert "it cannot be written: File too large" in done.stdout
    assert {path: held for path, held in machine.tree().items() if held[1]} == {
        path: held for path, held in before.items() if held[1]
    }


def test_two_at_once_lose_nothing(machine: Machine) -> None:
    names = ("cursor", "codex", "zed", "goose", "kiro", "amp")
    running = [
        subprocess.Popen(
            [machine.coderag, "install", "--agent", name], env=machine.environment, stdout=subprocess.DEVNULL
        )
        for name in names
    ]
    assert [one.wait() for one in running] == [0] * len(names)
    assert machine.run("uninstall", "--yes").returncode == 0
    assert machine.tree() == {}


def test_a_folder_that_may_not_be_written(machine: Machine) -> None:
    if os.geteuid() == 0:
        (machine.home / ".cursor").write_text("a file where a folder should be\n")
    else:
        (machine.home / ".cursor").mkdir(mode=0o500)
    done = machine.run("install", "--agent", "cursor,codex")
    assert done.returncode == 2
    assert "it cannot be" in done.stdout
    assert (machine.home / ".codex/config.toml").exists()


def test_an_agent_that_starts_servers_in_no_project(machine: Machine) -> None:
    done = machine.run("install", "--agent", "claude-desktop")
    assert done.returncode == 0
    assert 'name folders: "coderag install --agent claude-desktop --root DIR"' in done.stdout
    assert machine.tree() == {}
    (machine.home / "app").mkdir()
    assert machine.run("install", "--agent", "claude-desktop", "--root", "app").returncode == 0
    entry = json.loads((machine.home / ".config/Claude/claude_desktop_config.json").read_text())
    assert entry["mcpServers"]["coderag"] == {
        "command": str(machine.coderag),
        "args": ["mcp", "--root", str(machine.home / "app")],
    }


def test_an_agent_without_files_for_a_project_says_so(machine: Machine) -> None:
    (machine.home / "work/.git").mkdir(parents=True)
    done = machine.run("install", "--project", "--agent", "claude-desktop", cwd=machine.home / "work")
    assert done.returncode == 0
    assert "it has no file for this in a project" in done.stdout


def test_the_program_of_an_agent_is_run(machine: Machine) -> None:
    machine.program("codebuddy", CODEBUDDY)
    said = machine.home / "said"
    dry = machine.run("install", "--agent", "codebuddy", "--without", "instructions,skill", "--dry-run")
    assert f"codebuddy mcp add --scope user coderag -- {machine.coderag} mcp" in dry.stdout
    assert not said.exists()
    assert machine.run("install", "--agent", "codebuddy").returncode == 0
    assert said.read_text() == f"{machine.home}: mcp add --scope user coderag -- {machine.coderag} mcp\n"
    again = machine.run("install", "--agent", "codebuddy")
    assert again.stderr == "coderag: nothing to change\n"
    assert machine.run("uninstall", "--yes").returncode == 0
    assert said.read_text().splitlines()[1:] == [f"{machine.home}: mcp remove --scope user coderag"]
    assert not (machine.home / ".local/share/coderag/agents").exists()


def test_a_program_that_fails(machine: Machine) -> None:
    machine.program("codebuddy", CODEBUDDY)
    (machine.home / "broken").touch()
    done = machine.run("install", "--agent", "codebuddy")
    assert done.returncode == 2
    assert "ended with 3: no such scope" in done.stdout
    assert (machine.home / ".codebuddy/CODEBUDDY.md").exists()


def test_backups_are_for_the_user_alone(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text('{"key": "secret"}\n')
    machine.run("install", "--agent", "claude-code")
    kept = machine.home / ".local/share/coderag/agents"
    [backup] = [path for path in kept.rglob("*") if path.is_file() and b"secret" in path.read_bytes()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (kept, *kept.rglob("*")) if path.is_dir()} == {0o700}
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [path.name for path in machine.home.glob(".claude*") if "secret" in path.name] == []


def test_a_damaged_ledger_is_said(machine: Machine) -> None:
    machine.run("install", "--agent", "cursor")
    ledger = machine.home / ".local/share/coderag/agents/ledger.json"
    ledger.write_text("{")
    done = machine.run("uninstall", "--yes")
    assert done.returncode == 2
    assert str(ledger) in done.stderr
    ledger.write_text('{"format": 99}')
    assert "has format 99, this version reads 1" in machine.run("install", "--yes").stderr


def test_the_command_of_a_module_run(machine: Machine) -> None:
    subprocess.run(
        [sys.executable, "-m", "coderag", "install", "--agent", "cursor"],
        cwd=machine.home,
        env=machine.environment,
        check=True,
        capture_output=True,
    )
    entry = json.loads((machine.home / ".cursor/mcp.json").read_text())["mcpServers"]["coderag"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] in (["mcp"], ["-m", "coderag", "mcp"])


def test_all_agents_on_one_command_line(machine: Machine) -> None:
    done = machine.run("install", "--agent", ",".join(agents()), "--with", "subagent,hook", "--root", ".", "--json")
    assert done.returncode == 0, done.stderr
    written = {one["agent"] for one in json.loads(done.stdout) if one["part"] == "mcp" and one["action"] == "created"}
    assert len(written) >= 27
    assert machine.run("uninstall", "--yes").returncode == 0
    assert machine.tree() == {}
