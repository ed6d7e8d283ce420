"""`--repositories LIST`: real git repositories and folders, indexed one by one and searched together."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, Run
from tests.git_servers import commit, needs_git, run_git
from tests.workspace import write

pytestmark = [needs_git, pytest.mark.slow]

ADD = 'def {name}(prices):\n    """Add up the prices of a basket."""\n    return sum(prices)\n'


@pytest.fixture
def run(coderag: Run, tmp_path: Path) -> Run:
    """Run coderag with a cache of the test's own."""
    return partial(coderag, cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository of acme with two branches."""
    folder = tmp_path / "served/acme/shop"
    commit(folder, {"cart.py": ADD.format(name="total")})
    run_git(folder, "checkout", "--quiet", "-b", "next")
    commit(folder, {"basket.py": ADD.format(name="next_total")})
    run_git(folder, "checkout", "--quiet", "main")
    return folder


@pytest.fixture
def listed(tmp_path: Path, origin: Path) -> Path:
    """A list of a folder, two branches, and one that is not there."""
    write(tmp_path / "local", {"sum.py": ADD.format(name="local_total")})
    path = tmp_path / "list.toml"
    path.write_text(
        f'[[repository]]\npath = "local"\n[[repository]]\ngit = "{origin.as_uri()}"\n'
        f'[[repository]]\ngit = "{origin.as_uri()}"\nbranch = "next"\ngroups = ["pay", "audit"]\n'
        f'[[repository]]\ngit = "{(tmp_path / "nosuch").as_uri()}"\n'
    )
    return path


def states(done: Done) -> list[tuple[str, int]]:
    return [(one["state"], one["read"]) for one in json.loads(done.stdout)]


def found(done: Done) -> set[tuple[str, str]]:
    return {(hit["repository"], hit["path"]) for hit in json.loads(done.stdout)}


def test_a_list_is_indexed_and_one_that_fails_stops_no_other(run: Run, listed: Path, origin: Path) -> None:
    first = run("index", "--repositories", listed, "--json")
    assert first.returncode == 2
    assert states(first) == [("indexed", 1), ("indexed", 1), ("indexed", 2), ("failed", 0)]
    records: list[dict[str, Any]] = json.loads(first.stdout)
    assert "there is no repository" in records[3]["reason"]
    assert records[1]["commit"] == run_git(origin, "rev-parse", "main")
    assert records[2]["repository"] == f"{origin.as_uri()}@next"
    again = run("index", "--repositories", listed, "--format", "jsonl")
    assert [json.loads(line)["state"] for line in again.stdout.splitlines()] == [*["unchanged"] * 3, "failed"]
    head = commit(origin, {"more.py": ADD.format(name="more")})
    third = run("index", "--repositories", listed)
    lines = third.stdout.splitlines()
    assert [line.split("  ")[1] for line in lines] == ["unchanged", "indexed", "unchanged", "failed"]
    assert "2 files, 1 read, 2 chunks, " in lines[1]
    _, _, reason = lines[3].split("  ", 2)
    assert reason.startswith("cannot be cloned: ")
    assert lines[1].endswith(head[:10])
    assert "4 repositories: 1 indexed, 2 unchanged, 1 failed" in third.stderr


def test_what_was_indexed_is_searched_together(run: Run, listed: Path) -> None:
    nothing = run("search", "basket", "--repositories", listed, "--no-refresh")
    assert nothing.returncode == 2
    run("index", "--repositories", listed)
    done = run("search", "add up the prices of a basket", "--repositories", listed, "--json", "-k", "9")
    assert {repository for repository, _ in found(done)} >= {"local"}
    assert {path for _, path in found(done)} == {"sum.py", "cart.py", "basket.py"}
    assert "not cloned, and left out: file:///" in done.stderr
    status = json.loads(run("status", "--repositories", listed, "--json").stdout)
    assert len(status) == 3


def test_groups_of_a_list_bind_every_way_to_the_clone(run: Run, listed: Path, tmp_path: Path) -> None:
    run("index", "--repositories", listed)
    ask = partial(run, "search", "add up the prices of a basket", "--json", "-k", "9", "--repositories", listed)
    hidden = {"sum.py", "cart.py"}
    assert {path for _, path in found(ask("--groups", "dev"))} == hidden
    assert {path for _, path in found(ask(CODERAG_GROUPS=""))} == hidden
    assert {path for _, path in found(ask("--groups", "audit"))} == {*hidden, "basket.py"}
    (rule,) = (tmp_path / "cache/coderag/clones").glob("*/coderag.toml")
    direct = run("search", "basket", "--root", rule.parent / "shop", "--groups", "dev", "--json")
    assert direct.returncode == 2
    listed.write_text(listed.read_text().replace('groups = ["pay", "audit"]\n', ""))
    run("index", "--repositories", listed)
    assert {path for _, path in found(ask("--groups", "dev"))} == {*hidden, "basket.py"}


def test_a_clone_that_cannot_be_fetched_fails_and_answers(run: Run, tmp_path: Path, origin: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(f'[[repository]]\ngit = "{origin.as_uri()}"\n')
    assert run("index", "--repositories", path).returncode == 0
    origin.rename(origin.with_name("gone"))
    done = run("index", "--repositories", path, "--json")
    assert (done.returncode, states(done)) == (2, [("failed", 0)])
    answer = run("search", "add up the prices of a basket", "--repositories", path, "--json")
    assert found(answer) == {("acme/shop", "cart.py")}


def test_nothing_of_a_repository_runs(run: Run, tmp_path: Path, origin: Path) -> None:
    witness = tmp_path / "witness"
    hook = f"#!/bin/sh\ntouch {witness}\n"
    for name in ("post-checkout", "post-merge", "reference-transaction"):
        write(origin / ".git/hooks", {name: hook})
        (origin / ".git/hooks" / name).chmod(0o755)
    commit(
        origin,
        {
            ".gitattributes": "* filter=evil\n",
            ".gitconfig": f'[filter "evil"]\n\tsmudge = touch {witness}\n',
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch witness"\n',
        },
    )
    witness.unlink(missing_ok=True)  # which a hook of the origin itself made
    path = tmp_path / "one.toml"
    path.write_text(f'[[repository]]\ngit = "{origin.as_uri()}"\n')
    assert run("index", "--repositories", path).returncode == 0
    assert not witness.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no list of repositories"),
        ("[[repository]\n", "is not TOML"),
        ("repository = 3\n", "is no list of repositories"),
        ('[[repository]]\npath = "a"\nurl = "x"\n', "repository 1 has the unknown key 'url'"),
        ('[[repository]]\npath = "a"\ngit = "https://h/a/b"\n', 'needs either "path" or "git"'),
        ('[[repository]]\ngit = "ext::sh -c true"\n', "repository 1 cannot be cloned"),
        ('[[repository]]\ngit = "http://h/a/b"\n', "is not encrypted"),
        ('[[repository]]\ngit = "https://user:secret-token@h/a/b?x"\n', "has no ? and no #"),
        ('[[repository]]\ngit = "https://h/a/b@main"\nbranch = "main"\n', "names a revision twice"),
        ('[[repository]]\ngit = "https://h/a/b"\nbranch = "--upload-pack=x"\n', "is no revision"),
        ('[[repository]]\npath = "a"\nbranch = "main"\n', "has a path and a branch"),
        ('[[repository]]\npath = "a"\ngroups = ["x"]\n', "has a path and groups"),
        ('[[repository]]\ngit = "https://h/a/b"\ngroups = "x"\n', "has groups that are no list"),
        ('[[repository]]\ngit = "https://h/a/b"\ngroups = ["a,b"]\n', "has groups that are no list"),
        ('[[repository]]\npath = "a"\n[[repository]]\npath = "./a"\n', "repositories 1 and 2 are both"),
        ('[[repository]]\npath = "https://h/a/b"\n', 'write it as "git"'),
    ],
)
def test_what_is_no_list(run: Run, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    done = run("index", "--repositories", path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "secret-token" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dry-run",), "--dry-run does not go with --repositories"),
        (("--index", "x"), "--index does not go with --repositories"),
        (("somewhere",), "give ROOT or --repositories, not both"),
    ],
)
def test_options_that_do_not_go_with_a_list(run: Run, listed: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run("index", "--repositories", listed, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
