"""The files of a project come with the repository: nothing leads out of it, and nothing of it is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.machine import Machine, tree_of

pytestmark = pytest.mark.slow


@pytest.fixture
def project(machine: Machine) -> Path:
    """A repository on the machine."""
    root = machine.home / "work"
    (root / ".git").mkdir(parents=True)
    return root


def test_project_files_are_for_everybody(machine: Machine, project: Path) -> None:
    before = machine.tree()
    done = machine.run("install", "--project", "--agent", "claude-code,cursor", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    files = {path: held for path, (_, held) in tree_of(project).items() if held}
    assert {".mcp.json", "CLAUDE.md", ".claude/skills/coderag/SKILL.md", ".cursor/mcp.json"} <= files.keys()
    assert b'"command": "coderag"' in files[".mcp.json"]
    assert not [path for path, held in files.items() if str(machine.coderag).encode() in held]
    assert machine.run("uninstall", "--project", "--yes", cwd=project).returncode == 0
    assert machine.tree() == before


def test_a_subfolder_is_in_the_project(machine: Machine, project: Path) -> None:
    (project / "src/deep").mkdir(parents=True)
    assert machine.run("install", "--project", "--agent", "cursor", cwd=project / "src/deep").returncode == 0
    assert (project / ".cursor/mcp.json").exists()


def test_user_and_project_are_undone_apart(machine: Machine, project: Path) -> None:
    machine.run("install", "--agent", "cursor", cwd=project)
    machine.run("install", "--project", "--agent", "cursor", cwd=project)
    assert machine.run("uninstall", "--yes", cwd=project).returncode == 0
    assert not (machine.home / ".cursor").exists()
    assert (project / ".cursor/mcp.json").exists()


def test_a_colleague_can_undo_it(machine: Machine, project: Path) -> None:
    before = tree_of(project)
    machine.run("install", "--project", "--agent", "claude-code,kiro", cwd=project)
    for path in sorted((machine.home / ".local").rglob("*"), reverse=True):  # as on another machine
        path.rmdir() if path.is_dir() else path.unlink()
    done = machine.run("uninstall", "--project", "--yes", cwd=project)
    assert done.returncode == 0, done.stderr
    left = {path: held for path, (_, held) in tree_of(project).items() if held}
    assert not [path for path, held in left.items() if b"coderag" in held]
    assert before.keys() <= tree_of(project).keys()


@pytest.mark.parametrize(
    ("link", "target"),
    [
        (".mcp.json", "../victim.json"),
        ("CLAUDE.md", "../victim.json"),
        (".claude", "../folder"),
        (".claude/skills", "../../folder"),
        (".claude/skills/coderag", "../../../folder"),
        (".claude/skills/coderag/SKILL.md", "../../../../new.md"),
    ],
)
def test_no_link_leads_out(machine: Machine, project: Path, link: str, target: str) -> None:
    (machine.home / "victim.json").write_text("{}\n")
    (machine.home / "folder").mkdir()
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(target)
    outside = {path: one for path, one in machine.tree().items() if not path.startswith("work")}
    done = machine.run("install", "--project", "--agent", "claude-code", cwd=project)
    assert done.returncode == 2
    assert "it is a link that leads out of the project" in done.stdout
    assert {path: one for path, one in machine.tree().items() if not path.startswith("work")} == outside
    machine.run("uninstall", "--project", "--yes", cwd=project)
    assert {path: one for path, one in machine.tree().items() if not path.startswith("work")} == outside


def test_a_link_within_the_project_is_written_through_once(machine: Machine, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Rules\n")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    before = machine.tree()
    done = machine.run("install", "--project", "--agent", "claude-code,codex", cwd=project)
    assert done.returncode == 0, done.stderr
    assert (project / "CLAUDE.md").is_symlink()
    assert (project / "AGENTS.md").read_text().count("coderag:start") == 1
    machine.run("uninstall", "--project", "--yes", cwd=project)
    assert machine.tree() == before


def test_a_folder_that_becomes_a_link_is_not_followed(machine: Machine, project: Path) -> None:
    from coderag.agents.settings_file import SettingsFile

    (project / "a").mkdir()
    file = SettingsFile.at(project / "a/b.json", project)
    (project / "a").rmdir()
    (machine.home / "outside").mkdir()
    (project / "a").symlink_to(machine.home / "outside")
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        file.write(b"{}")
    assert list((machine.home / "outside").iterdir()) == []


def test_what_is_no_file_is_left_alone(machine: Machine, project: Path) -> None:
    os.mkfifo(project / ".mcp.json")
    (project / "CLAUDE.md").mkdir()
    done = machine.run("install", "--project", "--agent", "claude-code", cwd=project)
    assert done.returncode == 2
    assert "not a regular file" in done.stdout
    assert (project / "CLAUDE.md").is_dir()


def test_large_and_deep_settings_are_left_alone(machine: Machine, project: Path) -> None:
    (project / ".mcp.json").write_bytes(b'{"a": "' + b"x" * 1_000_000 + b'"}')
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_bytes(b'{"hooks": ' * 100_000)
    done = machine.run("install", "--project", "--agent", "claude-code", "--with", "hook", cwd=project)
    assert done.returncode == 2
    assert "it is larger than 1,000,000 bytes" in done.stdout
    assert "it is nested too deeply" in done.stdout


def test_nothing_of_the_repository_is_run(machine: Machine, project: Path) -> None:
    for name in ("coderag", "codebuddy", "claude", "git"):
        (project / name).write_text(f"#!/bin/sh\ntouch {project}/ran\n")
        (project / name).chmod(0o755)
    path = f".:{project}:{machine.environment['PATH']}"
    machine.run("install", "--project", "--agent", "codebuddy", cwd=project, PATH=path)
    machine.run("install", "--agent", "codebuddy,claude-code", cwd=project, PATH=f".:{machine.environment['PATH']}")
    assert not (project / "ran").exists()
    assert "codebuddy" not in (machine.home / ".claude.json").read_text()


def test_what_a_terminal_would_obey_is_shown(machine: Machine, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Rules \x1b]0;title\x07\n")
    done = machine.run("install", "--project", "--agent", "claude-code", "--dry-run", cwd=project)
    assert "\x1b" not in done.stdout
    assert "\\x1b]0;title\\x07" in done.stdout
