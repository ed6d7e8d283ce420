"""Every agent of the table, with settings as people have them: installed, read back, installed again, undone."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from coderag.agents.agent import Agent, Part, Scope, agents
from coderag.agents.edit import Kind
from coderag.agents.file_locations import FileLocations
from coderag.agents.ledger import Ledger
from coderag.agents.plan import Action, FileChange, plan_install, plan_uninstall
from coderag.agents.wanted import Step, wanted
from tests.agents.machine import Tree, tree_of
from tests.agents.settings import LAYOUTS, instructions, settings

COMMAND = ("/opt/my tools/bin/coderag",)
SERVERS = ["mcp", "--root", "/srv/app"]
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
TRAILING = re.compile(r",(\s*[}\]])")
CASES = [(name, layout) for name in agents() for layout in LAYOUTS]
CHANGED = frozenset({Action.CREATED, Action.UPDATED})


class Here:
    """A home, or a project in it, and the ledger."""

    def __init__(self, folder: Path, scope: Scope) -> None:
        self.home = folder / "home"
        self.root = folder / "project"
        self.home.mkdir()
        self.root.mkdir()
        self.state = folder / "state"
        self.files = self.home if scope is Scope.USER else self.root
        environment = {"PATH": "/nowhere"}
        self.locations = FileLocations(
            self.home, environment, "linux", None if scope is Scope.USER else self.root.resolve()
        )

    def steps(self, agent: Agent, parts: tuple[Part, ...] = tuple(Part)) -> list[Step]:
        return list(wanted([agent], self.locations, parts=parts, command=COMMAND, roots=["/srv/app"]).steps)

    def install(self, *chosen: Agent) -> list[FileChange]:
        steps = [step for agent in chosen for step in self.steps(agent)]
        return self._carried_out(plan_install(steps, self.locations, Ledger.read(self.state)))

    def uninstall(self, *chosen: Agent) -> list[FileChange]:
        steps = [step for agent in chosen or agents().values() for step in self.steps(agent)]
        names = {agent.name for agent in chosen} or None
        return self._carried_out(plan_uninstall(steps, self.locations, Ledger.read(self.state), agents=names))

    def tree(self) -> Tree:
        return tree_of(self.files)

    def _carried_out(self, changes: list[FileChange]) -> list[FileChange]:
        ledger = Ledger.read(self.state)
        with ledger.locked():
            for change in changes:
                change.carry_out(ledger)
        return changes


def actions(changes: list[FileChange]) -> set[Action]:
    return {outcome.action for change in changes for outcome in change.outcomes}


def write_settings(here: Here, agent: Agent, layout: str) -> None:
    """Write each file of an agent as somebody may have it, with an odd mode."""
    texts: dict[Path, bytes] = {}
    for step in here.steps(agent):
        if step.edit.kind is Kind.BLOCK:
            data = instructions(layout)
        elif step.edit.kind is Kind.FILE:
            data = b"An older text of coderag.\n" if layout == "older entry" else None
        else:
            key = step.edit.key[:-1] if step.edit.kind is Kind.ENTRY else step.edit.key[:1]
            data = settings(step.edit.form, key, layout)
        if data is not None:
            texts.setdefault(step.path, data)
    for path, data in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o640)


def assert_within(before: Any, after: Any) -> None:
    """Check that all that settings said is said still, in the same order."""
    if isinstance(before, dict):
        assert [name for name in after if name in before] == list(before)
        for name, value in before.items():
            if name != "coderag":
                assert_within(value, after[name])
    elif isinstance(before, list):
        assert after[: len(before)] == before
    else:
        assert after == before


def value_of(data: bytes, path: Path) -> Any:
    """Return what settings say, read by other programs than the one under test."""
    text = data.decode("utf-8-sig")
    if not text.strip():
        return None
    if path.suffix == ".toml":
        return tomllib.loads(text)
    if path.suffix in {".yaml", ".yml"}:
        return yaml.safe_load(text)
    plain = COMMENT.sub(lambda found: found[1] or "", text)
    return json.loads(TRAILING.sub(r"\1", plain) if plain != text or "," in plain else plain)


def entry_in(value: Any, key: tuple[str, ...]) -> Any:
    for name in key:
        value = value[name]
    return value


def texts_in(value: Any) -> list[str]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [str(value)]
    return [text for one in inner for text in ([one] if isinstance(one, str) else texts_in(one))]


@pytest.mark.slow
@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize(("name", "layout"), CASES)
def test_install_and_uninstall_are_the_identity(name: str, layout: str, scope: Scope, tmp_path: Path) -> None:
    agent, here = agents()[name], Here(tmp_path, scope)
    steps = here.steps(agent)
    if not steps:
        assert {*agent.targets(scope)} <= {Part.MCP}
        return
    write_settings(here, agent, layout)
    before = here.tree()
    installed = here.install(agent)
    assert actions(installed) <= CHANGED, [change.outcomes for change in installed]
    for step in steps:
        check_written(step, before.get(step.path.relative_to(here.files).as_posix(), (0, b""))[1])
    after = here.tree()
    assert {path: mode for path, (mode, _) in after.items() if path in before} == {
        path: mode for path, (mode, _) in before.items()
    }
    assert actions(here.install(agent)) == {Action.UNCHANGED}
    assert here.tree() == after
    here.uninstall(agent)
    assert here.tree() == before
    assert not here.state.exists()


def check_written(step: Step, before: bytes) -> None:
    """Check that a file says what is wanted, and all that it said before."""
    data = step.path.read_bytes()
    if step.edit.kind is Kind.FILE:
        assert data.decode() == step.edit.value
        return
    if step.edit.kind is Kind.BLOCK:
        assert data.decode().count("<!-- coderag:start -->") == 1
        assert "coderag search" in data.decode()
        assert b"Old words" not in data
        return
    value = value_of(data, step.path)
    found = entry_in(value, step.edit.key)
    if step.edit.kind is Kind.ITEM:
        [own] = [one for one in found if "coderag" in str(one)]
        assert "'/opt/my tools/bin/coderag' hook" in texts_in(own)
    else:
        assert {COMMAND[0], "mcp"} <= {*texts_in(found)}
    assert_within(value_of(before, step.path) or {}, value)
    assert (b"\r\n" in data) == (b"\r\n" in before)
    assert data.count(b"\r\n") in (0, data.count(b"\n"))
    assert data.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")


EDITED = [layout for layout in LAYOUTS if layout not in {"missing", "empty", "bare", "older entry"}]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "layout"), [(name, layout) for name in agents() for layout in EDITED])
def test_what_the_user_edits_in_between_stays(name: str, layout: str, tmp_path: Path) -> None:
    agent, here = agents()[name], Here(tmp_path, Scope.USER)
    write_settings(here, agent, layout)
    before = here.tree()
    here.install(agent)
    edited = {}
    for path in {step.path for step in here.steps(agent) if step.edit.kind is not Kind.FILE}:
        data = path.read_bytes()
        for old, new in ((b"dark", b"light"), (b"Tabs, not spaces", b"Spaces"), (b"o3", b"o5"), (b"gpt", b"claude")):
            data = data.replace(old, new)
        path.write_bytes(data)
        was = before.get(path.relative_to(here.home).as_posix(), (0, b""))[1]
        for old, new in ((b"dark", b"light"), (b"Tabs, not spaces", b"Spaces"), (b"o3", b"o5"), (b"gpt", b"claude")):
            was = was.replace(old, new)
        edited[path] = was
    here.uninstall(agent)
    for path, was in edited.items():
        assert (path.read_bytes() if path.exists() else b"") == was
    assert not here.state.exists()


@pytest.mark.parametrize("name", agents())
def test_settings_that_do_not_parse_are_left_alone(name: str, tmp_path: Path) -> None:
    agent, here = agents()[name], Here(tmp_path, Scope.USER)
    paths = {step.path for step in here.steps(agent) if step.edit.kind in (Kind.ENTRY, Kind.ITEM)}
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'{"a": [1, 2}\n: : {')
    changes = here.install(agent)
    for path in paths:
        assert path.read_bytes() == b'{"a": [1, 2}\n: : {'
    left = [outcome for change in changes for outcome in change.outcomes if outcome.action is Action.LEFT]
    assert len(left) >= len(paths)
    assert all(outcome.reason for outcome in left)


@pytest.mark.parametrize("name", agents())
def test_an_entry_that_is_somebody_elses_is_left_alone(name: str, tmp_path: Path) -> None:
    agent, here = agents()[name], Here(tmp_path, Scope.USER)
    for step in here.steps(agent, (Part.MCP,)):
        if step.edit.kind is not Kind.ENTRY:
            continue
        data = settings(step.edit.form, step.edit.key[:-1], "older entry")
        assert data is not None
        foreign = data.replace(b"/opt/old/bin/coderag", b"/opt/another/program")
        step.path.parent.mkdir(parents=True, exist_ok=True)
        step.path.write_bytes(foreign)
        before = here.tree()
        [change] = plan_install([step], here.locations, Ledger.read(here.state))
        assert [outcome.action for outcome in change.outcomes] == [Action.LEFT]
        assert "not coderag's" in change.outcomes[0].reason
        here.install(agent)
        here.uninstall(agent)
        assert step.path.read_bytes() == foreign
        assert {path: one for path, one in here.tree().items() if path in before} == before


@pytest.mark.slow
def test_all_agents_at_once(tmp_path: Path) -> None:
    here = Here(tmp_path, Scope.USER)
    for agent in agents().values():
        write_settings(here, agent, "plain")
    before = here.tree()
    here.install(*agents().values())
    assert actions(here.install(*agents().values())) == {Action.UNCHANGED}
    here.uninstall()
    assert here.tree() == before


def test_one_agent_goes_and_what_it_shares_stays(tmp_path: Path) -> None:
    here = Here(tmp_path, Scope.USER)
    gemini, other = agents()["gemini-cli"], agents()["antigravity"]
    rules = here.home / ".gemini/GEMINI.md"
    write_settings(here, gemini, "crlf")
    before = here.tree()
    here.install(gemini, other)
    here.uninstall(other)
    assert b"coderag:start" in rules.read_bytes()
    assert not (here.home / ".gemini/config").exists()
    here.uninstall(gemini)
    assert here.tree() == before


@pytest.mark.slow
def test_entries_go_without_a_ledger(tmp_path: Path) -> None:
    here = Here(tmp_path, Scope.USER)
    for agent in agents().values():
        write_settings(here, agent, "plain")
    before = here.tree()
    here.install(*agents().values())
    for path in sorted(here.state.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    here.uninstall()
    left = {name: held for name, (_, held) in here.tree().items() if not (here.home / name).is_dir()}
    assert not [name for name, held in left.items() if b"my tools" in held or b"coderag:start" in held]
    for name, (_, held) in before.items():
        if name.endswith((".md", ".toml", ".goosehints")):
            assert left.get(name, b"") == held


def test_a_file_of_ours_that_was_edited_stays(tmp_path: Path) -> None:
    agent, here = agents()["claude-code"], Here(tmp_path, Scope.USER)
    here.install(agent)
    skill = here.home / ".claude/skills/coderag/SKILL.md"
    skill.write_text("My own words on coderag.\n")
    changes = here.install(agent)
    assert "you edited it" in next(o.reason for c in changes for o in c.outcomes if o.part is Part.SKILL)
    here.uninstall(agent)
    assert skill.read_text() == "My own words on coderag.\n"


def test_a_file_of_the_users_own_with_our_name_stays(tmp_path: Path) -> None:
    agent, here = agents()["claude-code"], Here(tmp_path, Scope.USER)
    explorer = here.home / ".claude/agents/code-explorer.md"
    explorer.parent.mkdir(parents=True)
    explorer.write_text("---\nname: code-explorer\n---\nMine.\n")
    changes = here.install(agent)
    assert [o.action for c in changes for o in c.outcomes if o.part is Part.SUBAGENT] == [Action.LEFT]
    here.uninstall()
    assert explorer.read_text() == "---\nname: code-explorer\n---\nMine.\n"


def test_what_is_written_meanwhile_stays(tmp_path: Path) -> None:
    agent, here = agents()["claude-code"], Here(tmp_path, Scope.USER)
    path = here.home / ".claude.json"
    path.write_text('{"starts": 1}\n')
    ledger = Ledger.read(here.state)
    changes = plan_install(here.steps(agent, (Part.MCP,)), here.locations, ledger)
    path.write_text('{"starts": 2}\n')  # while the user reads the question
    with ledger.locked():
        changes[0].carry_out(ledger)
    assert json.loads(path.read_text())["starts"] == 2
    assert "coderag" in path.read_text()
    path.write_text(path.read_text().replace("2", "3"))
    here.uninstall()
    assert path.read_text() == '{"starts": 3}\n'


def test_a_new_version_updates_what_the_old_one_wrote(tmp_path: Path) -> None:
    agent, here = agents()["codex"], Here(tmp_path, Scope.USER)
    write_settings(here, agent, "plain")
    before = here.tree()
    here.install(agent)
    steps = wanted([agent], here.locations, parts=tuple(Part), command=("/new/bin/coderag",)).steps
    ledger = Ledger.read(here.state)
    with ledger.locked():
        for change in plan_install(steps, here.locations, ledger):
            change.carry_out(ledger)
    assert "/new/bin/coderag" in (here.home / ".codex/config.toml").read_text()
    assert "my tools" not in (here.home / ".codex/config.toml").read_text()
    here.uninstall()
    assert here.tree() == before


def test_links_are_written_through(tmp_path: Path) -> None:
    agent, here = agents()["claude-code"], Here(tmp_path, Scope.USER)
    dotfiles = here.home / "dotfiles/claude.json"
    dotfiles.parent.mkdir()
    dotfiles.write_text('{"mcpServers": {}}\n')
    (here.home / ".claude.json").symlink_to("dotfiles/claude.json")
    before = here.tree()
    here.install(agent)
    assert (here.home / ".claude.json").is_symlink()
    assert "coderag" in dotfiles.read_text()
    here.uninstall()
    assert here.tree() == before


def test_the_variables_that_agents_honour(tmp_path: Path) -> None:
    locations = FileLocations(
        tmp_path, {"CODEX_HOME": "/srv/codex", "XDG_CONFIG_HOME": "relative", "PATH": ""}, "linux"
    )
    codex = agents()["codex"].user[Part.MCP].file
    assert locations.path(codex) == Path("/srv/codex/config.toml")
    assert locations.path(agents()["zed"].user[Part.MCP].file) == tmp_path / ".config/zed/settings.json"
    assert locations.path(agents()["claude-code"].user[Part.MCP].file) == tmp_path / ".claude.json"
    moved = FileLocations(tmp_path, {"CLAUDE_CONFIG_DIR": "/srv/claude"}, "linux")
    assert moved.path(agents()["claude-code"].user[Part.MCP].file) == Path("/srv/claude/.claude.json")


def test_the_mac_has_its_own_folders(tmp_path: Path) -> None:
    mac = FileLocations(tmp_path, {}, "macos")
    desktop = mac.path(agents()["claude-desktop"].user[Part.MCP].file)
    assert desktop == tmp_path / "Library/Application Support/Claude/claude_desktop_config.json"
    for agent in agents().values():
        for target in agent.user.values():
            assert target.program or mac.path(target.file).is_relative_to(tmp_path)
        assert not mac.has(agent)


def test_the_first_file_that_exists_is_edited(tmp_path: Path) -> None:
    here = Here(tmp_path, Scope.USER)
    agent = agents()["opencode"]
    folder = here.home / ".config/opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{\n  // mine\n}\n")
    here.install(agent)
    assert '"mcp": {' in (folder / "opencode.jsonc").read_text()
    assert not (folder / "opencode.json").exists()


def test_presence(tmp_path: Path) -> None:
    here = Here(tmp_path, Scope.USER)
    codex = agents()["codex"]
    assert not here.locations.has(codex)
    (here.home / ".codex").mkdir()
    assert here.locations.has(codex)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "zed").write_text("#!/bin/sh\n")
    (programs / "zed").chmod(0o755)
    assert FileLocations(here.home, {"PATH": str(programs)}, "linux").has(agents()["zed"])
    os.chdir(programs)
    assert not FileLocations(here.home, {"PATH": "."}, "linux").has(agents()["zed"])
    project = FileLocations(here.home, {"PATH": ""}, "linux", here.root)
    assert not project.has(agents()["cursor"])
    (here.root / ".cursor").mkdir()
    assert project.has(agents()["cursor"])
