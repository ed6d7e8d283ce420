"""Indexes that go to a store, and come from it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import (
    IndexDamagedError,
    IndexMissingError,
    IndexUntrustedError,
    IndexWriteError,
    QueryError,
    RemoteStoreError,
)
from coderag.index.remote.cache import pulled_size, trim_pulled
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.pull import Pulled, pull_index, pulled_folder
from coderag.index.remote.push import push_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.folder.lock import is_locked
from tests.index.trees import state_of
from tests.s3 import empty_bucket
from tests.workspace import write

pytest.importorskip("fsspec")

FILES: dict[str, str | bytes] = {
    f"src/file_{number}.py": f'def alpha_{number}(beta):\n    """Restore the backup."""\n    return beta * {number}\n'
    for number in range(8)
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with nothing in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/coderag"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository, indexed."""
    made = write(tmp_path / "app", FILES)
    Index.build(made, workers=0, graph=False).close()
    return made


@pytest.fixture(params=["folder", "memory", pytest.param("s3", marks=[pytest.mark.dev, pytest.mark.slow])])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """A store with nothing in it."""
    if request.param == "folder":
        yield ObjectStore((tmp_path / "store").as_uri())
        return
    if request.param == "s3":
        yield ObjectStore(f"s3://{empty_bucket(monkeypatch)}/indexes")
        return
    import fsspec

    yield ObjectStore("memory://indexes")
    fsspec.filesystem("memory").rm("/", recursive=True)


def folder_of(root: Path) -> IndexPath:
    return IndexPath(root, (".coderag",))


def update(root: Path) -> None:
    """Bring an index up to date by one more segment."""
    with Index.ensure(root, workers=0, graph=False):
        pass


def joined(root: Path, store: ObjectStore, *, trusted: bool = False) -> Index:
    """Return the index of a root, of what an index in the store has."""
    with pull_index(store, name="app") as pulled:
        return Index.ensure(root, parts=[pulled.folder], workers=0, graph=False, cache=False, trust_parts=trusted)


def pull(store: ObjectStore, name: str = "app") -> Pulled:
    """Bring an index of the store into the cache."""
    with pull_index(store, name=name) as pulled:
        return pulled


def test_what_is_pushed_is_pulled(root: Path, store: ObjectStore, tmp_path: Path) -> None:
    pushed = push_index(folder_of(root), store, name="app")
    assert (pushed.uploaded, pushed.removed) == (pushed.files, 0)
    clone = write(tmp_path / "clone/app", FILES)
    index = joined(clone, store)
    assert index.reports[0].read == 0
    assert state_of(index) == state_of(Index.build(clone, index=tmp_path / "fresh", workers=0, cache=False))


def test_only_what_is_new_goes_and_comes(root: Path, store: ObjectStore) -> None:
    push_index(folder_of(root), store, name="app")
    first = pull(store)
    assert push_index(folder_of(root), store, name="app").uploaded == 0
    (root / "src/new.py").write_text("def epsilon():\n    return 5\n" * 3)
    update(root)
    again = push_index(folder_of(root), store, name="app")
    second = pull(store)
    assert 0 < again.uploaded < again.files
    assert (first.downloaded, second.downloaded) == (first.files, again.uploaded)


def test_what_no_index_names_is_removed_when_it_is_old(root: Path, store: ObjectStore) -> None:
    first = push_index(folder_of(root), store, name="app")
    push_index(folder_of(root), store, name="app/kept")
    for path in root.glob("src/*.py"):
        path.write_text(path.read_text().replace("alpha", "delta"))
    Index.build(root, workers=0, graph=False, cache=False).close()
    assert push_index(folder_of(root), store, name="app", prune=True, grace=0).removed == 0
    push_index(folder_of(root), store, name="app/kept")
    assert push_index(folder_of(root), store, name="app", prune=True).removed == 0  # nothing is a day old
    last = push_index(folder_of(root), store, name="app", prune=True, grace=0)
    assert last.removed == first.files
    assert len(list(store.names("objects"))) == last.files


def test_halves_of_uploads_are_removed_when_they_are_old(root: Path, store: ObjectStore) -> None:
    pushed = push_index(folder_of(root), store, name="app")
    halves = [
        f"objects/{'0' * 64}.0123456789ab.tmp",
        "indexes/app.json.0123456789ab.tmp",
        "indexes/team/web.json.0123456789ab.tmp",
    ]
    others = ["objects/notes.tmp", f"objects/{'0' * 64}.tmp", "indexes/app.tmp"]
    for name in (*halves, *others):
        store.write(name, b"half")
    assert push_index(folder_of(root), store, name="app", prune=True).removed == 0  # nothing is a day old
    assert push_index(folder_of(root), store, name="app", prune=True, grace=0).removed == len(halves)
    assert [store.size(name) for name in (*halves, *others)] == [-1] * len(halves) + [4] * len(others)
    assert pull(store).files == pushed.files


def test_a_push_that_breaks_off_changes_nothing(
    root: Path, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_index(folder_of(root), store, name="app")
    before = store.read("indexes/app.json", 1 << 20)
    (root / "src/file_0.py").write_text("def other():\n    return 0\n")
    update(root)
    upload = ObjectStore.upload
    sent = 0

    def breaking(self: ObjectStore, source: IndexPath, name: str) -> None:
        nonlocal sent
        if sent:
            raise RemoteStoreError("the line is dead")
        sent += 1
        upload(self, source, name)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "upload", breaking)
        with pytest.raises(RemoteStoreError, match="the line is dead"):
            push_index(folder_of(root), store, name="app")
    assert store.read("indexes/app.json", 1 << 20) == before
    clone = write(tmp_path / "clone/app", FILES)
    assert joined(clone, store).reports[0].read == 0
    there = len(list(store.names("objects")))
    resumed = push_index(folder_of(root), store, name="app")
    assert resumed.uploaded == len(list(store.names("objects"))) - there


def test_a_damaged_object_is_found_out(root: Path, tmp_path: Path) -> None:
    store = ObjectStore((tmp_path / "store").as_uri())
    push_index(folder_of(root), store, name="app")
    largest = max((tmp_path / "store/objects").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[-1] ^= 1
    largest.write_bytes(data)
    clone = write(tmp_path / "clone/app", FILES)
    with pytest.raises(IndexDamagedError, match="checksums do not match"):
        joined(clone, store)
    largest.write_bytes(data[:-1])
    (tmp_path / "cache/coderag/pulled").rename(tmp_path / "gone")
    with pytest.raises(RemoteStoreError, match="has not the"):
        pull(store)


def test_an_index_of_somebody_else_needs_a_word(
    root: Path, tmp_path: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_index(folder_of(root), store, name="app")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    clone = write(tmp_path / "clone/app", FILES)
    with pytest.raises(IndexUntrustedError, match="CODERAG_INDEX_KEY"):
        joined(clone, store)
    assert joined(clone, store, trusted=True).reports[0].read == 0


@pytest.mark.parametrize(
    "name", ["", "..", "../app", "a//b", "/app", "a/../b", "a b", "a\0", "x" * 101, "a/" * 9 + "b"]
)
def test_what_is_no_name(root: Path, store: ObjectStore, name: str) -> None:
    with pytest.raises(QueryError, match="is no name for an index on a store"):
        push_index(folder_of(root), store, name=name)
    with pytest.raises(QueryError, match="is no name for an index on a store"):
        pull(store, name)


def test_what_is_not_there_or_no_store(store: ObjectStore) -> None:
    with pytest.raises(IndexMissingError, match=r"there is no index 'app' at .*; \"coderag push\" writes one"):
        pull(store)
    for number in range(7):
        store.write(f"indexes/shop/part-{number}.json", b"")
    store.write("indexes/no name.json", b"")
    with pytest.raises(
        IndexMissingError, match=r"which has shop/part-0, .*, shop/part-4 and 2 more; name one by --name"
    ):
        pull(store)
    with pytest.raises(QueryError):
        ObjectStore("nosuchkind://x")


def test_a_manifest_of_any_bytes_is_damage(store: ObjectStore) -> None:
    store.write("indexes/app.json", b"{}" * 100)
    with pytest.raises(IndexDamagedError, match="does not match its checksum"):
        pull(store)


def test_files_of_one_content_lie_in_every_segment(store: ObjectStore, tmp_path: Path) -> None:
    """A file that is copied makes a second segment, whose text is that of the first."""
    one = write(tmp_path / "one/app", {"a.py": FILES["src/file_1.py"]})
    Index.build(one, workers=0, graph=False, cache=False).close()
    for name in ("b.py", "c/a.py"):
        write(one, {name: FILES["src/file_1.py"]})
        update(one)
    segments = list((one / ".coderag/segments").iterdir())
    texts = [(segment / "text.bin").read_bytes() for segment in segments]
    assert len(texts) > len(set(texts))
    pushed = push_index(folder_of(one), store, name="app")
    assert pushed.files < sum(1 for segment in segments for _ in segment.iterdir())
    clone = write(tmp_path / "clone/app", dict.fromkeys(("a.py", "b.py", "c/a.py"), FILES["src/file_1.py"]))
    index = joined(clone, store)
    assert (index.reports[0].read, index.reports[0].reused) == (0, 3)
    assert [len(index.chunks(name)) for name in ("a.py", "b.py", "c/a.py")] == [1, 1, 1]


def test_what_a_prune_removes_meanwhile_is_put_again(
    root: Path, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The objects are there, old, and named by no index: another process removes them before the manifest is."""
    push_index(folder_of(root), store, name="app")
    store.remove("indexes/app.json")
    written = ObjectStore.write

    def pruning(self: ObjectStore, name: str, data: bytes) -> None:
        for one, _ in list(store.names("objects")):
            store.remove(one)
        monkeypatch.setattr(ObjectStore, "write", written)
        written(self, name, data)

    monkeypatch.setattr(ObjectStore, "write", pruning)
    pushed = push_index(folder_of(root), store, name="app")
    assert pushed.uploaded == pushed.files == len(list(store.names("objects")))
    assert joined(write(tmp_path / "clone/app", FILES), store).reports[0].read == 0


def test_a_prune_spares_what_was_pushed_while_it_looked(
    root: Path, store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_index(folder_of(root), store, name="app")
    manifest = store.read("indexes/app.json", 1 << 20)
    assert manifest is not None
    store.remove("indexes/app.json")
    other = write(tmp_path / "other", {"other.py": "def other():\n    return 0\n"})
    Index.build(other, workers=0, graph=False).close()
    names = ObjectStore.names

    def pushing(self: ObjectStore, folder: str) -> Iterator[tuple[str, float]]:
        yield from names(self, folder)
        if folder == "objects":
            self.write("indexes/app.json", manifest)

    monkeypatch.setattr(ObjectStore, "names", pushing)
    assert push_index(folder_of(other), store, name="other", prune=True, grace=0).removed == 0


def test_what_is_removed_twice_counts_once(tmp_path: Path) -> None:
    store = ObjectStore((tmp_path / "store").as_uri())
    store.write("objects/x", b"x")
    assert [store.remove("objects/x"), store.remove("objects/x")] == [True, False]


def test_a_pull_holds_its_folder(root: Path, store: ObjectStore) -> None:
    push_index(folder_of(root), store, name="app")
    lock = IndexPath(pulled_folder(store.address, "app")) / "lock"
    with pull_index(store, name="app"):
        assert is_locked(lock)
    assert not is_locked(lock)


def test_a_full_disk_is_not_the_fault_of_the_store(
    root: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_index(folder_of(root), store, name="app")
    with monkeypatch.context() as patched:
        patched.setattr(IndexPath, "create", lambda _: FileIO("/dev/full", "w"))
        with pytest.raises(IndexWriteError, match="no space left"):
            pull(store)
    assert pull(store).files


def test_pulled_indexes_have_a_limit(root: Path, store: ObjectStore) -> None:
    for name in ("app", "app/next"):
        push_index(folder_of(root), store, name=name)
        pull(store, name)
    first, second = (pulled_folder(store.address, name) for name in ("app", "app/next"))
    os.utime(first, (1, 1))
    size = pulled_size()
    assert trim_pulled(size) == 0
    removed = trim_pulled(size - 1)
    assert (first.exists(), second.exists()) == (False, True)
    assert pulled_size() == size - removed
    with pull_index(store, name="app/next"):
        assert trim_pulled(0) == 0
    assert trim_pulled(0) == size - removed
