"""`coderag ask` as people and programs run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import COLOUR, Run
from tests.workspace import write

pytestmark = pytest.mark.slow

FILES = {
    "app.py": 'def greet(name):\n    """Say hello to somebody."""\n    return f"hello {name}"\n\n\n'
    "def main():\n    return greet('you')\n",
    "README.md": "# greeter\n\nA program that greets people.\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, coderag: Run) -> Path:
    root = write(tmp_path_factory.mktemp("ask") / "small", FILES)
    assert coderag("index", "--wait", cwd=root).returncode == 0
    return root


def test_an_answer_is_statements_and_sources(coderag: Run, root: Path) -> None:
    done = coderag("ask", "who", "calls", "greet()?", "--root", root, cwd=root)
    assert done.returncode == 0
    first, *_ = done.stdout.splitlines()
    assert first == "- main calls greet [1]"
    assert "[1] app.py:7  main" in done.stdout
    assert not COLOUR.search(done.stdout)


def test_not_found_is_exit_code_1(coderag: Run, root: Path) -> None:
    done = coderag("ask", "how are blockchains mined?", cwd=root)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "not found")
    assert "no indexed file has 'blockchains'" in done.stderr


def test_json_is_the_record(coderag: Run, root: Path) -> None:
    done = coderag("ask", "who calls greet()?", "--json", cwd=root)
    answer = json.loads(done.stdout)
    assert answer["verdict"] == "found"
    assert answer["facts"][0]["citations"] == [1]
    assert answer["sources"][0]["path"] == "app.py"


def test_the_trace_names_every_stage(coderag: Run, root: Path) -> None:
    done = coderag("ask", "who calls greet()?", "--trace", "--pipeline", "route,retrieve,answer", cwd=root)
    assert "trace  route > retrieve > answer" in done.stdout


def test_colours_only_where_asked_for(coderag: Run, root: Path) -> None:
    assert COLOUR.search(coderag("ask", "who calls greet()?", "--color", "always", cwd=root).stdout)


def test_an_unknown_pipeline_is_a_usage_error(coderag: Run, root: Path) -> None:
    done = coderag("ask", "who calls greet()?", "--pipeline", "clever", cwd=root)
    assert done.returncode == 2
    assert "pipelines are naive, advanced, modular" in done.stderr
