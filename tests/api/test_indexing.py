"""A first index in parts, by a process of its own."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from coderag import Index
from coderag.api.indexing import FIRST_FILES, IndexingProgress, indexing_progress, spawn_indexing
from coderag.api.roots import Root, resolve_roots
from coderag.api.updater import IndexUpdater
from coderag.errors import CoderagError
from coderag.index.build.job import BuildOptions
from coderag.index.storage.folder.lock import the_only_one
from tests.workspace import answers, copy_shop, index_file, write

PATIENCE_SECONDS = 120.0
MANY = {f"m{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(3 * FIRST_FILES)}


def root_of(path: Path) -> Root:
    return resolve_roots([path])[0]


@pytest.mark.slow
def test_parts_become_the_index_that_a_build_makes(tmp_path: Path) -> None:
    whole = Index.build(copy_shop(tmp_path / "a/shop"), workers=0)
    root = root_of(copy_shop(tmp_path / "b/shop"))
    updater = IndexUpdater([root])
    left: list[int] = []
    while not left or left[-1]:
        report = updater.update_one(root, BuildOptions(workers=0, most_files=9))
        left.append(report.left)
        assert len(Index.of([root])) == report.chunks
    updater.close()
    assert len(left) > 2
    assert left == sorted(left, reverse=True)
    parts = Index.of([root])
    assert [[row[:5] for row in rows] for rows in answers(parts)] == [
        [row[:5] for row in rows] for rows in answers(whole)
    ]
    assert parts.is_fresh()


@pytest.mark.slow
def test_a_process_completes_an_index_and_its_graph(tmp_path: Path) -> None:
    root = root_of(write(tmp_path / "many", MANY))
    process = spawn_indexing(root)
    assert process.wait(PATIENCE_SECONDS) == 0
    index = Index.of([root])
    assert len(index) >= len(MANY)
    assert index.is_fresh()
    assert index.graph_state().is_current
    assert indexing_progress(root.folder) is None


@pytest.mark.slow
def test_there_is_one_such_process(tmp_path: Path) -> None:
    root = root_of(write(tmp_path / "many", MANY))
    root.folder.make_folders()
    with the_only_one(root.folder / "indexing.lock") as alone:
        assert alone
        assert indexing_progress(root.folder) == IndexingProgress(0, 0)
        assert spawn_indexing(root).wait(PATIENCE_SECONDS) == 0
        with pytest.raises(CoderagError, match="there is no index"):
            Index.of([root])


@pytest.mark.slow
def test_one_that_is_killed_is_continued(tmp_path: Path) -> None:
    root = root_of(write(tmp_path / "many", MANY))
    process = spawn_indexing(root)
    manifest = tmp_path / "many/.coderag/manifest.json"
    end = time.monotonic() + PATIENCE_SECONDS
    while not manifest.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert indexing_progress(root.folder) is None
    assert 0 < len(Index.of([root])) <= 2 * len(MANY)
    assert spawn_indexing(root).wait(PATIENCE_SECONDS) == 0
    index = Index.of([root])
    assert len(index) >= len(MANY)
    assert index.is_fresh()


@pytest.mark.parametrize("said", [b"", b"{", b"[]", b'{"files": 3}', b'{"files": 9, "all_files": 2}', b"\xff" * 5000])
def test_what_is_said_of_the_progress_is_not_believed(tmp_path: Path, said: bytes) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "indexing.json").write_bytes(said)
    with the_only_one(index_file(folder) / "indexing.lock"):
        assert indexing_progress(index_file(folder)) in (IndexingProgress(0, 0), None)


@pytest.mark.slow
def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    root = root_of(write(tmp_path / "evil", {"a.py": "def a(): pass\n"}))
    root.folder.make_folders()
    (tmp_path / "evil/.coderag/indexing.lock").symlink_to(target)
    assert spawn_indexing(root).wait(PATIENCE_SECONDS) == 0
    assert target.read_text() == "precious"
    assert not (tmp_path / "evil/.coderag/manifest.json").exists()
