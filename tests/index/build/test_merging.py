"""Small segments to few: beside updates, too late, killed; and which are merged."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from coderag import Index
from coderag.api.background import spawn_maintenance
from coderag.errors import IndexDamagedError, IndexWriteError
from coderag.index.build import merging
from coderag.index.build.merging import QUICK_CHUNKS, due_for_merging, merge_index, quick_to_merge
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import MERGING, MERGING_LOCK, SEGMENTS, read_manifest
from tests.index.trees import state_of
from tests.workspace import write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with an index of eight segments, which no update merges."""
    monkeypatch.setattr("coderag.index.build.build.quick_to_merge", lambda _: [])
    made = write(tmp_path / "root", {"base.py": "".join(f"def base_{n}():\n    return {n}\n\n" for n in range(40))})
    index = Index.build(made, workers=0)
    for number in range(7):
        write(made, {f"part_{number}.py": f"def part_{number}():\n    return {number}\n"})
        if number == 3:
            (made / "part_1.py").unlink()
        index.update(workers=0)
    assert len(segments(made)) == 7
    assert index.reports[0].merge_due
    return made


def segments(root: Path) -> list[str]:
    return [entry.name for entry in read_manifest(IndexPath(root / ".coderag")).segments]


def check(root: Path, tmp_path: Path) -> None:
    """Compare with a fresh index, and look for what is left behind."""
    index = Index.open(root)
    assert state_of(index) == state_of(Index.build(root, index=tmp_path / "fresh", workers=0))
    assert index.damage() == []
    assert sorted(path.name for path in (root / ".coderag" / SEGMENTS).iterdir()) == sorted(segments(root))
    assert not (root / ".coderag" / MERGING).exists()


def test_a_merge(root: Path, tmp_path: Path) -> None:
    kept = Index.open(root)
    before = state_of(kept)
    assert merge_index(IndexPath(root / ".coderag"))
    assert len(segments(root)) == 1
    assert kept.chunks("part_0.py")  # of files that are gone
    assert not merge_index(IndexPath(root / ".coderag"))
    assert state_of(Index.open(root)) == before
    assert Index.open(root).is_fresh()
    check(root, tmp_path)


@pytest.mark.slow
def test_a_merge_in_a_process_of_its_own(root: Path, tmp_path: Path) -> None:
    assert spawn_maintenance(IndexPath(root / ".coderag"), root).wait() == 0
    assert len(segments(root)) == 1
    check(root, tmp_path)


def test_updates_go_on(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile() -> None:
        write(root, {"part_0.py": "def part_zero():\n    return 0\n", "new.py": "def new():\n    return 1\n"})
        (root / "part_2.py").unlink()
        Index.open(root).update(workers=0)

    merged = between(monkeypatch, meanwhile)
    assert merge_index(IndexPath(root / ".coderag"))
    assert merged == [1]
    assert len(segments(root)) == 2  # part_0.py and part_2.py had segments of their own, which went meanwhile
    check(root, tmp_path)


def test_a_file_that_came_back_meanwhile(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"part_5.py": "x = 1\n", "both.py": "def both():\n    return 1\n"})
    Index.open(root).update(workers=0)
    (root / "both.py").unlink()
    Index.open(root).update(workers=0)

    def meanwhile() -> None:
        write(root, {"both.py": "def both():\n    return 1\n"})
        index = Index.open(root)
        index.update(workers=0)
        assert (index.reports[0].read, index.reports[0].reused) == (0, 1)

    between(monkeypatch, meanwhile)
    before = segments(root)
    assert not merge_index(IndexPath(root / ".coderag"))  # what it made lacks the file
    assert segments(root) == before
    check(root, tmp_path)


@pytest.mark.parametrize("encoder", [None, "none"])
def test_an_index_that_is_made_anew_meanwhile(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str | None
) -> None:
    between(monkeypatch, lambda: Index.build(root, encoder=encoder, workers=0).close())
    assert not merge_index(IndexPath(root / ".coderag"))
    assert len(segments(root)) == 1
    if encoder is None:
        check(root, tmp_path)


def test_another_merge_is_left_in_peace(root: Path) -> None:
    with FileLock(root / ".coderag" / MERGING_LOCK):
        write(root / ".coderag" / MERGING, {"x/text.bin": "of a merge at work"})
        assert not merge_index(IndexPath(root / ".coderag"))
        Index.open(root).update(workers=0)
        assert (root / ".coderag" / MERGING).exists()


def test_what_a_killed_merge_left_goes_with_the_next_update(root: Path, tmp_path: Path) -> None:
    folder = root / ".coderag"
    write(folder / MERGING, {"18ea-1/text.bin": "half a segment"})
    shutil.copytree(folder / SEGMENTS / segments(root)[0], folder / SEGMENTS / "18ea-2")  # moved there, and not named
    Index.open(root).update(workers=0)
    check(root, tmp_path)


def test_a_damaged_segment_is_not_merged(root: Path) -> None:
    path = root / ".coderag" / SEGMENTS / segments(root)[0] / "text.bin"
    raw = bytearray(path.read_bytes())
    raw[10] ^= 1
    path.write_bytes(raw)
    before = segments(root)
    with pytest.raises(IndexDamagedError):
        merge_index(IndexPath(root / ".coderag"))
    assert segments(root) == before
    assert not (root / ".coderag" / MERGING).exists()


def test_a_disk_that_is_full(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = segments(root)
    monkeypatch.setattr(merging, "file_lock", full)
    with pytest.raises(IndexWriteError, match="no space left"):
        merge_index(IndexPath(root / ".coderag"))
    assert segments(root) == before


@pytest.mark.slow
def test_small_segments_do_not_pile_up_behind_a_large_one(tmp_path: Path) -> None:
    many = "".join(f"def base_{number}():\n    return {number}\n\n\n" for number in range(QUICK_CHUNKS // 2))
    root = write(tmp_path / "root", {f"base_{number}.py": many for number in range(3)})
    with Index.build(root, workers=0) as index:
        write(root, {"base_0.py": "x = 1\n"})  # a third of the large segment is dead: it is due, and not quickly merged
        for number in range(14):
            write(root, {f"part_{number}.py": f"def part_{number}():\n    return {number}\n"})
            index.update(workers=0)
            assert index.reports[0].merge_due
            assert len(segments(root)) <= 7
        assert index.merge()
    check(root, tmp_path)


def between(monkeypatch: pytest.MonkeyPatch, meanwhile) -> list[int]:  # type: ignore[no-untyped-def]
    """Do something when a merge has made its segments, and has not published them."""
    whole, called = merging.merge_parts, [0]

    def merge_parts(*args, **kwargs):  # type: ignore[no-untyped-def]
        made = whole(*args, **kwargs)
        called[0] += 1
        meanwhile()
        return made

    monkeypatch.setattr(merging, "merge_parts", merge_parts)
    return called


@pytest.mark.slow
def test_which_are_merged(root: Path) -> None:
    folder = root / ".coderag"
    manifest = read_manifest(IndexPath(folder))
    parts = [
        SegmentRef.open(IndexPath(folder), entry, vectors=manifest.vectors, stamps={}) for entry in manifest.segments
    ]
    assert [part.entry.name for part in due_for_merging(parts)] == segments(root)
    assert quick_to_merge(parts) == parts
    assert due_for_merging(parts[:4]) == []
    assert quick_to_merge([]) == []
