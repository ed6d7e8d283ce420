"""Clones and work trees of one repository: what they have in common is read once."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from coderag import Index
from coderag.index.build.job import Report
from coderag.index.build.segment_cache import cache_folder, cache_size, trim_cache
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import SEGMENTS, read_manifest
from tests.files.test_git_index import age, git
from tests.index.trees import state_of
from tests.workspace import write

pytestmark = pytest.mark.slow

COUNT = 300  # with fewer files to read nobody looks into the cache
FILES = {
    f"src/part_{number % 9}/file_{number}.py": f"def f_{number}(alpha):\n    return alpha + {number}\n"
    for number in range(COUNT)
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/coderag/segments"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository, indexed."""
    made = write(tmp_path / "root", FILES)
    git(made, "init", "--quiet")
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--message=all")
    age(made)
    Index.build(made, workers=0)
    return made


def built(root: Path) -> Report:
    """Make the index of a root, with what there is in the cache."""
    with Index.ensure(root, workers=0) as index:
        return index.reports[0]


def same_as_fresh(root: Path, tmp_path: Path) -> bool:
    index = Index.open(root)
    assert index.damage() == []
    fresh = Index.build(root, index=tmp_path / "fresh", workers=0)
    return state_of(index) == state_of(fresh)


def test_clones_and_work_trees(root: Path, tmp_path: Path, cache: Path) -> None:
    assert cache_folder() == cache
    assert len(list(cache.iterdir())) == 1
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    git(root, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns(".git", ".coderag"))
    for name in ("clone", "tree", "copy"):
        report = built(tmp_path / name)
        assert (report.read, report.reused) == (0, COUNT)
        (segment,) = (tmp_path / name / ".coderag" / SEGMENTS).iterdir()
        assert (segment / "arrays.bin").stat().st_nlink > 1
    assert same_as_fresh(tmp_path / "clone", tmp_path)


def test_only_what_differs_is_read(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    paths = list(FILES)
    write(tmp_path / "clone", {"new.py": "def new():\n    return 1\n", paths[0]: "def changed():\n    return 1\n"})
    (tmp_path / "clone" / paths[1]).unlink()
    report = built(tmp_path / "clone")
    assert (report.read, report.reused) == (2, COUNT - 2)
    assert same_as_fresh(tmp_path / "clone", tmp_path)


def test_an_index_that_has_little_in_common_takes_nothing(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    for path in list(FILES)[: COUNT // 3]:
        (tmp_path / "clone" / path).write_text("def other():\n    return 1\n")
    assert built(tmp_path / "clone").reused == 0


@pytest.mark.parametrize("name", ["arrays.bin", "text.bin", "vectors-*", "entry.json"])
@pytest.mark.parametrize("how", ["flipped", "gone", "empty"])
def test_damage_in_the_cache(root: Path, tmp_path: Path, cache: Path, name: str, how: str) -> None:
    (path,) = cache.glob(f"*/{name}")
    raw = bytearray(path.read_bytes())
    path.unlink()  # the index of the root has the same file
    if how == "flipped":
        raw[len(raw) // 2] ^= 4
    if how != "gone":
        path.write_bytes(b"" if how == "empty" else raw)
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    report = built(tmp_path / "clone")
    assert report.read + report.reused == COUNT
    assert report.reused in ((0, COUNT) if name == "entry.json" else (0,))
    assert same_as_fresh(tmp_path / "clone", tmp_path)
    assert not list((tmp_path / "clone/.coderag" / SEGMENTS).glob("*/entry.json"))
    git(tmp_path, "clone", "--quiet", str(root), "another")
    assert built(tmp_path / "another").reused == COUNT  # what was damaged was replaced


def test_another_file_system(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", link)
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    assert built(tmp_path / "clone").reused == COUNT
    (segment,) = (tmp_path / "clone/.coderag" / SEGMENTS).iterdir()
    assert (segment / "arrays.bin").stat().st_nlink == 1
    assert same_as_fresh(tmp_path / "clone", tmp_path)


def test_a_cache_that_goes_while_it_is_used(
    root: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object, **__: object) -> None:
        shutil.rmtree(cache, ignore_errors=True)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    git(tmp_path, "clone", "--quiet", str(root), "clone")
    monkeypatch.setattr(os, "link", link)
    assert built(tmp_path / "clone").read == COUNT
    assert same_as_fresh(tmp_path / "clone", tmp_path)


def test_a_cache_that_cannot_be_written(root: Path, tmp_path: Path, cache: Path) -> None:
    shutil.rmtree(cache)
    cache.write_text("a file")
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    assert built(tmp_path / "clone").read == COUNT


def test_the_vectors_of_an_encoder_come_with_it(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    with Index.ensure(tmp_path / "clone", encoder="none", workers=0) as index:
        assert index.reports[0].reused == COUNT
        assert not list((tmp_path / "clone/.coderag" / SEGMENTS).glob("*/vectors-*"))
        index.update(encoder="static", workers=0)
        assert index.damage() == []
    assert read_manifest(IndexPath(tmp_path / "clone/.coderag")).vectors
    assert same_as_fresh(tmp_path / "clone", tmp_path)


def test_what_was_damaged_comes_from_the_cache(root: Path) -> None:
    (segment,) = (root / ".coderag" / SEGMENTS).iterdir()
    (segment / "text.bin").unlink()
    (segment / "text.bin").write_bytes(b"nothing")
    with Index.ensure(root, workers=0) as index:
        assert (index.reports[0].read, index.reports[0].reused, index.reports[0].repaired) == (0, COUNT, 1)
        assert index.damage() == []


def test_the_cache_is_measured_only_after_it_grew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []
    monkeypatch.setattr("coderag.index.build.sharing.trim_cache", measured.append)
    write(root, {"one.py": "def one():\n    return 1\n"})
    Index.open(root).update(workers=0)
    assert measured == []
    write(root, {f"more/m_{number}.py": f"def m_{number}():\n    return 1\n" for number in range(COUNT)})
    Index.open(root).update(workers=0)
    assert len(measured) == 1


def test_the_limit(root: Path, cache: Path) -> None:
    write(root, {f"more/m_{number}.py": f"def m_{number}():\n    return 1\n" for number in range(COUNT)})
    Index.open(root).update(workers=0)
    entries = sorted(cache.iterdir(), key=lambda one: (one.stat().st_mtime_ns, one.name))
    assert len(entries) == 2
    assert trim_cache(cache_size()) == 0
    assert trim_cache(cache_size() - 1) > 0
    assert list(cache.iterdir()) == entries[1:]
    assert trim_cache(0) > 0
    assert cache_size() == 0
    assert Index.open(root).damage() == []  # its files have a name of their own
