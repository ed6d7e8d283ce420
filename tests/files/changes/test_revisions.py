"""What differs between revisions, what is staged and the worktree, in real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from coderag.errors import GitError
from coderag.files.changes.records import ChangedFile, ChangeSet, LeftOut, WhyLeftOut
from coderag.files.changes.revisions import changes_between, changes_of_staged, changes_of_worktree, is_revision
from coderag.types import Span
from tests.files.changes.repositories import commit, git, repository
from tests.workspace import write


def names(found: ChangeSet) -> list[tuple[str, str]]:
    return [(file.old_path, file.new_path) for file in found.files]


@pytest.mark.slow
def test_the_worktree_with_head(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.py": "one\ntwo\n", "b.py": "b\n", "c.py": "c\n", ".gitignore": "*.log\n"})
    write(root, {"a.py": "one\n2\nthree\n", "new/d ä.py": "d\n", "x.log": "ignored\n"})
    (root / "b.py").unlink()
    found = changes_of_worktree(root)
    assert found.title == "the worktree with HEAD"
    assert found.files == (
        ChangedFile("a.py", "a.py", b"one\ntwo\n", b"one\n2\nthree\n", (Span(2, 2),), (Span(2, 3),)),
        ChangedFile("b.py", "", b"b\n", b"", (Span(1, 1),), ()),
        ChangedFile("", "new/d ä.py", b"", b"d\n", (), (Span(1, 1),)),
    )
    assert changes_of_staged(root).files == ()
    git(root, "add", "a.py")
    assert names(changes_of_staged(root)) == [("a.py", "a.py")]
    assert names(changes_of_worktree(root)) == names(found)


def test_nothing_changed_and_no_commit_yet(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "a\n"})
    assert changes_of_worktree(root).files == ()
    os.utime(root / "a.py")
    assert changes_of_worktree(root).files == ()
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    write(empty, {"a.py": "a\n"})
    assert names(changes_of_worktree(empty)) == [("", "a.py")]


@pytest.mark.slow
def test_ranges(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.py": "a\n"})
    git(root, "checkout", "-q", "-b", "feature")
    commit(root, {"b.py": "b\n"})
    git(root, "checkout", "-q", "-")
    git(root, "branch", "base")
    commit(root, {"c.py": "c\n"})
    git(root, "checkout", "-q", "feature")
    assert names(changes_between(root, "base..feature")) == [("", "b.py")]
    main = git(root, "rev-parse", "HEAD@{1}")
    assert names(changes_between(root, f"{main}...feature")) == [("", "b.py")]
    assert names(changes_between(root, f"{main}..feature")) == [("", "b.py"), ("c.py", "")]
    assert names(changes_between(root, "base..")) == [("", "b.py")]
    write(root, {"b.py": "changed\n"})
    assert names(changes_of_worktree(root, "base")) == [("", "b.py")]
    assert is_revision(root, "base...feature")
    assert not is_revision(root, "base...nowhere")
    assert not is_revision(root, "--help")


def test_a_rename_a_mode_a_link_and_what_is_binary(tmp_path: Path) -> None:
    body = "".join(f"line {number}\n" for number in range(20))
    root = repository(tmp_path, {"old.py": body, "run.sh": "run\n", "x.bin": b"\0\1", "crlf.py": b"a\nb\n"})
    git(root, "mv", "old.py", "new.py")
    (root / "run.sh").chmod(0o755)
    (root / "link.py").symlink_to("/etc/passwd")
    write(root, {"new.py": body.replace("line 7\n", "seven\n"), "x.bin": b"\0\2", "crlf.py": b"a\r\nb\r\n"})
    found = changes_of_worktree(root)
    assert names(found) == [("old.py", "new.py")]
    assert (found.files[0].old_lines, found.files[0].new_lines) == ((Span(8, 8),), (Span(8, 8),))
    assert found.left_out == (LeftOut("x.bin", WhyLeftOut.BINARY),)
    git(root, "add", "-A")
    left_out = {one.path: one.reason for one in changes_of_staged(root).left_out}
    assert left_out == {"x.bin": WhyLeftOut.BINARY, "link.py": WhyLeftOut.LINK}


def test_a_root_below_the_top_of_its_repository(tmp_path: Path) -> None:
    root = repository(tmp_path, {"app/a.py": "a\n", "other/b.py": "b\n"})
    commit(root, {"app/a.py": "2\n", "other/b.py": "2\n"})
    write(root, {"app/a.py": "3\n", "other/b.py": "3\n", "app/n.py": "n\n"})
    assert names(changes_of_worktree(root / "app")) == [("a.py", "a.py"), ("", "n.py")]
    assert names(changes_between(root / "app", "HEAD~1..HEAD")) == [("a.py", "a.py")]
    git(root, "add", "-A")
    assert names(changes_of_staged(root / "app")) == [("a.py", "a.py"), ("", "n.py")]


def test_what_cannot_be_told(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="no git repository"):
        changes_of_worktree(tmp_path)
    root = repository(tmp_path / "r", {"a.py": "a\n"})
    with pytest.raises(GitError, match="'nowhere' is no revision"):
        changes_of_worktree(root, "nowhere")
    with pytest.raises(GitError, match="'--output=x' is no revision"):
        changes_between(root, "--output=x..HEAD")
    git(root, "checkout", "-q", "--orphan", "alone")
    commit(root, {"b.py": "b\n"})
    with pytest.raises(GitError, match="no common ancestor"):
        changes_between(root, "main...HEAD")


def test_nothing_that_a_repository_names_is_run(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "a\n", "b.py": "b\n"})
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "diff.external", "filter.x.clean", "filter.x.smudge"),
        *("filter.x.process", "diff.x.textconv", "diff.x.command", "core.sshCommand", "core.gitProxy"),
        *("alias.diff-tree", "gpg.program", "credential.helper", "uploadpack.packObjectsHook"),
    ):
        git(root, "config", key, f"{'!' if key.startswith('alias') else ''}{program}")
    for hook in ("post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"):
        write(root, {f".git/hooks/{hook}": program.read_text()})
        (root / f".git/hooks/{hook}").chmod(0o755)
    write(root, {"a.py": "a2\n", "b.py": "b2\n", ".gitattributes": "*.py filter=x diff=x\n", "c.py": "c\n"})
    before = sorted((root / ".git").rglob("*"))
    assert names(changes_of_worktree(root)) == [
        ("", ".gitattributes"),
        ("a.py", "a.py"),
        ("b.py", "b.py"),
        ("", "c.py"),
    ]
    assert changes_of_staged(root).files == ()
    assert changes_between(root, "HEAD..HEAD").files == ()
    assert not mark.exists()
    assert sorted((root / ".git").rglob("*")) == before


def test_a_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"sub/a.py": "a\n"})
    outside = write(tmp_path / "outside", {"a.py": "secret\n"})
    (root / "sub/a.py").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)
    assert all(b"secret" not in file.new for file in changes_of_worktree(root).files)


def test_a_missing_git_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path, {"a.py": "a\n"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        changes_of_worktree(root)


@pytest.mark.slow
def test_the_files_of_a_worktree_of_git_and_of_a_shallow_clone(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "a\n"})
    commit(root, {"a.py": "2\n"})
    git(root, "worktree", "add", "-q", str(tmp_path / "w"))
    write(tmp_path / "w", {"a.py": "3\n"})
    assert names(changes_of_worktree(tmp_path / "w")) == [("a.py", "a.py")]
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{root}", str(tmp_path / "s")], check=True)
    write(tmp_path / "s", {"a.py": "3\n"})
    assert names(changes_of_worktree(tmp_path / "s")) == [("a.py", "a.py")]
    with pytest.raises(GitError, match="is it fetched"):
        changes_between(tmp_path / "s", "HEAD~1..HEAD")
