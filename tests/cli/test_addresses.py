"""Git addresses as roots of commands: one address, from the first search to `coderag clean`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run
from tests.git_servers import commit, needs_git

pytestmark = [needs_git, pytest.mark.slow]


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository of acme."""
    folder = tmp_path / "served/acme/shop"
    commit(folder, {"cart.py": 'def total(prices):\n    """Add up the prices."""\n    return sum(prices)\n'})
    return folder


@pytest.fixture
def run(coderag: Run, tmp_path: Path) -> Run:
    """Run coderag with a cache of the test's own."""
    return partial(coderag, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))


def paths(done: Done) -> list[tuple[str, str]]:
    return [(hit["repository"], hit["path"]) for hit in json.loads(done.stdout)]


def test_search_clones_and_index_fetches(run: Run, origin: Path) -> None:
    url = origin.as_uri()
    ask = partial(run, "search", "add up prices", "--json", "--root", url)
    missing = ask("--no-refresh")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert f'there is no clone of {url}; run "coderag index {url}"' in missing.stderr
    first = ask()
    assert paths(first) == [("acme/shop", "cart.py")]
    assert f"cloning {url}" in first.stderr
    commit(origin, {"basket.py": 'def add_up(prices):\n    """Add up prices."""\n'})
    second = ask()
    assert (paths(second), second.stderr) == ([("acme/shop", "cart.py")], "")
    assert run("index", url).returncode == 0
    assert len(paths(ask("--no-refresh"))) == 2
    status = json.loads(run("status", "--json", "--root", url).stdout)
    assert [one["repository"] for one in status] == ["acme/shop"]
    origin.rename(origin.with_name("gone"))
    offline = run("index", url, "--quiet")
    assert offline.returncode == 0
    assert "there is no repository; answers come from the clone" in offline.stderr


def test_hits_can_be_opened(run: Run, origin: Path, tmp_path: Path) -> None:
    line = run("search", "add up prices", "--format", "vimgrep", "--root", origin.as_uri()).stdout
    assert (tmp_path / line.partition(":")[0]).read_text().startswith("def total")


def test_an_address_beside_a_folder(run: Run, origin: Path, project: Path) -> None:
    done = run("search", "total", "--json", "--root", origin.as_uri(), "--root", project)
    assert {repository for repository, _ in paths(done)} == {"acme/shop", "project"}


def test_clean(run: Run, origin: Path) -> None:
    url = origin.as_uri()
    nothing = run("clean", url)
    assert (nothing.returncode, nothing.stderr) == (0, f"coderag: there is no clone of {url}\n")
    run("index", url)
    [clone] = [one for one in json.loads(run("clean", "--json").stdout) if one["part"] == "clone"]
    assert (clone["address"], clone["removed"]) == (url, 0)
    assert clone["bytes"] > 10_000
    assert f"{url}, used today" in run("clean").stdout
    assert json.loads(run("clean", "--unused", "1", "--json").stdout) == []
    assert "would go" in run("clean", url, "--dry-run").stdout
    assert Path(clone["path"]).exists()
    removed = run("clean", "--unused", "0")
    assert "removed" in removed.stdout
    assert not Path(clone["path"]).exists()
    run("index", url)
    assert "removed" in run("clean", url).stdout
    run("index", url)
    assert run("clean", "--all").returncode == 0
    assert not Path(clone["path"]).exists()


@pytest.mark.parametrize("command", ["index", "clean", "watch"])
def test_an_address_that_is_refused(run: Run, command: str) -> None:
    done = run(command, "http://me:pass-word@example.org/acme/shop")
    assert done.returncode == 2
    assert "is not encrypted" in done.stderr
    assert "pass-word" not in done.stderr


def test_credentials_are_not_printed(run: Run, tmp_path: Path) -> None:
    done = run("index", "https://me:pass-word@127.0.0.1:1/acme/shop")
    assert done.returncode == 2
    assert "https://127.0.0.1:1/acme/shop cannot be cloned: 127.0.0.1:1 cannot be reached" in done.stderr
    assert "pass-word" not in done.stderr
    assert not [path for path in (tmp_path / "cache").rglob("*") if "pass-word" in path.name]


def test_who_may_not_see_all_clones_nothing(run: Run, origin: Path) -> None:
    done = run("search", "total", "--root", origin.as_uri(), CODERAG_GROUPS="hr")
    assert done.returncode == 2
    assert "is for who may see all; CODERAG_GROUPS is set" in done.stderr
