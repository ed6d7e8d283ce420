"""Files that look changed and hold what is known: nothing of them is read again."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from coderag import Index
from coderag.index.build.job import Report
from tests.files.test_git_index import age, git
from tests.index.trees import state_of
from tests.workspace import write

FILES = {
    f"src/part_{number % 7}/file_{number}.py": f"def f_{number}():\n    return {number}\n" for number in range(200)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two branches that differ in 30 files."""
    made = write(tmp_path / "root", FILES)  # a segment of which a fourth is dead would be written anew
    git(made, "init", "--quiet")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message=all")
    git(made, "switch", "--quiet", "--create", "other")
    for number, path in enumerate(FILES):
        if number < 20:
            (made / path).write_text(f"def other_{number}():\n    return {number}\n")
        elif number < 25:
            (made / path).unlink()
        elif number < 30:
            (made / path).rename(made / f"moved_{number}.py")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message=other")
    git(made, "switch", "--quiet", "main")
    return made


def updated(index: Index) -> Report:
    index.update(workers=0)
    return index.reports[0]


@pytest.mark.slow
@pytest.mark.parametrize("settled", [True, False])  # whether git is sure of the files that it wrote
def test_a_branch_and_back(root: Path, tmp_path: Path, settled: bool) -> None:
    index = Index.build(root, workers=0)
    for branch, read, reused in (("other", 25, 0), ("main", 0, 30), ("other", 25, 0), ("main", 0, 30)):
        git(root, "switch", "--quiet", branch)
        if settled:
            age(root)
        report = updated(index)
        assert (report.read, report.reused, report.rebuilt) == (read, reused, "")
        fresh = Index.build(root, index=tmp_path / f"fresh-{branch}-{time.monotonic_ns()}", workers=0)
        assert state_of(index) == state_of(fresh)


def test_touched_and_copied_files(root: Path) -> None:
    index = Index.build(root, workers=0)
    for path in root.rglob("*.py"):
        os.utime(path)
    report = updated(index)
    assert (report.read, report.unchanged, report.chunks) == (0, 200, len(index))
    for path in root.rglob("*.py"):
        shutil.copyfile(path, root / "copy")
        (root / "copy").replace(path)
    assert updated(index).read == 0


def test_an_edit_that_is_taken_back(root: Path) -> None:
    index = Index.build(root, workers=0)
    path = root / next(iter(FILES))
    before = path.read_text()
    path.write_text("def something_else():\n    return 1\n")
    assert updated(index).read == 1
    path.write_text(before)
    report = updated(index)
    assert (report.read, report.reused) == (0, 1)
    assert index.symbols("f_0", alike=False)
    assert not index.symbols("something_else", alike=False)


def test_content_that_git_only_believes_to_know(root: Path) -> None:
    age(root)
    index = Index.build(root, workers=0)
    path = root / next(iter(FILES))
    times = path.stat()
    path.write_text(path.read_text().replace("return 0", "return 5"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # the same size and time, in the same inode
    path.rename(root / "away")
    shutil.copy2(root / "away", path)  # another inode: the stamp differs, and git's does not
    (root / "away").unlink()
    updated(index)
    assert "return 5" in index.chunks(path.relative_to(root).as_posix())[0].text


def test_git_is_not_needed(tmp_path: Path, root: Path) -> None:
    shutil.rmtree(root / ".git")
    index = Index.build(root, workers=0)
    copied = tmp_path / "copied"
    subprocess.run(["cp", "-r", str(root), str(copied)], check=True)
    other = Index.open(copied)
    assert updated(other).read == 0
    assert len(other) == len(index)
