"""Conversations of `coderag ask --session`, and `coderag sessions`, as people run them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.workspace import write

pytestmark = pytest.mark.slow

FILES = {
    "app.py": 'def greet(name):\n    """Say hello to somebody."""\n    return f"hello {name}"\n\n\n'
    "def main():\n    return greet('you')\n",
    "pay/salary.py": 'def raise_salary():\n    """Raise the salary of the director."""\n',
    "coderag.toml": '[[access]]\npaths = ["pay/"]\ngroups = ["hr"]\n',
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("talk") / "small", FILES)
    assert coderag("index", "--wait", cwd=root).returncode == 0
    return root


def test_a_conversation_goes_on_and_is_deleted(coderag: Run, root: Path, tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    assert coderag("ask", "what does greet() do?", "--session", "hi", cwd=root, **state).returncode == 0
    done = coderag("ask", "who calls it?", "--session", "hi", "--pin", "app.py", cwd=root, **state)
    assert "- main calls greet [1]" in done.stdout
    assert "the question is read as: who calls greet?" in done.stderr
    listed = json.loads(coderag("sessions", "--json", cwd=root, **state).stdout)
    assert [(one["name"], one["questions"], one["pinned"]) for one in listed] == [("hi", 2, ["app.py"])]
    shown = coderag("sessions", "show", "hi", cwd=root, **state).stdout
    assert "read as  who calls greet?" in shown
    assert str(next(tmp_path.rglob("hi.jsonl"))) in shown
    for groups in ("web", "hr", ""):
        done = coderag("sessions", "--groups", groups, cwd=root, **state)
        assert (done.returncode, done.stdout) == (1, "")
    assert coderag("sessions", "delete", "hi", cwd=root, **state).returncode == 0
    assert coderag("sessions", "delete", "hi", cwd=root, **state).returncode == 1
    assert not list(tmp_path.rglob("*.jsonl"))
    assert sorted(path.name for path in root.iterdir()) == [".coderag", "app.py", "coderag.toml", "pay"]


def test_a_damaged_conversation_is_told(coderag: Run, root: Path, tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    coderag("ask", "who greets?", "--session", "hi", cwd=root, **state)
    file = next(tmp_path.rglob("hi.jsonl"))
    file.write_text(file.read_text() + "{broken\n")
    done = coderag("ask", "who calls it?", "--session", "hi", cwd=root, **state)
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 4: " in done.stderr
    assert 'run "coderag sessions delete hi"' in done.stderr
    assert "cannot be read" in coderag("sessions", cwd=root, **state).stdout
    assert coderag("sessions", "delete", "hi", cwd=root, **state).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["ask", "who?", "--session", "../x"], "is no name of a session"),
        (["ask", "who?", "--pin", "app.py"], "add --session NAME"),
        (["ask", "who?", "--session", "x", "--sql"], "each question stands alone there"),
        (["ask", "who?", "--session", "x", "--pin", "pay/**", "--groups", "web"], "no indexed file matches 'pay/**'"),
        (["sessions", "show"], "give the NAME of the session to show"),
        (["sessions", "list", "x"], "coderag sessions show x"),
    ],
)
def test_what_makes_no_sense_is_refused(
    coderag: Run, root: Path, tmp_path: Path, arguments: list[str], why: str
) -> None:
    done = coderag(*arguments, cwd=root, XDG_STATE_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert not list(tmp_path.rglob("*.jsonl"))
