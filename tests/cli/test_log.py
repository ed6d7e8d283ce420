"""`coderag log`: the commits that changed a definition."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from tests.cli.conftest import COLOUR, Run
from tests.files.changes.repositories import commit, git, repository
from tests.growth import HANG_SECONDS
from tests.workspace import write

CART = "def total(lines):\n    return sum(lines)\n\n\ndef clear(cart):\n    cart.lines = []\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two commits."""
    root = repository(tmp_path / "shop", {"src/cart.py": CART})
    commit(root, {"src/cart.py": CART.replace("sum(lines)", "round(sum(lines))")}, "Round \x1b[31mprices")
    return root


@pytest.mark.slow
def test_a_line_says_when_who_and_why(coderag: Run, root: Path) -> None:
    last = git(root, "rev-parse", "HEAD")
    day = git(root, "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d")
    done = coderag("log", "total", cwd=root, TZ="UTC")
    head, commit_line, by, *_ = COLOUR.sub("", done.stdout).split("\n")
    assert (done.returncode, head) == (0, "src/cart.py  total")
    assert commit_line.split()[:3] == [last[:9], day, "Round"]
    assert by.split() == ["A", "2"]
    assert "\x1b[31m" not in done.stdout


@pytest.mark.slow
def test_a_file_is_named_from_where_one_stands(coderag: Run, root: Path) -> None:
    done = coderag("log", "cart.py:6", "--json", cwd=root / "src")
    (found,) = json.loads(done.stdout)
    assert (found["subject"], found["name"], found["path"]) == ("first", "clear", "src/cart.py")
    assert found["lines"] == [{"start_line": 5, "end_line": 6}]
    (found,) = json.loads(coderag("log", "src/cart.py", "-k", "1", "--json", cwd=root).stdout)
    assert found["subject"] == "Round [31mprices"


def test_a_name_is_the_one_with_its_capitals_where_there_is_one(coderag: Run, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"a.py": "class Cart:\n    order: int\n", "b.py": "class Order:\n    pass\n"})
    for name, paths in (("Order", ["b.py"]), ("order", ["a.py"]), ("ORDER", ["a.py", "b.py"])):
        found = json.loads(coderag("log", name, "--json", cwd=root).stdout)
        assert sorted(change["path"] for change in found) == paths


def test_without_a_history_it_says_why(coderag: Run, tmp_path: Path) -> None:
    plain = write(tmp_path / "plain", {"cart.py": CART})
    done = coderag("log", "total", "--root", plain, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no history is known: " in done.stderr
    assert "not a git repository" in done.stderr


@pytest.mark.slow
def test_a_name_that_nothing_has_fails(coderag: Run, root: Path) -> None:
    done = coderag("log", "nobody", cwd=root)
    assert done.returncode == 2
    assert "nothing is named 'nobody'" in done.stderr


@pytest.mark.slow
def test_it_is_read_in_the_background_and_explains_hits(coderag: Run, root: Path) -> None:
    assert coderag("index", cwd=root).returncode == 0
    folder = IndexPath(root / ".coderag")
    deadline = time.monotonic() + HANG_SECONDS
    while not read_manifest(folder).history:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    done = coderag("search", "fix how prices are rounded", "--explain", cwd=root)
    assert f"changed by {git(root, 'rev-parse', 'HEAD')[:9]} " in COLOUR.sub("", done.stdout)
    assert coderag("index", "--no-history", cwd=root).returncode == 0
    assert not read_manifest(folder).history
    assert "changed by" not in coderag("search", "fix how prices are rounded", "--explain", cwd=root).stdout
