"""Indexes that go to a store, and come from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import (
    IndexDamagedError,
    IndexMissingError,
    IndexUntrustedError,
    QueryError,
    RemoteStoreError,
)
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.pull import pull_index
from coderag.index.remote.push import push_index
from coderag.index.storage.folder.index_path import IndexPath
from tests.index.trees import state_of
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


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ObjectStore]:
    """A store with nothing in it."""
    if request.param == "folder":
        yield ObjectStore((tmp_path / "store").as_uri())
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
    pulled = pull_index(store, name="app")
    return Index.ensure(root, parts=[pulled.folder], workers=0, graph=False, cache=False, trust_parts=trusted)


def test_what_is_pushed_is_pulled(root: Path, store: ObjectStore, tmp_path: Path) -> None:
    pushed = push_index(folder_of(root), store, name="app")
    assert (pushed.uploaded, pushed.removed) == (pushed.files, 0)
    clone = write(tmp_path / "clone/app", FILES)
    index = joined(clone, store)
    assert index.reports[0].read == 0
    assert state_of(index) == state_of(Index.build(clone, index=tmp_path / "fresh", workers=0, cache=False))


def test_only_what_is_new_goes_and_comes(root: Path, store: ObjectStore) -> None:
    push_index(folder_of(root), store, name="app")
    first = pull_index(store, name="app")
    assert push_index(folder_of(root), store, name="app").uploaded == 0
    (root / "src/new.py").write_text("def epsilon():\n    return 5\n" * 3)
    update(root)
    again = push_index(folder_of(root), store, name="app")
    second = pull_index(store, name="app")
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
        pull_index(store, name="app")


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
        pull_index(store, name=name)


def test_what_is_not_there_or_no_store(store: ObjectStore) -> None:
    with pytest.raises(IndexMissingError, match="there is no index 'app' at "):
        pull_index(store, name="app")
    with pytest.raises(QueryError):
        ObjectStore("nosuchkind://x")


def test_a_manifest_of_any_bytes_is_damage(store: ObjectStore) -> None:
    store.write("indexes/app.json", b"{}" * 100)
    with pytest.raises(IndexDamagedError, match="does not match its checksum"):
        pull_index(store, name="app")
