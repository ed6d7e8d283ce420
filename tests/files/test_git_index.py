"""What git's index says of files, against git itself: versions, work trees, and everything that it is not sure of."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from coderag.files.blob import blob_id
from coderag.files.git_index import checked_in
from tests.workspace import write

FILES: dict[str, str | bytes] = {
    "a.py": "def a():\n    return 1\n",
    "b/c.py": "def c():\n    return 2\n",
    "b/ünïcode name.py": "x = 1\n",
    "b/" + "long" * 40 + ".py": "def long():\n    return 3\n",
    "deep/er/and/deeper/d.go": "package d\n",
    "crlf.txt": b"one\r\ntwo\r\n",
}
# Without the settings of whoever runs the tests.
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "x@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, encoding="utf-8", env=os.environ | QUIET
    )
    return done.stdout


def tracked(root: Path, *below: str) -> dict[str, bytes]:
    """Return the blobs that git lists, by path from the folder that is asked."""
    lines = git(root, "ls-files", "-s", "-z", *below).split("\0")
    fields = [line.partition("\t") for line in lines if line]
    return {path: bytes.fromhex(about.split()[1]) for about, _, path in fields}


def age(root: Path) -> None:
    """Let all files be older than git's index, as they are after some seconds, and git know of it."""
    for path in root.rglob("*"):
        if ".git" not in path.parts and path.is_file():
            os.utime(path, ns=(time.time_ns() - 10**10, time.time_ns() - 10**10 + 1))
    git(root, "update-index", "--refresh")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with everything checked in, a while ago."""
    made = write(tmp_path / "root", FILES)
    git(made, "init", "--quiet")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message=all")
    age(made)
    return made


def blobs(root: Path) -> dict[str, bytes]:
    return {path: one.blob for path, one in checked_in(str(root)).items()}


@pytest.mark.parametrize("version", [2, 3, 4])
def test_versions(root: Path, version: int) -> None:
    git(root, "update-index", f"--index-version={version}")
    assert blobs(root) == tracked(root)
    assert blobs(root)["a.py"] == blob_id((root / "a.py").read_bytes())
    assert checked_in(str(root))["a.py"].mtime_ns == (root / "a.py").stat().st_mtime_ns


def test_a_folder_of_the_repository(root: Path) -> None:
    assert blobs(root / "b") == tracked(root / "b")
    assert blobs(root / "deep/er") == {"and/deeper/d.go": blob_id(b"package d\n")}


def test_work_trees_and_submodules(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    age(tmp_path / "tree")
    assert blobs(tmp_path / "tree") == tracked(root)
    other = write(tmp_path / "other", {"top.py": "top = 1\n"})
    git(other, "init", "--quiet")
    git(other, "submodule", "--quiet", "add", str(root), "inner")
    age(other / "inner")
    assert blobs(other / "inner") == tracked(root)
    age(other)
    assert set(blobs(other)) == {".gitmodules"}  # neither what is not added nor the submodule itself


def test_no_repository(tmp_path: Path) -> None:
    assert checked_in(str(tmp_path)) == {}
    for text in ("gitdir: /nowhere\n", "gitdir:\n", "", "gitdir: a\0b\n", "nothing\n"):
        (tmp_path / ".git").write_text(text)
        assert checked_in(str(tmp_path)) == {}


def test_files_that_git_was_told_not_to_look_at(root: Path) -> None:
    git(root, "update-index", "--assume-unchanged", "a.py")
    git(root, "update-index", "--skip-worktree", "crlf.txt")
    write(root, {"new.py": "new = 1\n"})
    git(root, "add", "--intent-to-add", "new.py")
    assert set(blobs(root)) == set(tracked(root)) - {"a.py", "crlf.txt", "new.py"}


def test_a_sparse_index(root: Path) -> None:
    git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "b")
    assert set(blobs(root)) == {path for path in FILES if "/" not in path or path.startswith("b/")}


def test_a_split_index(root: Path) -> None:
    git(root, "update-index", "--split-index")
    write(root, {"a.py": "def other():\n    return 9\n"})
    git(root, "add", "a.py")
    known = tracked(root)
    assert all(known.get(path) == blob for path, blob in blobs(root).items())


def test_conflicts(root: Path) -> None:
    git(root, "switch", "--quiet", "--create", "other")
    write(root, {"a.py": "theirs = 1\n"})
    git(root, "commit", "--quiet", "--all", "--message=theirs")
    git(root, "switch", "--quiet", "main")
    write(root, {"a.py": "ours = 1\n"})
    git(root, "commit", "--quiet", "--all", "--message=ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    assert "a.py" not in blobs(root)


def test_files_as_new_as_the_index_are_left_out(root: Path) -> None:
    write(root, {"a.py": "def a():\n    return 8\n"})
    git(root, "add", "a.py")
    written = (root / "a.py").stat().st_mtime_ns + 1_000_000
    os.utime(root / ".git/index", ns=(written, written))
    assert "a.py" not in blobs(root)  # it may change once more within the same tick
    assert "b/c.py" in blobs(root)


def test_a_file_that_changed_has_another_time_or_size(root: Path) -> None:
    known = checked_in(str(root))["a.py"]
    write(root, {"a.py": "def a():\n    return 9\n"})
    found = (root / "a.py").stat()
    assert (known.size, known.mtime_ns) != (found.st_size, found.st_mtime_ns)


@pytest.mark.parametrize("attributes", ["*.txt filter=swap\n", "*.txt ident\n", "*.txt working-tree-encoding=UTF-16\n"])
@pytest.mark.parametrize("place", [".gitattributes", "b/.gitattributes", ".git/info/attributes"])
def test_filters_change_what_lies_in_the_work_tree(root: Path, attributes: str, place: str) -> None:
    assert blobs(root)
    write(root, {place: attributes})
    git(root, "add", "--all")
    assert blobs(root) == {}


def test_attributes_that_change_nothing(root: Path) -> None:
    # No line ends for crlf.txt: git would call it changed, but only when it looks, a second later.
    write(root, {".gitattributes": "*.py diff=python text eol=lf\n*.txt -diff\n"})
    git(root, "add", ".gitattributes")
    age(root)
    assert set(blobs(root)) == {*FILES, ".gitattributes"}


def test_ids_of_another_kind(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    git(root, "init", "--quiet", "--object-format=sha256")
    git(root, "add", "--all")
    age(root)
    own = {blob_id((root / path).read_bytes()) for path in FILES}
    assert not own & set(blobs(root).values())


@pytest.mark.slow
def test_damaged_indexes(root: Path) -> None:
    path = root / ".git/index"
    whole = path.read_bytes()
    known = tracked(root)
    chosen = random.Random(1)
    for size in (0, 1, 11, 12, 13, 60, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        checked_in(str(root))
    for _ in range(300):
        changed = bytearray(whole)
        changed[chosen.randrange(len(whole))] ^= 1 << chosen.randrange(8)
        path.write_bytes(changed)
        os.utime(path, ns=(time.time_ns(), time.time_ns()))
        found = blobs(root)
        wrong = {path: blob for path, blob in found.items() if path in known and known[path] != blob}
        assert not set(wrong.values()) & set(known.values())  # never the content of another file
    path.unlink()
    path.mkdir()
    assert checked_in(str(root)) == {}
