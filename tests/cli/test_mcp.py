"""`coderag mcp`: what it refuses before it serves, and whom it answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coderag import Index
from tests.cli.conftest import ENVIRONMENT
from tests.commands import run_here
from tests.growth import HANG_SECONDS
from tests.serve.mcp.session import LEGACY, Session, text_of
from tests.workspace import write

WITHOUT = "import sys; sys.modules['mcp'] = None; from coderag.cli.main import run; sys.exit(run(['mcp']))"


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "coderag: the Python package mcp is not installed; run in the source tree of coderag: pip install '.[mcp]'\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tools", "serch"], "unknown tool 'serch', there are search"),
        (["--tools", "search,serch"], "; did you mean search?"),
        (["--tools", ""], "argument --tools: it is empty"),
        (["--root", "missing"], "'missing' does not exist"),
        (["--roots", "."], "unknown option --roots; did you mean --root?"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(project: Path, arguments: list[str], message: str) -> None:
    done = run_here("mcp", *arguments, cwd=project)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_home_folder_is_not_indexed_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Session(HOME=str(tmp_path)) as session:
        answer = session.open(LEGACY).call("search", query="anything")
        assert text_of(answer) == (
            f"{tmp_path} is no repository; start the agent in one, or give its folder with --root"
        )
    assert not (tmp_path / ".coderag").exists()


GUARDED = {
    "open.py": "def open_door():\n    '''Open the door.'''\n",
    "closed/door.py": "def close_door():\n    '''Close the door.'''\n",
    "coderag.toml": '[[access]]\npaths = ["closed/**"]\ngroups = ["keepers"]\n',
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an indexed repository, a folder of which not everybody may see."""
    root = write(tmp_path_factory.mktemp("groups") / "house", GUARDED)
    Index.build(root, workers=0).close()
    return root


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "variable", "is_seen"),
    [
        ([], None, True),
        (["--groups", "keepers"], None, True),
        (["--groups", "guests"], None, False),
        (["--groups", ""], None, False),
        ([], "guests", False),
        ([], "keepers", True),
        (["--groups", "keepers"], "guests", False),
    ],
)
def test_groups_are_fixed_by_who_starts_the_server(
    house: Path, arguments: list[str], variable: str | None, is_seen: bool
) -> None:
    environment = {} if variable is None else {"CODERAG_GROUPS": variable}
    with Session("--root", house, *arguments, **environment) as session:
        found = text_of(session.open(LEGACY).call("search", query="close the door"))
        assert "open.py" in found
        assert ("closed/door.py" in found) == is_seen
