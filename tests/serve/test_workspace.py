"""An index that is made, kept fresh and made again while it is asked."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.api.roots import resolve_roots
from coderag.errors import CoderagError, IndexLockedError, IndexMissingError, RootError
from coderag.serve.workspace import FEW_FILES, View, Workspace
from tests.workspace import let_clock_tick, write

pytestmark = pytest.mark.slow

PATIENCE_SECONDS = 120.0  # of a machine that does a hundred things at once

FILES = {f"part{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(5)}


def until(answer: Callable[[], bool]) -> None:
    """Ask until it is so; a call that says that there is no index yet is asked again."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            if answer():
                return
        except IndexMissingError:
            pass
        time.sleep(0.05)
    pytest.fail(f"not so after {PATIENCE_SECONDS:.0f} s")


def names(view: View) -> set[str]:
    return {hit.chunk.name for hit in view.index.search("part", k=1000)}


def built(root: Path) -> Path:
    Index.build(write(root, FILES), workers=0).close()
    return root


def test_a_root_without_an_index_gets_one(tmp_path: Path) -> None:
    root = write(tmp_path / "new", FILES)
    with Workspace(resolve_roots([root])) as workspace:
        until(lambda: {"part_0", "part_4"} <= names(workspace.view()))
        until(lambda: workspace.view().notes == ())
        until(lambda: bool(workspace.with_graph(workspace.view()).index.refs("part_0")))


def test_no_call_waits_for_a_first_index(tmp_path: Path) -> None:
    many = {f"m{number}.py": f"def part_{number}():\n    return {number}\n" * 40 for number in range(700)}
    root = write(tmp_path / "many", many)
    with Workspace(resolve_roots([root])) as workspace:
        seen: list[tuple[str, ...]] = []

        def is_complete() -> bool:
            view = workspace.view()
            seen.append(view.notes)
            return view.notes == () and len(view.index) >= len(many)

        until(is_complete)
    assert all("is being indexed" in note or "being" in note for notes in seen for note in notes)


def test_an_edit_is_in_the_next_answer(tmp_path: Path) -> None:
    root = built(tmp_path / "edited")
    with Workspace(resolve_roots([root])) as workspace:
        assert "part_new" not in names(workspace.view())
        let_clock_tick()
        (root / "part0.py").write_text("def part_new():\n    return 0\n")
        until(lambda: "part_new" in names(workspace.view()))
        assert "part_0" not in names(workspace.view())
        let_clock_tick()
        (root / "part1.py").unlink()
        until(lambda: "part_1" not in names(workspace.view()))


def test_a_first_update_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_index: Index, **_: object) -> None:
        raise IndexLockedError("another process writes the index")

    root = built(tmp_path / "edited")
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        let_clock_tick()
        (root / "part0.py").write_text("def part_new():\n    return 0\n")
        with monkeypatch.context() as patched:
            patched.setattr(Index, "update", fail)
            view = workspace.view()
        assert view.notes == ("changed files could not be read: another process writes the index",)
        assert "part_0" in names(view)
        until(lambda: "part_new" in names(workspace.view()))


def test_many_changed_files_are_read_behind_the_answer(tmp_path: Path) -> None:
    root = built(tmp_path / "switched")
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        let_clock_tick()
        count = 2 * FEW_FILES + 10
        write(root, {f"new/n{number}.py": f"def part_n{number}():\n    pass\n" for number in range(count)})
        until(lambda: workspace.view().notes == () and len(workspace.view().index) >= count)


def test_another_process_replaces_the_index(tmp_path: Path) -> None:
    root = built(tmp_path / "replaced")
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        let_clock_tick()
        (root / "part0.py").write_text("def part_other():\n    return 0\n")
        Index.ensure(root, workers=0).close()
        assert "part_other" in names(workspace.view())


def test_an_index_that_is_deleted_is_made_again(tmp_path: Path) -> None:
    root = built(tmp_path / "deleted")
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        shutil.rmtree(root / ".coderag")
        until(lambda: "part_0" in names(workspace.view()) and (root / ".coderag/manifest.json").exists())


def test_an_index_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    root = built(tmp_path / "damaged")
    (root / ".coderag/manifest.json").write_bytes(b"{")
    with Workspace(resolve_roots([root])) as workspace:
        until(lambda: "part_0" in names(workspace.view()))


def test_a_root_that_went_and_came_back(tmp_path: Path) -> None:
    root = built(tmp_path / "gone")
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        root.rename(tmp_path / "elsewhere")
        for look in (workspace.view, workspace.glance):
            with pytest.raises(RootError, match="is gone"):
                look()
        (tmp_path / "elsewhere").rename(root)
        until(lambda: "part_0" in names(workspace.view()))


def test_one_root_answers_before_the_other(tmp_path: Path) -> None:
    roots = [built(tmp_path / "old"), write(tmp_path / "new", {"late.py": "def part_late():\n    pass\n"})]
    with Workspace(resolve_roots(roots)) as workspace:
        assert "part_0" in names(workspace.view())
        until(lambda: "part_late" in names(workspace.view()))


def test_callers_see_what_their_groups_may(tmp_path: Path) -> None:
    rules = '[[access]]\npaths = ["part0.py"]\ngroups = ["staff"]\n'
    root = write(tmp_path / "guarded", FILES | {"coderag.toml": rules})
    Index.build(root, workers=0).close()
    with Workspace(resolve_roots([root]), callers=[frozenset()]) as workspace:
        assert "part_0" not in names(workspace.view())
        assert "part_1" in names(workspace.view())
        assert not workspace.with_graph(workspace.view()).index.refs("part_0")
    with Workspace(resolve_roots([root]), callers=[frozenset({"staff"})]) as workspace:
        assert "part_0" in names(workspace.view())


def test_threads_ask_at_once_while_files_change(tmp_path: Path) -> None:
    root = built(tmp_path / "threads")
    failures: list[BaseException] = []
    with Workspace(resolve_roots([root])) as workspace:

        def ask() -> None:
            try:
                for _ in range(10):
                    assert "part_1" in names(workspace.view())
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(5):
            let_clock_tick()
            (root / "part0.py").write_text(f"def part_edit_{number}():\n    return 0\n")
        for thread in threads:
            thread.join()
        assert not failures
        until(lambda: "part_edit_4" in names(workspace.view()))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="tells processes by /proc")
def test_no_reader_is_left(tmp_path: Path) -> None:
    root = built(tmp_path / "left")
    before = readers()
    with Workspace(resolve_roots([root])) as workspace:
        workspace.view()
        let_clock_tick()
        (root / "part0.py").write_text("def part_new():\n    return 0\n")
        until(lambda: "part_new" in names(workspace.view()))
        assert readers() - before
    until(lambda: not readers() - before)


def readers() -> set[int]:
    """Return the processes of this one that read files."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            command = folder.joinpath("cmdline").read_bytes()
        except OSError:
            continue  # it ended
        if parent == os.getpid() and b"coderag.index.workers" in command:
            found.add(int(folder.name))
    return found


def test_an_index_of_a_newer_version_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = built(tmp_path / "newer")
    monkeypatch.setattr("coderag.index.storage.manifest.FORMAT", 1)
    with Workspace(resolve_roots([root])) as workspace, pytest.raises(CoderagError, match="a newer version"):
        workspace.view()
