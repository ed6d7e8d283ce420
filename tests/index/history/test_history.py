"""The commits that changed the lines of an index, read of real repositories."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.errors import QueryError
from coderag.files.log.log import GitLog
from coderag.index.history.build import build_history
from coderag.index.history.history import History
from coderag.index.history.store import write_history
from coderag.index.storage.checksums import damage_of
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from tests.files.changes.repositories import commit, git, repository
from tests.workspace import write

CART = """\
def total(lines):
    return sum(lines)


def clear(cart):
    cart.lines = []
"""
PAID = """\
def pay(order):
    return order.total


def refund(order):
    return -order.total
"""


def built(root: Path, *, history: bool | None = None) -> Index:
    return Index.build(root, index=root.parent / "index", workers=0, history=history)


def subjects(index: Index, target: str) -> list[str]:
    return [change.subject for change in index.log(target)]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository of which one function was changed, and the file of another was moved."""
    root = repository(tmp_path / "shop", {"cart.py": CART, "pay.py": PAID})
    commit(root, {"cart.py": f'"""Carts."""\n\n\n{CART.replace("sum(lines)", "round(sum(lines), 2)")}'}, "Round cents")
    (root / "money").mkdir()
    git(root, "mv", "pay.py", "money/paying.py")
    commit(root, {}, "Move paying")
    commit(root, {"money/paying.py": PAID.replace("-order.total", "0 - order.total")}, "Refund below zero")
    return root


def test_a_definition_names_the_commits_that_changed_it_newest_first(shop: Path) -> None:
    index = built(shop)
    assert subjects(index, "total") == ["Round cents", "first"]
    assert subjects(index, "clear") == ["first"]
    last = index.log("total", k=1)[0]
    assert (last.path, last.name, last.author, last.is_exact) == ("cart.py", "total", "A", True)
    assert git(shop, "rev-parse", "HEAD~2").startswith(last.commit)
    assert [(span.start_line, span.end_line) for span in last.lines] == [(5, 5)]


def test_a_renamed_file_keeps_its_commits(shop: Path) -> None:
    index = built(shop)
    assert subjects(index, "refund") == ["Refund below zero", "first"]
    assert subjects(index, "money/paying.py") == ["Refund below zero", "Move paying", "first"]
    assert subjects(index, "money/paying.py:6") == subjects(index, "refund")


def test_a_name_that_nothing_has_is_an_error(shop: Path) -> None:
    with pytest.raises(QueryError, match="nothing is named 'pya'"):
        built(shop).log("pya")


def test_parallel_branches_meet(shop: Path) -> None:
    base = git(shop, "rev-parse", "HEAD")
    text = (shop / "cart.py").read_text()
    commit(shop, {"cart.py": text.replace("cart.lines = []", "cart.lines.clear()")}, "Clear in place")
    git(shop, "checkout", "-q", "-b", "side", base)
    commit(shop, {"cart.py": f"import math\n\n{text.replace('round(sum', 'math.floor(sum')}"}, "Round down")
    git(shop, "checkout", "-q", "main")
    git(shop, "merge", "-q", "-m", "Merge side", "side")
    index = built(shop)
    assert set(subjects(index, "total")) >= {"Round down", "Round cents"}
    assert "Clear in place" in subjects(index, "clear")
    assert "Merge side" not in subjects(index, "cart.py")


def edited(lines: Sequence[str], draw: random.Random, number: int) -> list[str]:
    """Return lines of which some were replaced, removed, or come in."""
    text = list(lines)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        match draw.randrange(3):
            case 0:
                text[at] = f"line {number} {draw.random()}"
            case 1 if len(text) > 10:
                del text[at : at + draw.randint(1, 3)]
            case _:
                text[at:at] = [f"line {number} {draw.random()}" for _ in range(draw.randint(1, 3))]
    return text


@pytest.fixture(scope="module")
def edited_often(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of a file with 40 random edits."""
    root = tmp_path_factory.mktemp("edits") / "root"
    draw = random.Random(7)
    lines = [f"line 0 {draw.random()}" for _ in range(30)]
    repository(root, {"a.txt": "\n".join(lines) + "\n"})
    for number in range(1, 41):
        lines = edited(lines, draw, number)
        commit(root, {"a.txt": "\n".join(lines) + "\n"}, f"edit {number}")
    return root


def test_who_brought_a_line_is_as_git_blame_says(edited_often: Path) -> None:
    history = History(build_history(GitLog(edited_often), masks=True))
    blamed = [line.split()[0].lstrip("^") for line in git(edited_often, "blame", "-s", "-l", "a.txt").split("\n")]
    changed = history.of_file("a.txt")
    for number, whole in enumerate(blamed, start=1):
        of_line = [one for one in changed if any(first <= number <= last for first, last in one.spans)]
        found = [history.commit(one.commit) for one in sorted(of_line, key=lambda one: one.commit)]
        by = next(place for place, one in enumerate(found) if whole.startswith(one.id))
        # Newer ones removed what stood below the line.
        texts = [git(edited_often, "show", "-U0", "--format=", one.id) for one in found[:by]]
        assert all("\n-line" in text for text in texts), number


def test_what_is_read_on_is_what_is_read_anew(edited_often: Path) -> None:
    known = History(build_history(GitLog(edited_often, revision="HEAD~15"), masks=True))
    on = build_history(GitLog(edited_often), masks=True, known=known)
    anew = build_history(GitLog(edited_often), masks=True)
    assert on.keys() == anew.keys()
    assert all(np.array_equal(on[name], anew[name]) for name in anew)


@pytest.mark.slow
def test_the_history_is_read_on_when_it_is_asked_for(shop: Path) -> None:
    index = built(shop)
    commit(shop, {"cart.py": CART.replace("cart.lines = []", "cart.lines = None")}, "Forget lines")
    index.update(workers=0)
    assert subjects(index, "clear")[0] == "Forget lines"
    git(shop, "reset", "-q", "--hard", "HEAD~1")  # then it has a commit that the repository lacks
    index.update(workers=0)
    assert subjects(index, "clear") == ["first"]


def test_a_file_that_changed_since_says_so(shop: Path) -> None:
    (shop / "cart.py").write_text(f"# new\n{(shop / 'cart.py').read_text()}")
    assert {change.is_exact for change in built(shop).log("total")} == {False}


def test_nothing_that_a_repository_names_is_run(shop: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {ran}\ncat\n")
    program.chmod(0o755)
    (shop / ".gitattributes").write_text("* diff=evil filter=evil\n")
    commit(shop, {}, "Attributes")
    for key in (
        *("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.smudge"),
        *("filter.evil.clean", "filter.evil.process", "core.pager", "core.sshCommand", "alias.rev-list", "alias.log"),
    ):
        git(shop, "config", key, f"!{program}" if key.startswith("alias") else str(program))
    git(shop, "config", "core.hooksPath", str(tmp_path))
    git(shop, "config", "log.showSignature", "true")
    git(shop, "config", "extensions.worktreeConfig", "true")
    index = built(shop)
    assert subjects(index, "total") == ["Round cents", "first"]
    assert not ran.exists()


def test_subjects_are_one_printable_line_without_secrets_and_addresses(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", {"a.py": CART})
    write(root, {"a.py": CART.replace("sum", "max")})
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    git(root, "add", "-A")
    message = f"use \x1b[31m {token}\x07 \u202e{'x' * 3000}"
    git(root, "commit", "-q", "-m", message, "--author=joe@example.org <joe@example.org>")
    last = built(root).log("total", k=1)[0]
    assert last.subject.isprintable()
    assert len(last.subject) <= 200
    assert token not in last.subject
    assert "*" in last.subject
    assert last.author == "joe"


def test_a_shallow_clone_has_what_it_has(shop: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clones/shallow"
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{shop}", str(clone))
    index = built(clone)
    assert subjects(index, "refund") == ["Refund below zero"]  # where the clone ends, all files would be new
    assert "shallow" in index.missing_histories()["shallow"]


def test_of_a_folder_in_a_repository_only_its_files_count(shop: Path) -> None:
    index = built(shop / "money")
    assert subjects(index, "paying.py")[0] == "Refund below zero"
    assert "Round cents" not in subjects(index, "paying.py")


def test_without_a_repository_there_is_no_history(tmp_path: Path) -> None:
    index = built(write(tmp_path / "plain", {"a.py": CART}))
    assert index.log("total") == []
    assert "not a git repository" in index.missing_histories()["plain"]
    assert read_manifest(IndexPath(tmp_path / "index")).history == ""


@pytest.mark.slow
def test_no_history_is_kept_where_none_is_wanted(shop: Path) -> None:
    folder = IndexPath(shop.parent / "index")
    index = built(shop, history=True)
    assert read_manifest(folder).history
    index = Index.ensure(shop, index=shop.parent / "index", workers=0, history=False)
    assert not [name for name in folder.entries() if name.startswith("history-")]
    assert not write_history(folder, shop)
    assert index.log("total") == []
    assert "--no-history" in index.missing_histories()["shop"]
    index = built(shop)  # it is as the one before was made
    assert index.log("total") == []
    index = built(shop, history=True)
    assert subjects(index, "total") == ["Round cents", "first"]


def test_who_does_not_see_all_files_sees_no_history(shop: Path) -> None:
    (shop / "coderag.toml").write_text('[[access]]\npaths = ["money/**"]\ngroups = ["hr"]\n')
    index = built(shop)
    assert index.as_seen_by(["dev"]).log("total") == []
    assert index.as_seen_by(["dev"]).missing_histories() == {"shop": "its history is for those who may see all files"}
    assert [change.subject for change in index.as_seen_by(["hr"]).log("total")] == ["Round cents", "first"]


def test_a_damaged_history_is_told_and_read_again(shop: Path) -> None:
    built(shop, history=True)
    folder = IndexPath(shop.parent / "index")
    path = shop.parent / "index" / read_manifest(folder).history
    data = bytearray(path.read_bytes())
    data[-70] ^= 0xFF
    path.write_bytes(data)
    assert [damage.path for damage in damage_of(folder, read_manifest(folder))] == [path.name]
    index = Index.ensure(shop, index=shop.parent / "index", workers=0)
    assert subjects(index, "total") == ["Round cents", "first"]


def places(index: Index, question: str, **conditions: object) -> list[str]:
    return [hit.chunk.qualified_name for hit in index.search(question, **conditions)]  # type: ignore[arg-type]


def test_words_of_a_subject_lead_to_what_the_commit_changed(shop: Path) -> None:
    text = (shop / "cart.py").read_text()
    commit(shop, {"cart.py": text.replace("cart.lines = []", "cart.lines = [None]")}, "Fix quarrelsome zebra handling")
    with_history = built(shop, history=True)
    question = "fix zebra handling that is quarrelsome"
    assert places(with_history, question)[:1] == ["clear"]
    without = built(shop, history=False)
    assert places(without, question) == []


@pytest.mark.slow
def test_a_commit_that_changed_everything_tells_of_nothing(tmp_path: Path) -> None:
    files = {f"m{number}.py": CART for number in range(60)}
    root = repository(tmp_path / "root", files)
    commit(root, {path: text.replace("sum", "max") for path, text in files.items()}, "Fix zebra quarrels everywhere")
    index = built(root, history=True)
    assert not [hit for hit in index.search("fix zebra quarrels") if "history" in hit.parts]
    assert "Fix zebra quarrels everywhere" in subjects(index, "m7.py")
