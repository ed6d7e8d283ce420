"""What watched folders tell of changes is what a look at all files tells."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.api.roots import resolve_roots
from coderag.api.snapshot import open_snapshot
from coderag.api.stillness import Stillness
from coderag.index.build.watch.inotify import FolderWatch
from tests.workspace import write

FILES = {"a.py": "one = 1\n", "b/c.py": "two = 2\n", "b/d/e.py": "three = 3\n", ".gitignore": "*.log\n"}


def replaced(root: Path) -> None:
    (root / "new").write_text("one = 9\n")
    (root / "new").replace(root / "a.py")


def another_root(root: Path) -> None:
    root.rename(root.with_name("before"))
    shutil.copytree(root.with_name("before"), root)


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda root: (root / "b/d/e.py").write_text("three = 4\n"),
    "touched": lambda root: os.utime(root / "a.py", ns=(1, 1)),
    "replaced": replaced,
    "added": lambda root: (root / "b/new.py").write_text("four = 4\n"),
    "removed": lambda root: (root / "a.py").unlink(),
    "moved": lambda root: (root / "b/d").rename(root / "e"),
    "a folder added": lambda root: (root / "f").mkdir(),
    "a folder removed": lambda root: shutil.rmtree(root / "b"),
    "rules": lambda root: (root / ".gitignore").write_text("*.txt\n"),
    "rules above": lambda root: (root.parent / "coderag.toml").write_text("[settings]\n"),
    "another root": another_root,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "above/root", FILES)
    (root / ".git").mkdir()
    for path in root.rglob("*"):
        os.utime(path, ns=(10**18, 10**18))  # else they may be changed within the tick of their times
    return root


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_at_once(change: str, root: Path) -> None:
    with Index.build(root, workers=0, cache=False) as index:
        assert index.stale_paths(watched=True) == []
        CHANGES[change](root)
        assert index.stale_paths(watched=True) == index.stale_paths()
        index.update(workers=0)
        assert index.stale_paths(watched=True) == index.stale_paths() == []
        if (root / "b").exists():
            (root / "b/later.py").write_text("five = 5\n")
            assert index.stale_paths(watched=True) == index.stale_paths() != []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell at once what changed")
def test_no_file_is_looked_at_while_nothing_happens(root: Path) -> None:
    Index.build(root, workers=0, cache=False).close()
    snapshot = open_snapshot(resolve_roots([root]))
    watch = FolderWatch.open([str(root)])
    if watch is None:
        pytest.skip("the folder of the tests is on a file system of a network, or no more folders can be watched")
    stillness, looks = Stillness(snapshot.opened), list[int]()

    def look() -> list[str] | None:
        looks.append(len(looks))
        if len(looks) == 2:  # a change that a look which has begun no longer sees
            (root / "a.py").write_text("one = 2\n")
        return []

    assert [stillness.stale_paths(look) for _ in range(3)] == [[], [], []]
    assert looks == [0]
    (root / "b/c.py").write_text("two = 3\n")
    assert not stillness.is_still
    stillness.stale_paths(look)
    stillness.stale_paths(look)
    assert looks == [0, 1, 2]
    assert stillness.is_still


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    watch = FolderWatch.open([str(folder)])
    if watch is None:
        pytest.skip("the system cannot tell of all changes here")
    before = watch.count()
    assert watch.count() == before
    folder.rmdir()
    assert watch.count() != before
    assert watch.is_lost
    assert FolderWatch.open([str(folder)]) is None
