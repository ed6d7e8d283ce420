"""The agents themselves read what was written: CODERAG_TEST_AGENTS=1 with their programs on PATH."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.agents.machine import Machine

SECONDS = 300  # an agent may look for updates first
PROGRAMS = {
    "claude-code": ("claude", "mcp", "get", "coderag"),
    "codex": ("codex", "mcp", "list"),
    "gemini-cli": ("gemini", "mcp", "list"),
    "qwen-code": ("qwen", "mcp", "list"),
    "opencode": ("opencode", "mcp", "list"),
    "amp": ("amp", "mcp", "list"),
    "copilot-cli": ("copilot", "mcp", "get", "coderag"),
}
COLOUR = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CODERAG_TEST_AGENTS"), reason="set CODERAG_TEST_AGENTS=1")
@pytest.mark.parametrize("agent", PROGRAMS)
def test_the_agent_finds_the_server(machine: Machine, agent: str) -> None:
    program, *arguments = PROGRAMS[agent]
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not on PATH")
    environment = machine.environment | {
        "PATH": f"{machine.programs}{os.pathsep}{os.environ['PATH']}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    assert machine.run("install", "--agent", agent, "--with", "subagent,hook").returncode == 0
    project = machine.home / "work"
    (project / ".git").mkdir(parents=True)
    done = subprocess.run(
        [found, *arguments],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    shown = COLOUR.sub("", done.stdout + done.stderr)
    assert "coderag" in shown
    assert str(machine.coderag) in shown.replace("\n", "")
    assert machine.run("uninstall", "--yes").returncode == 0
    left = {path: held for path, (_, held) in machine.tree().items() if path.endswith((".json", ".toml", ".md"))}
    assert not [path for path, held in left.items() if str(machine.coderag).encode() in held]
