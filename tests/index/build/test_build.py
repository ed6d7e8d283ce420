"""Builds and updates of real repositories: whatever the way to an index, its answers are the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coderag import Index
from coderag.files.walk import SkipReason
from coderag.index.build.job import Progress
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from tests.workspace import SHOP, answers, copy_shop, let_clock_tick, write

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return copy_shop(tmp_path / "shop")


def fresh(root: Path, folder: Path) -> Index:
    return Index.build(root, index=folder, workers=0)


def segments(root: Path) -> int:
    return len(read_manifest(IndexPath(root / ".coderag")).segments)


def test_any_number_of_workers_gives_the_same_index(tmp_path: Path) -> None:
    none, one, two = (Index.build(SHOP, index=tmp_path / str(count), workers=count) for count in (0, 1, 2))
    assert answers(none) == answers(one) == answers(two)
    assert none.reports[0].skipped == one.reports[0].skipped == two.reports[0].skipped
    (written,) = (tmp_path / "0/segments").iterdir()
    for other in "12":
        (same,) = (tmp_path / other / "segments").iterdir()
        assert (same / "arrays.bin").read_bytes() == (written / "arrays.bin").read_bytes()
        assert (same / "text.bin").read_bytes() == (written / "text.bin").read_bytes()


def edit(root: Path) -> None:
    path = root / "shop/payments/retry.py"
    path.write_text(path.read_text().replace("def backoff_delay", "def wait_before_retry"))


def add(root: Path) -> None:
    write(root, {"shop/gifts.py": "def wrap_gift(order):\n    '''Put an order into gift paper.'''\n    return order\n"})


def delete(root: Path) -> None:
    (root / "shop/cart.py").unlink()
    shutil.rmtree(root / "worker")


def rename(root: Path) -> None:
    (root / "shop/payments/retry.py").rename(root / "shop/payments/again.py")
    (root / "shop/routes").rename(root / "shop/views")


def touch(root: Path) -> None:
    os.utime(root / "shop/money.py")


def restore_an_old_version(root: Path) -> None:
    path = root / "shop/money.py"
    path.write_text("def old_money():\n    return 0\n")
    os.utime(path, (1, 1))  # as rsync and tar do: new text, old time


def ignore(root: Path) -> None:
    (root / ".gitignore").write_text("shop/payments/\n")


def everything(root: Path) -> None:
    for change in (edit, add, delete, touch, restore_an_old_version):
        change(root)


CHANGES = (edit, add, delete, rename, touch, restore_an_old_version, ignore, everything)


@pytest.mark.parametrize("change", CHANGES)
def test_an_updated_index_answers_like_a_fresh_one(shop: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    index = Index.build(shop, workers=0)
    change(shop)
    assert not index.is_fresh()
    index.update(workers=0)
    again = fresh(shop, tmp_path / "fresh")
    assert answers(index) == answers(again)
    assert len(index) == len(again) == index.reports[0].chunks
    reopened = Index.open(shop)
    assert answers(reopened) == answers(again)
    assert [symbol.name for symbol in reopened.symbols("wait_before_retry")] == [
        symbol.name for symbol in again.symbols("wait_before_retry")
    ]


def test_update_says_what_it_did(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    assert index.reports[0].unchanged == 0
    add(shop)
    edit(shop)
    (shop / "shop/cart.py").unlink()
    index.update(workers=0)
    report = index.reports[0]
    assert (report.read, report.removed, report.rebuilt) == (2, 1, "")
    assert report.unchanged == sum(status.files for status in index.status()) - 2
    index.update(workers=0)
    assert (index.reports[0].read, index.reports[0].removed) == (0, 0)


def test_many_updates_merge_their_segments(shop: Path, tmp_path: Path) -> None:
    index = Index.build(shop, workers=0)
    most = 0
    for number in range(12):
        write(
            shop, {f"shop/feature_{number}.py": f"def feature_{number}(order):\n    return order.number == {number}\n"}
        )
        if number % 3 == 0:
            write(shop, {"shop/feature_0.py": f"def feature_0(order):\n    return {number}\n"})
        index.update(workers=0)
        most = max(most, segments(shop))
    assert most > 2
    assert segments(shop) <= 7
    assert len(list((shop / ".coderag/segments").iterdir())) == segments(shop)
    again = fresh(shop, tmp_path / "fresh")
    assert answers(index) == answers(again)
    for path in ("shop/feature_0.py", "shop/feature_11.py", "shop/money.py"):
        assert index.chunks(path) == again.chunks(path)
        assert index.outline(path) == again.outline(path)


def test_the_same_text_keeps_its_id(shop: Path) -> None:
    index = Index.build(shop, workers=0)
    before = {chunk.qualified_name: chunk.id for chunk in index.chunks("shop/payments/retry.py")}
    path = shop / "shop/payments/retry.py"
    path.write_text("# A comment of one line.\n\n" + path.read_text().replace("def backoff_delay", "def delay"))
    index.update(workers=0)
    after = {chunk.qualified_name: chunk.id for chunk in index.chunks("shop/payments/retry.py")}
    assert "delay" in after
    kept = before.keys() & after.keys() - {"retry"}
    assert "PaymentRetrier.retry_failed" in kept
    moved = [name for name in kept if before[name] == after[name]]
    assert "PaymentRetrier.due" in moved or len(moved) >= len(kept) - 2


def test_who_opened_an_index_before_an_update_goes_on_reading_it(shop: Path) -> None:
    Index.build(shop, workers=0)
    reader, other = Index.open(shop), Index.open(shop)
    expected = answers(other)
    everything(shop)
    Index.build(shop, workers=0)  # removes every file that the reader has open
    assert answers(reader) == expected
    assert reader.chunks("shop/cart.py")[0].text
    assert not reader.is_fresh()


def test_a_root_with_nothing_in_it(tmp_path: Path) -> None:
    root = tmp_path / "nothing"
    root.mkdir()
    for workers in (None, 0, 2):
        index = Index.build(root, workers=workers)
        assert (len(index), index.reports[0].read, index.search("anything")) == (0, 0, [])
        assert index.symbols("anything") == []
    write(root, {"a.py": "def something():\n    return 1\n"})
    index.update(workers=0)
    assert index.search("something")[0].chunk.path == "a.py"
    (root / "a.py").unlink()
    index.update(workers=0)
    assert (len(index), index.search("something")) == (0, [])


def test_files_that_are_no_text_are_not_read_again(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "x = 1\n", "b.py": b"x = '\0\1\2'\n"})
    index = Index.build(root, workers=0)
    for _ in range(2):
        assert [(one.path, one.reason) for one in index.reports[0].skipped if one.path == "b.py"] == [
            ("b.py", SkipReason.BINARY)
        ]
        let_clock_tick()
        index.update(workers=0)
        assert index.reports[0].read == 0
    write(root, {"b.py": "def now_it_is_text():\n    return 1\n"})
    index.update(workers=0)
    assert index.search("now_it_is_text")[0].chunk.path == "b.py"


def test_the_size_limit_is_the_callers(tmp_path: Path) -> None:
    lines = b"# A line that says nothing.\n" * 150_000 + b"\ndef at_the_end():\n    return 1\n"
    root = write(tmp_path / "root", {"large.py": lines, "small.py": "def small():\n    return 1\n"})
    index = Index.build(root, workers=0)
    assert [one.path for one in index.reports[0].skipped if one.reason is SkipReason.TOO_LARGE] == ["large.py"]
    index.update(workers=1, max_bytes=len(lines))
    assert index.reports[0].rebuilt == "the index was made with other options"
    assert index.symbols("at_the_end")[0].path == "large.py"


def test_progress_reaches_the_end(shop: Path) -> None:
    seen: list[Progress] = []
    index = Index.build(shop, workers=1, watch=seen.append)
    assert [one.files for one in seen] == sorted(one.files for one in seen)
    last = seen[-1]
    assert (last.files, last.bytes, last.chunks) == (last.all_files, last.all_bytes, len(index))


def test_several_roots_are_searched_as_one(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"src/a.py": f"def only_in_{name}():\n    return 1\n\ndef in_both():\n    return 2\n"})
    index = Index.build(tmp_path / "one", tmp_path / "two", workers=0)
    assert index.search("only_in_two")[0].chunk.repository == "two"
    assert {hit.chunk.repository for hit in index.search("in_both")[:2]} == {"one", "two"}
    assert [symbol.repository for symbol in index.symbols("in_both")] == ["one", "two"]
