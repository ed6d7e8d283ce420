"""An index that follows its files: whatever is done to them, it ends up as one that is made anew."""

from __future__ import annotations

import os
import queue
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from coderag import CoderagError, Index
from coderag.errors import RootError, SettingsError
from coderag.index.build.watch.watch_loop import SLICE_FILES, Update
from tests.growth import HANG_SECONDS
from tests.workspace import REPOSITORY, place, write

pytestmark = pytest.mark.slow


class Following:
    """An index that a thread keeps up to date."""

    def __init__(self, index: Index, poll: float | None) -> None:
        self.index = index
        self.updates: list[Update] = []
        self.failure: CoderagError | None = None
        self._poll = poll
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def _follow(self) -> None:
        try:
            for update in self.index.watch(stop=self._stop, poll=self._poll):
                self.updates.append(update)
                self._news.put(None)
        except CoderagError as error:
            self.failure = error
        self._news.put(None)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for updates until something holds; raises queue.Empty when none comes."""
        while not condition():
            self._news.get(timeout=HANG_SECONDS)

    def end(self) -> None:
        self._stop.set()
        self._thread.join(HANG_SECONDS)
        assert not self._thread.is_alive()

    def ended(self) -> bool:
        return not self._thread.is_alive() or self.failure is not None

    def has(self, *wanted: str) -> Callable[[], bool]:
        return lambda: all(is_found(self.index, one) for one in wanted)

    def lacks(self, *unwanted: str) -> Callable[[], bool]:
        return lambda: not any(is_found(self.index, one) for one in unwanted)


def is_found(index: Index, place: str) -> bool:
    """Tell whether an index knows a definition, given as `path:name`."""
    path, _, name = place.partition(":")
    return path in {symbol.path for symbol in index.symbols(name, k=100, alike=False)}


def code(name: str) -> str:
    return f"def {name}():\n    return 42\n"


@contextmanager
def following(*roots: Path, poll: float | None = None) -> Iterator[Following]:
    with Index.build(*roots, workers=1) as index:
        followed = Following(index, poll)
        try:
            yield followed
        finally:
            followed.end()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "root",
        {
            ".gitignore": "*.log\nout/\n",
            "src/one.py": code("one"),
            "src/two.py": code("two"),
            "deep/er/three.py": code("three"),
        },
    )


def git(root: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=Some One", "-c", "user.email=one@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *arguments], cwd=root, check=True, capture_output=True)


def test_files_that_are_edited_made_and_removed(root: Path) -> None:
    with following(root) as followed:
        write(root, {"src/one.py": code("uno"), "src/four.py": code("four")})
        (root / "src/two.py").unlink()
        followed.until(followed.has("src/one.py:uno", "src/four.py:four"))
        followed.until(followed.lacks("src/one.py:one", "src/two.py:two"))
        assert {str(one.root) for one in followed.updates} == {str(root)}


def test_an_editor_that_writes_beside_and_renames(root: Path) -> None:
    with following(root) as followed:
        for turn in range(3):
            write(root, {"src/.one.py.swp": "x", "src/one.py~new": code(f"turn{turn}")})
            (root / "src/one.py~new").replace(root / "src/one.py")
            (root / "src/.one.py.swp").unlink()
            followed.until(followed.has(f"src/one.py:turn{turn}"))
        assert len(followed.index) == 3


def test_folders_that_come_move_go_and_come_again(root: Path) -> None:
    with following(root) as followed:
        write(root, {"new/a/b/c.py": code("c")})
        followed.until(followed.has("new/a/b/c.py:c"))
        write(root, {"new/a/b/d.py": code("d")})
        followed.until(followed.has("new/a/b/d.py:d"))
        (root / "new/a").rename(root / "moved")
        followed.until(followed.has("moved/b/c.py:c"))
        followed.until(followed.lacks("new/a/b/c.py:c", "new/a/b/d.py:d"))
        shutil.rmtree(root / "moved")
        followed.until(followed.lacks("moved/b/c.py:c"))
        write(root, {"moved/b/e.py": code("e")})
        followed.until(followed.has("moved/b/e.py:e"))
        write(root, {"moved/b/f.py": code("f")})
        followed.until(followed.has("moved/b/f.py:f"))


def test_what_is_ignored_makes_no_update(root: Path) -> None:
    with following(root) as followed:
        write(root, {"src/much.log": "x\n", "out/made.py": code("made"), ".git/HEAD": "ref: x\n"})
        write(root, {"src/much.log": "y\n", "out/more.py": code("more")})
        place(root / "src/five.py", code("five"))
        followed.until(followed.has("src/five.py:five"))
        assert [one.report.read for one in followed.updates if one.report] == [1]


def test_rules_that_change(root: Path) -> None:
    with following(root) as followed:
        write(root, {"out/made.py": code("made"), ".gitignore": "deep/\n"})
        followed.until(followed.has("out/made.py:made"))
        followed.until(followed.lacks("deep/er/three.py:three"))
        write(root, {"out/more.py": code("more")})
        followed.until(followed.has("out/more.py:more"))


def test_a_switch_of_branches(root: Path) -> None:
    write(root, {f"many/m{number}.py": code(f"m{number}") for number in range(60)})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    git(root, "switch", "-qc", "other")
    write(root, {f"many/m{number}.py": code(f"other{number}") for number in range(0, 60, 2)})
    write(root, {"only/other.py": code("only")})
    shutil.rmtree(root / "deep")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "second")
    git(root, "switch", "-q", "main")
    with following(root) as followed:
        for _ in range(2):
            git(root, "switch", "-q", "other")
            followed.until(followed.has("many/m58.py:other58", "only/other.py:only", "many/m0.py:other0"))
            followed.until(followed.lacks("many/m58.py:m58", "deep/er/three.py:three"))
            git(root, "switch", "-q", "main")
            followed.until(followed.has("many/m58.py:m58", "many/m0.py:m0", "deep/er/three.py:three"))
            followed.until(followed.lacks("only/other.py:only"))
        with Index.build(root, index=root.parent / "anew", workers=1) as anew:
            for path in ("many/m0.py", "many/m1.py", "deep/er/three.py", "src/one.py"):
                assert followed.index.outline(path) == [
                    replace(one, repository=followed.index.roots[0].repository) for one in anew.outline(path)
                ]
            assert len(followed.index) == len(anew)


def test_many_changes_are_read_in_slices(root: Path) -> None:
    count = SLICE_FILES + 40
    with following(root) as followed:
        write(root, {f"many/f{number}/a.py": code(f"f{number}") for number in range(count)})
        followed.until(lambda: len(followed.index) == count + 3)
        reports = [one.report for one in followed.updates if one.report]
        assert len(reports) > 1
        assert max(report.read for report in reports) <= SLICE_FILES


def test_a_failure_is_told_and_the_watch_goes_on(root: Path) -> None:
    with following(root) as followed:
        write(root, {"coderag.toml": "content = [", "src/one.py": code("uno")})
        followed.until(lambda: any(isinstance(one.error, SettingsError) for one in followed.updates))
        write(root, {"coderag.toml": ""})
        followed.until(followed.has("src/one.py:uno"))


def test_an_index_that_is_removed_is_made_again(root: Path) -> None:
    with following(root) as followed:
        write(root, {"src/five.py": code("five")})
        followed.until(followed.has("src/five.py:five"))
        shutil.rmtree(root / ".coderag")
        write(root, {"src/six.py": code("six")})
        followed.until(followed.has("src/six.py:six", "src/one.py:one"))


def test_a_root_that_is_removed_ends_it(root: Path) -> None:
    with following(root) as followed:
        write(root, {"src/six.py": code("six")})
        followed.until(followed.has("src/six.py:six"))
        shutil.rmtree(root)
        followed.until(followed.ended)
        assert isinstance(followed.failure, RootError)
        assert not root.exists()


def test_a_root_that_is_replaced_is_followed_on(root: Path) -> None:
    with following(root) as followed:
        write(root, {"src/six.py": code("six")})
        followed.until(followed.has("src/six.py:six"))
        write(root.parent / "next", {"src/seven.py": code("seven")})
        root.rename(root.parent / "old")
        (root.parent / "next").rename(root)
        followed.until(followed.has("src/seven.py:seven"))
        write(root, {"src/eight.py": code("eight")})
        followed.until(followed.has("src/eight.py:eight"))


def test_names_that_are_not_utf8(root: Path) -> None:
    with following(root) as followed:
        for turn in range(2):
            Path(os.fsdecode(os.fsencode(root / "src") + b"/\xff.py")).write_text(code(f"strange{turn}"))
            followed.until(followed.has(f"src/\udcff.py:strange{turn}"))
        write(root, {"src/nine.py": code("nine")})
        followed.until(followed.has("src/nine.py:nine"))


def test_several_roots(root: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"a.py": code("a")})
    with following(root, other) as followed:
        place(other / "b.py", code("b"))
        followed.until(followed.has("b.py:b"))
        place(root / "src/c.py", code("c"))
        followed.until(followed.has("src/c.py:c", "a.py:a"))
        assert [one.repository for one in followed.updates] == ["other", "root"]


def test_looking_now_and_then(root: Path) -> None:
    with following(root, poll=0.05) as followed:
        write(root, {"src/one.py": code("uno"), "new/ten.py": code("ten")})
        followed.until(followed.has("src/one.py:uno", "new/ten.py:ten"))
        write(root, {"new/ten.py": code("eleven")})
        followed.until(followed.has("new/ten.py:eleven"))


def test_what_changed_before_it_began_is_read(root: Path) -> None:
    with Index.build(root, workers=1) as index:
        write(root, {"src/one.py": code("uno")})
        update = next(index.watch())
        assert update.report is not None
        assert update.report.read == 1
        assert is_found(index, "src/one.py:uno")


def test_a_limit_of_the_system_is_told_with_what_to_do() -> None:
    script = (
        "import resource\n"
        "from coderag.index.build.watch.fs_events import Watcher\n"
        "from coderag.errors import WatchError\n"
        "import watchfiles._rust_notify\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (3, {resource.getrlimit(resource.RLIMIT_NOFILE)[1]}))\n"
        "try:\n"
        "    Watcher(['/'])\n"
        "except WatchError as error:\n"
        "    print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "fs.inotify.max_user_watches=524288" in told.stdout
