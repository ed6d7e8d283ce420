"""What somebody may put into a store that others write to, too: nothing of it leads out of the store, or crashes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from coderag import Index
from coderag.errors import RemoteStoreError, StoreDamagedError
from coderag.index.remote.objects import ObjectStore
from coderag.index.remote.push import push_index
from coderag.index.storage.folder.index_path import IndexPath
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.counts import Counts
from coderag.stores.export import export_index
from coderag.stores.generation import decode_generation
from coderag.stores.packet import decode_packet, packets_of
from coderag.stores.stored_index import StoredIndex
from coderag.text.tokens import TOKENIZER_VERSION
from tests.stores.test_stores import opened

pytest.importorskip("fsspec")
OLD = -86_400 * 3


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder of the user with an old file, that nothing of coderag has to do with."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "letter.txt").write_text("Dear")
    os.utime(folder / "letter.txt", (1, 1))
    return folder


def packet_with(root: Path, **fields: Any) -> bytes:
    """Return the packet of a file with other values in some fields."""
    data = next(packets_of(opened(root).segments[0]))
    values = msgspec.msgpack.decode(zlib.decompress(data))
    names = ("path", "size", "blob", "treatment", "language", "content", "labels", "text_bytes")
    for name, value in fields.items():
        values[names.index(name)] = value
    return zlib.compress(msgspec.msgpack.encode(values))


@pytest.mark.parametrize("path", [b"", b"/etc/passwd", b"../x.py", b"a/../../x.py", b"a\0b"])
def test_a_path_out_of_the_root_is_refused(unchanged_root: Path, path: bytes) -> None:
    assert decode_packet(packet_with(unchanged_root, path=b"a..b/c.py")).files[0].path == "a..b/c.py"
    with pytest.raises(RemoteStoreError, match="damaged file"):
        decode_packet(packet_with(unchanged_root, path=path))


@pytest.mark.parametrize(
    "fields", [{"size": -1}, {"size": 1 << 63}, {"labels": 256}, {"text_bytes": 1 << 40}, {"blob": b""}], ids=str
)
def test_numbers_that_cannot_be_are_refused(unchanged_root: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(RemoteStoreError, match="damaged file"):
        decode_packet(packet_with(unchanged_root, **fields))


@pytest.mark.slow
def test_a_packet_that_inflates_to_gigabytes_is_refused() -> None:
    bomb = zlib.compressobj(9)
    data = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(300)) + bomb.flush()
    with pytest.raises(RemoteStoreError, match="damaged file"):
        decode_packet(data)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("chunks", -1), ("chunks", 1 << 50), ("dead", [-1])])
def test_a_generation_that_counts_what_cannot_be_is_refused(
    unchanged_root: Path, tmp_path: Path, name: str, value: Any
) -> None:
    with closing(open_store(parse_address((tmp_path / "store").as_uri()))) as store:
        export_index(opened(unchanged_root), store, name="shop")
        current = store.current("shop")
    assert current is not None
    table = msgspec.msgpack.decode(current.body)
    table["segments"][0][name] = value
    with pytest.raises(StoreDamagedError):
        decode_generation(msgspec.msgpack.encode(table), tokenizer=str(TOKENIZER_VERSION))


def test_a_table_of_counts_that_is_none_is_said() -> None:
    import numpy as np

    with pytest.raises(RemoteStoreError, match="damaged table"):
        Counts().sums(np.array([1], dtype=np.uint64), ["s"], lambda keys: dict.fromkeys(keys, b"x" * 9))


@pytest.mark.parametrize("link", ["objects", "indexes"])
def test_a_push_and_a_prune_follow_no_link(unchanged_root: Path, tmp_path: Path, elsewhere: Path, link: str) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / link).symlink_to(elsewhere)
    store = ObjectStore((tmp_path / "store").as_uri())
    with pytest.raises(RemoteStoreError, match="is a link or no regular file; remove it"):
        push_index(IndexPath(unchanged_root, (".coderag",)), store, name="shop", prune=True, grace=0)
    assert [path.name for path in elsewhere.iterdir()] == ["letter.txt"]


def test_a_prune_removes_what_is_called_as_an_object_is(unchanged_root: Path, tmp_path: Path, elsewhere: Path) -> None:
    store = ObjectStore((tmp_path / "store").as_uri())
    folder = IndexPath(unchanged_root, (".coderag",))
    push_index(folder, store, name="shop")
    objects = tmp_path / "store/objects"
    (objects / "letter.txt").write_text("Dear")
    (objects / "more").symlink_to(elsewhere)
    (objects / ("0" * 64)).write_text("old")
    for path in (objects / "letter.txt", objects / ("0" * 64)):
        os.utime(path, (1, 1))
    assert push_index(folder, store, name="shop", prune=True, grace=0).removed == 1
    assert (objects / "letter.txt").exists()
    assert (elsewhere / "letter.txt").exists()


@pytest.mark.parametrize("make", [os.symlink, lambda _, path: os.mkfifo(path)], ids=["link", "pipe"])
def test_what_is_no_regular_file_is_not_read(
    tmp_path: Path, elsewhere: Path, make: Callable[[Path, Path], None]
) -> None:
    (tmp_path / "store/indexes").mkdir(parents=True)
    make(elsewhere / "letter.txt", tmp_path / "store/indexes/shop.json")
    store = ObjectStore((tmp_path / "store").as_uri())
    for read in (
        lambda: store.read("indexes/shop.json", 1 << 20),
        lambda: store.read_each(["indexes/shop.json"], 1 << 20),
        lambda: store.size("indexes/shop.json"),
    ):
        with pytest.raises(RemoteStoreError, match="is a link or no regular file"):
            read()
    store.remove("indexes/shop.json")
    assert (elsewhere / "letter.txt").read_text() == "Dear"


@pytest.mark.slow
def test_an_export_drops_nothing_through_a_link(unchanged_root: Path, tmp_path: Path, elsewhere: Path) -> None:
    address = (tmp_path / "store").as_uri()
    (tmp_path / "store/segments").mkdir(parents=True)
    (tmp_path / "store/segments" / ("0" * 32)).symlink_to(elsewhere)
    os.utime(tmp_path / "store/segments" / ("0" * 32), (1, 1), follow_symlinks=False)
    with closing(open_store(parse_address(address))) as store:
        export_index(opened(unchanged_root), store, name="shop", grace=0)
        with closing(Index.open(unchanged_root)) as index:
            query = make_query("late payments")
            found = StoredIndex(store, "shop").search(query)
            assert [hit.chunk.path for hit in found] == [hit.chunk.path for hit in index.search(query)]
    assert (elsewhere / "letter.txt").exists()


@pytest.mark.parametrize("url", ["postgresql://me:pass%zzword@127.0.0.1/db", "postgresql://me:pass-word@[bad/db"])
def test_what_postgresql_says_of_an_address_shows_no_password(url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(RemoteStoreError) as caught:
        open_store(parse_address(url))
    assert "word" not in str(caught.value)
    assert caught.value.__cause__ is None


HOSTILE_NAMES = ['shop" or id != "', "shop' or '1'='1", "a\\", "%_%", "shop/../other", "café ☕", "x\n\x1b[31m"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "postgresql", "milvus"])
def test_names_and_filters_are_data(unchanged_root: Path, tmp_path: Path, kind: str, request: Any) -> None:
    if kind == "milvus":
        pytest.importorskip("pymilvus")
        pytest.importorskip("milvus_lite")
    address = {"file": (tmp_path / "store").as_uri(), "milvus": f"milvus://{tmp_path / 'store.db'}"}.get(kind)
    with closing(open_store(parse_address(address or request.getfixturevalue("database")))) as store:
        export_index(opened(unchanged_root), store, name="shop")
        for name in HOSTILE_NAMES:
            assert store.current(name) is None, name
            export_index(opened(unchanged_root), store, name=name)
            assert store.current(name).name == name  # type: ignore[union-attr]
        assert store.names() == sorted(["shop", *HOSTILE_NAMES])
        store.forget('shop" or id != "', 1)
        assert len(store.generations()) == len(HOSTILE_NAMES)
        index = StoredIndex(store, "shop", callers=[frozenset({'x" or segment != "'})])
        for paths in (['shop" or path like "/**'], ["a'b/**"], ['x") or (path like "/**'], ["a\nb/**"], ["é/**"]):
            assert index.search(make_query("salary of a person", paths=paths)) == []
        with closing(Index.open(unchanged_root)) as files:
            hits = files.as_seen_by(()).search(make_query("salary of a person", k=50))
        assert [hit.chunk.path for hit in index.search(make_query("salary of a person", k=50))] == [
            hit.chunk.path for hit in hits
        ]
