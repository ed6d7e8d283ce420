"""Coding agents, as their makers publish them, find a function through the server: with a scripted model.

They are large, so this runs on request only: CODERAG_TEST_AGENTS=1. Each is installed by npm, anywhere on the PATH:

    npm install -g @openai/codex
    npm install -g @anthropic-ai/claude-code    then, where npm runs no scripts, `node install.cjs` in its folder
    npm install -g opencode-ai                  then `node postinstall.mjs` in its folder
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serve.mcp.session import COMMAND, ENVIRONMENT, left_behind, marked
from tests.serve.scripted_model import ScriptedModel, running_model
from tests.workspace import write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("CODERAG_TEST_AGENTS" not in os.environ, reason="runs agents where CODERAG_TEST_AGENTS is set"),
]

QUESTION = "where are failed payments retried?"
PLACE = "shop/payments/retry.py:"
AGENT_SECONDS = 300.0  # an agent that says nothing for as long hangs
PROXIES = {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}


def run(program: str, *arguments: str, folder: Path, home: Path, **environment: str) -> str:
    """Return what an agent prints, started in a folder by a user who has nothing else."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    mark = marked()
    own = {name: value for name, value in ENVIRONMENT.items() if name not in PROXIES}
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        own[name] = str(home / name)
    try:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=own | {"HOME": str(home), "PWD": str(folder), "NO_PROXY": "*"} | mark | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=AGENT_SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"{program} did not end: {late.stdout!r} {late.stderr!r}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [command for command in left_behind(mark) if "coderag" in command] == []
    return done.stdout


def check(model: ScriptedModel, printed: str) -> None:
    """Check that an agent offered the tool, called it, gave the model its answer, and printed what the model said."""
    assert [name for name in model.offered if "coderag" in name and name.endswith("search")]
    assert PLACE in model.results[0]
    assert f"It is at {PLACE}" in printed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return an empty home folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def test_codex_finds_a_function(shop: Path, home: Path) -> None:
    program, *arguments = COMMAND
    with running_model(QUESTION) as model:
        settings = f"""
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{model.address}/v1"
wire_api = "responses"
requires_openai_auth = false

[mcp_servers.coderag]
command = {json.dumps(program)}
args = {json.dumps([*arguments, "--root", str(shop)])}
startup_timeout_sec = 120
required = true  # or the first request may go out before the server has said which tools there are
env = {{ PYTHONPATH = {json.dumps(ENVIRONMENT["PYTHONPATH"])} }}
env_vars = ["XDG_CACHE_HOME", "XDG_DATA_HOME"]
"""
        write(home, {".codex/config.toml": settings})
        printed = run("codex", "exec", "--skip-git-repo-check", QUESTION, folder=shop, home=home)
        check(model, printed)


def test_claude_code_finds_a_function(shop: Path, home: Path) -> None:
    program, *arguments = COMMAND
    server = {"type": "stdio", "command": program, "args": [*arguments, "--root", str(shop)], "env": {}}
    write(home, {"mcp.json": json.dumps({"mcpServers": {"coderag": server}})})
    with running_model(QUESTION) as model:
        printed = run(
            *("claude", "-p", QUESTION, "--mcp-config", str(home / "mcp.json"), "--strict-mcp-config"),
            *("--allowedTools", "mcp__coderag__search", "--output-format", "json"),
            folder=shop,
            home=home,
            ANTHROPIC_BASE_URL=model.address,
            ANTHROPIC_API_KEY="none",
            MCP_TIMEOUT="120000",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )
        check(model, json.loads(printed)["result"])


def test_opencode_finds_a_function(shop: Path, home: Path, tmp_path: Path) -> None:
    with running_model(QUESTION) as model:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.address}/v1", "apiKey": "none"},
            "models": {"scripted": {"name": "scripted", "tool_call": True}},
        }
        server = {"type": "local", "command": [*COMMAND, "--root", str(shop)], "enabled": True, "timeout": 120_000}
        settings = {"provider": {"scripted": provider}, "mcp": {"coderag": server}, "model": "scripted/scripted"}
        project = write(tmp_path / "project", {"opencode.json": json.dumps(settings)})
        check(model, run("opencode", "run", QUESTION, folder=project, home=home, XDG_DATA_HOME=str(home / "data")))
