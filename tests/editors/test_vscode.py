"""The extension for VS Code: what it declares, and what it does with an editor that stands in for VS Code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coderag.cli.parser.parser import make_parser
from tests.workspace import REPOSITORY

EXTENSION = REPOSITORY / "editors/vscode"
STAND_IN = Path(__file__).with_name("vscode.js")
MOST_LINES = 100
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@pytest.fixture(scope="module")
def declared() -> dict[str, Any]:
    table: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text())
    return table


def defaults(declared: dict[str, Any]) -> dict[str, Any]:
    """Return the settings as they are where nobody changes them."""
    properties = declared["contributes"]["configuration"]["properties"]
    return {name: setting["default"] for name, setting in properties.items()}


def played(settings: dict[str, Any]) -> dict[str, Any]:
    """Return what the extension does with some settings."""
    told = subprocess.run(
        ["node", str(STAND_IN), str(EXTENSION), json.dumps(settings)], capture_output=True, check=True, text=True
    )
    said: dict[str, Any] = json.loads(told.stdout)
    return said


def test_what_it_declares_is_there(declared: dict[str, Any]) -> None:
    assert {"name", "version", "publisher", "engines", "activationEvents"} <= set(declared)
    assert (EXTENSION / declared["main"]).is_file()
    assert "vscode-languageclient" in declared["dependencies"]
    assert not {"build", "compile", "vscode:prepublish"} & set(declared["scripts"])  # there is no build step
    assert len((EXTENSION / "extension.js").read_text().splitlines()) < MOST_LINES


def test_no_workspace_says_what_is_started(declared: dict[str, Any]) -> None:
    properties = declared["contributes"]["configuration"]["properties"]
    assert {setting["scope"] for setting in properties.values()} == {"machine"}
    assert declared["capabilities"]["untrustedWorkspaces"]["supported"] is False


def test_what_it_starts_is_the_server(declared: dict[str, Any]) -> None:
    started = defaults(declared)
    assert started["coderag.command"] == make_parser("lsp").prog
    assert make_parser("lsp").parse_args(started["coderag.arguments"]).module == "coderag.cli.commands.lsp"


@needs_node
def test_it_asks_for_what_is_missing_and_shows_the_result(declared: dict[str, Any]) -> None:
    said = played(defaults(declared))
    assert said["server"] == {"command": "coderag", "args": ["lsp"]}
    assert said["asked"]["coderag.search"] == ["retries"]
    assert said["asked"]["coderag.impact"] == ["place_order"]
    assert said["information"] == "coderag: nothing found"
    assert said["opened"][0] == ["file:///a.py", 2]
    assert "- It waits. [1]" in said["opened"][1][0]
    assert "1. a.py:3-9" in said["opened"][1][0]
    assert said["executed"][:3] == ["editor.action.showReferences", "file:///here.py", 7]
    assert said["executed"][3][0]["range"]["line"] == 4
    assert said["stopped"]


@needs_node
def test_a_server_that_does_not_start_is_told(declared: dict[str, Any]) -> None:
    assert "no such program" in played({**defaults(declared), "fails": True})["error"]
