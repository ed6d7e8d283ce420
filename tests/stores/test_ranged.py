"""An index on a store of objects, of which ranges are read: the same answers as from files, and nothing is believed."""

from __future__ import annotations

import json
import os
import shutil
import threading
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from coderag import Index
from coderag.cli.main import run
from coderag.errors import IndexMissingError, IndexUntrustedError, QueryError, RemoteStoreError
from coderag.index.remote.objects import ObjectStore, Range
from coderag.index.remote.range_cache import RangeCache
from coderag.index.storage.folder.signing import VARIABLE
from coderag.search.query.query import make_query
from coderag.stores.addresses import name_in, parse_address
from coderag.stores.export import export_index
from coderag.stores.ranged.cells import cells_of, decode_cell, encode_cell, nearest_cells, scores_of
from coderag.stores.ranged.layout import directory_name, generation_name
from coderag.stores.ranged.ranged_store import RangedStore
from coderag.stores.ranged.terms import Entries, decode_terms, encode_terms
from coderag.stores.segments import portions_of, stored_segment
from coderag.stores.stored_index import StoredIndex
from tests.growth import HANG_SECONDS
from tests.s3 import empty_bucket
from tests.stores.test_stores import CONDITIONS, QUESTIONS, opened, shown
from tests.workspace import write

memory = pytest.importorskip("fsspec.implementations.memory", reason="fsspec is not installed")

QUESTION = make_query("where are failed payments retried?", k=50)
KEY, OTHER_KEY = "k" * 40, "o" * 40


class Failing(ObjectStore):
    """A store that is gone from a request on."""

    left = 1 << 30

    def read_ranges(self, ranges: Sequence[Range]) -> list[bytes]:
        """Read while there are requests left."""
        if self.left <= 0:
            raise RemoteStoreError("the network is gone")
        self.left -= 1
        return super().read_ranges(ranges)


@pytest.fixture(params=["folder", pytest.param("s3", marks=[pytest.mark.dev, pytest.mark.slow])])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty store."""
    if request.param == "folder":
        return (tmp_path / "store").as_uri()
    return f"s3://{empty_bucket(monkeypatch)}/indexes"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The address of an empty folder."""
    return (tmp_path / "store").as_uri()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where ranges are kept."""
    return tmp_path / "ranges"


def export(root: Path, address: str, *, grace: float = 3600.0) -> int:
    """Export an index and return how many segments were written."""
    store = RangedStore(ObjectStore(address))
    return export_index(opened(root), store, name="shop", grace=grace).written


@pytest.fixture(scope="session")
def exported_once(unchanged_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the export of an index that does not change; tests copy it."""
    folder = tmp_path_factory.mktemp("exported") / "store"
    export(unchanged_root, folder.as_uri())
    return folder


@pytest.fixture
def exported(exported_once: Path, folder: str, tmp_path: Path) -> str:
    """The address of a folder with the export of an index that does not change."""
    shutil.copytree(exported_once, tmp_path / "store")
    return folder


@pytest.fixture
def stored(cache: Path) -> Callable[..., StoredIndex]:
    """Open the index in a store, for callers of some groups."""

    def open_it(address: str, *callers: frozenset[str], kept: Path = cache) -> StoredIndex:
        return StoredIndex(RangedStore(ObjectStore(address), RangeCache(kept)), "shop", callers=callers)

    return open_it


def data_objects(tmp_path: Path) -> list[Path]:
    """Return the objects with the blocks of segments."""
    return sorted((tmp_path / "store/segments").glob("*/data-*"))


@pytest.mark.slow
@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
def test_ranges_answer_like_files(
    unchanged_root: Path,
    address: str,
    exported_once: Path,
    stored: Callable[..., StoredIndex],
    conditions: dict[str, Any],
) -> None:
    if address.startswith("file:"):
        address = exported_once.as_uri()
    else:
        export(unchanged_root, address)
    index, in_store = Index.open(unchanged_root), stored(address)
    for question in QUESTIONS:
        query = make_query(question, **conditions)
        assert shown(in_store.search(query)) == shown(index.search(query)), question
    index.close()


@pytest.mark.slow
@pytest.mark.parametrize("groups", [(), ("hr",), ("hr", "board"), ("board",)], ids=str)
def test_callers_see_what_they_see_of_files(
    unchanged_root: Path, exported: str, stored: Callable[..., StoredIndex], groups: tuple[str, ...]
) -> None:
    index, in_store = Index.open(unchanged_root).as_seen_by(groups), stored(exported, frozenset(groups))
    for question in QUESTIONS:
        hits = in_store.search(make_query(question, k=100))
        assert shown(hits) == shown(index.search(make_query(question, k=100))), question
        assert all(hit.chunk.path.startswith("vault/") <= ("hr" in groups) for hit in hits)


def test_a_caller_reads_nothing_of_what_is_hidden(
    unchanged_root: Path, exported: str, cache: Path, tmp_path: Path
) -> None:
    (hidden,) = [portion for portion in portions_of(opened(unchanged_root)) if len(portion.groups) == 2]
    for path in (tmp_path / "store/segments" / hidden.name).iterdir():
        path.write_bytes(b"")
    store = RangedStore(ObjectStore(exported), RangeCache(cache))
    assert StoredIndex(store, "shop", callers=[frozenset({"hr"})]).search(make_query("zyxbonus salary"))
    with pytest.raises(RemoteStoreError, match="damaged"):
        StoredIndex(store, "shop").search(make_query("zyxbonus salary"))


@pytest.mark.slow
def test_what_was_read_once_is_not_read_again(
    exported: str, stored: Callable[..., StoredIndex], tmp_path: Path
) -> None:
    expected = shown(stored(exported).search(QUESTION))
    for path in data_objects(tmp_path):
        path.unlink()
    assert shown(stored(exported).search(QUESTION)) == expected
    with pytest.raises(RemoteStoreError, match="dropped a segment"):
        stored(exported, kept=tmp_path / "other").search(QUESTION)


@pytest.mark.slow
def test_a_cache_is_not_believed(exported: str, stored: Callable[..., StoredIndex], cache: Path) -> None:
    expected = shown(stored(exported).search(QUESTION))
    assert list(cache.iterdir())
    for path in cache.iterdir():
        path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    assert shown(stored(exported).search(QUESTION)) == expected
    for path in cache.iterdir():
        path.write_bytes(path.read_bytes()[:7])
    assert shown(stored(exported).search(QUESTION)) == expected
    target = cache.parent / "precious"
    target.write_bytes(b"precious")
    for path in cache.iterdir():
        path.unlink()
        path.symlink_to(target)
    assert shown(stored(exported).search(QUESTION)) == expected
    assert target.read_bytes() == b"precious"


def test_a_cache_keeps_to_its_size(tmp_path: Path) -> None:
    folder = tmp_path / "ranges"
    for number in range(5):
        RangeCache(folder).write(f"object {number}", 1 << 20, b"x" * 40_000)
        newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (number, number))
    small = RangeCache(folder, most_bytes=130_000)
    small.write("object 5", 0, b"x" * 40_000)
    left = [number for number in range(5) if small.read(f"object {number}", 1 << 20, 4) == b"xxxx"]
    assert left == [3, 4]
    assert small.read("object 5", 0, 4) == b"xxxx"


def test_a_damaged_block_is_said(exported: str, stored: Callable[..., StoredIndex], tmp_path: Path) -> None:
    for path in data_objects(tmp_path):
        path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    with pytest.raises(RemoteStoreError, match="are not what was exported"):
        stored(exported).search(QUESTION)
    for path in data_objects(tmp_path):
        path.write_bytes(path.read_bytes()[:10])
    with pytest.raises(RemoteStoreError, match="ends before byte"):
        stored(exported).search(QUESTION)


@pytest.mark.slow
def test_only_what_a_known_key_signed_is_believed(
    unchanged_root: Path,
    folder: str,
    stored: Callable[..., StoredIndex],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    with monkeypatch.context() as exporter:
        exporter.setenv(VARIABLE, KEY)
        export(unchanged_root, folder)
        expected = shown(stored(folder).search(QUESTION))
    for key in ("", OTHER_KEY):
        monkeypatch.setenv(VARIABLE, key)
        with pytest.raises(IndexUntrustedError, match=f"set {VARIABLE} to the key"):
            stored(folder).search(QUESTION)
    monkeypatch.setenv(VARIABLE, KEY)
    assert shown(stored(folder, kept=tmp_path / "other").search(QUESTION)) == expected


def test_one_signed_object_does_not_pass_for_another(
    unchanged_root: Path, exported: str, stored: Callable[..., StoredIndex], tmp_path: Path
) -> None:
    first, second = [portion.name for portion in portions_of(opened(unchanged_root))][:2]
    places = [tmp_path / "store" / directory_name(name) for name in (first, second)]
    kept = places[0].read_bytes()
    places[0].write_bytes(places[1].read_bytes())
    with pytest.raises(RemoteStoreError, match="it is that of another segment"):
        stored(exported).search(QUESTION)
    places[0].write_bytes(kept)
    generation = tmp_path / "store" / generation_name("shop", 1)
    (tmp_path / "store" / generation_name("shop", 2)).write_bytes(generation.read_bytes())
    with pytest.raises(RemoteStoreError, match="is another generation"):
        stored(exported).search(QUESTION)


@pytest.mark.slow
def test_a_generation_of_somebody_else_keeps_nobody_from_exporting(
    root: Path, folder: str, stored: Callable[..., StoredIndex], tmp_path: Path
) -> None:
    """What anybody can put into a bucket: rubbish, and what is signed by nobody and nested without end."""
    export(root, folder)
    expected = shown(stored(folder).search(QUESTION))
    deep = b"\x81\xa1a" * 100_000 + b"\xc0"
    body = msgspec.msgpack.encode({"repository": "x", "form": 1, "tokenizer": "1", "encoder": {}})
    generation = msgspec.msgpack.encode(("other", 1, body.replace(b"\xa7encoder\x80", b"\xa7encoder" + deep)))
    sealed = b"%s\n%s\n" % (b"0" * 64, generation)
    placed = tmp_path / "store/generations"
    (placed / "other.0000000001").write_bytes(b"%08x %s" % (zlib.crc32(sealed), sealed))
    (placed / "empty.0000000001").write_bytes(b"")
    (placed / "readme").write_bytes(b"")
    for name in ("segments/no segment/x", "segments/.DS_Store", "segments/x/y/z"):
        write(tmp_path / "store", {name: "x"})
    assert export(root, folder) == 0
    assert shown(stored(folder).search(QUESTION)) == expected
    store = RangedStore(ObjectStore(folder))
    address = parse_address(folder)
    with pytest.raises(IndexMissingError, match="which are empty, other, shop"):
        name_in(store, address, names_are_told=True)


@pytest.mark.slow
def test_an_export_mends_what_is_damaged(
    root: Path, folder: str, stored: Callable[..., StoredIndex], tmp_path: Path
) -> None:
    export(root, folder)
    expected = shown(stored(folder).search(QUESTION))
    (tmp_path / "store" / generation_name("shop", 2)).write_bytes(b"half of")
    with pytest.raises(RemoteStoreError, match=r"shop\.0000000002 is damaged"):
        stored(folder).search(QUESTION)
    assert export(root, folder) == 0
    assert shown(stored(folder).search(QUESTION)) == expected
    for path in data_objects(tmp_path):
        path.unlink()
    with pytest.raises(RemoteStoreError, match='run "coderag export" where'):
        stored(folder, kept=tmp_path / "none").search(QUESTION)
    assert export(root, folder) == len(portions_of(opened(root)))
    assert shown(stored(folder, kept=tmp_path / "new").search(QUESTION)) == expected


def test_ranges_are_kept_in_files_of_the_user_alone(tmp_path: Path) -> None:
    folder, name = tmp_path / "ranges", "object"
    RangeCache(folder).write(name, 0, b"kept")
    (kept,) = folder.iterdir()
    other = tmp_path / "other"
    os.link(kept, other)  # somebody else reads, or writes, what is in it
    assert RangeCache(folder).read(name, 0, 4) == b""
    RangeCache(folder).write(name, 0, b"more")
    assert other.read_bytes() == b"kept"


@pytest.mark.slow
def test_a_folder_that_is_not_utf8_is_indexed_and_exported_under_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))
    write(root, {"schema.sql": "CREATE TABLE orders (id int);\n", "orders.py": "def late_orders(): ...\n"})
    store = (tmp_path / "store").as_uri()
    assert run(["index", str(root), "--quiet"]) == 0
    assert run(["tables", "--root", str(root)]) == 0
    assert run(["export", "--root", str(root), "--to", store]) == 2
    assert "is not UTF-8" in capsys.readouterr().err
    assert run(["export", "--root", str(root), "--to", f"{store}#late"]) == 0
    assert run(["search", "late orders", "--store", store]) == 0
    assert run(["search", "late orders", "--store", f"{store}#\udcff"]) == 2
    assert run(["pull", f"{store}\udcff", "--root", str(root)]) == 2


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3://KEY:SECRET@bucket/folder", "takes no credentials"),
        ("gs://KEY:SECRET@bucket/folder", "takes no credentials"),
        ("file://relative", "needs a folder from the root on"),
        ("sftp+none://KEY:SECRET@host/folder?token=SECRET", "no address of a store"),
    ],
)
def test_messages_show_no_credentials(address: str, said: str) -> None:
    with pytest.raises(QueryError, match=said) as raised:
        ObjectStore(address)
    assert "SECRET" not in str(raised.value)


def test_what_a_library_says_of_an_address_shows_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "memory://KEY:SEC%20RET@host/folder?token=TOKEN"
    store = ObjectStore(address)
    assert store.address == "memory://host/folder"

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(f"{address} and KEY:SEC RET are refused")

    monkeypatch.setattr(memory.MemoryFileSystem, "cat_ranges", refuse)
    with pytest.raises(RemoteStoreError, match="are refused") as raised:
        store.read_each(["x"], 1)
    assert not any(secret in str(raised.value) for secret in ("SEC", "TOKEN"))


@pytest.mark.slow
def test_a_store_that_is_gone_in_the_middle_is_said(unchanged_root: Path, exported: str, cache: Path) -> None:
    with closing(Index.open(unchanged_root)) as index:
        expected = shown(index.search(QUESTION))
    failures = 0
    for left in range(50):
        objects = Failing(exported)
        objects.left = left
        store = StoredIndex(RangedStore(objects, RangeCache(cache / str(left))), "shop")
        try:
            found = shown(store.search(QUESTION))
        except RemoteStoreError as error:
            failures += str(error) == "the network is gone"
        else:
            assert found == expected
            break
        objects.left = 1 << 30
        assert shown(store.search(QUESTION)) == expected
    assert 2 <= failures < 50


@pytest.mark.slow
def test_a_generation_that_is_replaced_while_it_is_read(
    root: Path, folder: str, stored: Callable[..., StoredIndex], cache: Path
) -> None:
    """Readers get the old generation, the new one, or hear that theirs is gone; never something of both."""
    query = make_query("late payments", k=50)
    export(root, folder)
    expected = [shown(stored(folder).search(query))]
    answers: list[Any] = []
    errors: list[str] = []
    done = threading.Event()

    def read(number: int) -> None:
        while not done.is_set():
            try:
                answers.append(shown(stored(folder, kept=cache / str(number % 2)).search(query)))
            except RemoteStoreError as error:
                errors.append(str(error))

    readers = [threading.Thread(target=read, args=(number,)) for number in range(2)]
    for reader in readers:
        reader.start()
    write(root, {"payments/late.py": 'def remind():\n    """Late payments: remind, then remind again."""\n'})
    Index.build(root, cache=False, workers=0).close()
    export(root, folder, grace=0)
    export(root, folder, grace=0)
    expected.append(shown(stored(folder).search(query)))
    done.set()
    for reader in readers:
        reader.join(HANG_SECONDS)
    assert expected[0] != expected[1]
    assert answers
    assert all(answer in expected for answer in answers)
    assert all("dropped a segment" in error for error in errors)


@pytest.mark.slow
def test_a_second_export_writes_what_changed(root: Path, folder: str, stored: Callable[..., StoredIndex]) -> None:
    with pytest.raises(IndexMissingError, match="the store has no index 'shop'"):
        stored(folder).search(QUESTION)
    parts = len(portions_of(opened(root)))
    assert export(root, folder) == parts > 3
    assert export(root, folder) == 0
    write(root, {"shop/rebate.py": 'def rebate_for_loyalty():\n    """Return the rebate of loyal customers."""\n'})
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    assert export(root, folder) == 1
    assert stored(folder).search(make_query("rebate of loyal customers"))[0].chunk.path == "shop/rebate.py"


@pytest.mark.slow
def test_what_nobody_needs_is_dropped(root: Path, folder: str, tmp_path: Path) -> None:
    export(root, folder)
    write(root, {"payments/late.py": "X = 1\n"})
    Index.build(root, cache=False, workers=0).close()
    export(root, folder)
    export(root, folder, grace=0)
    left = {path.name for path in (tmp_path / "store/segments").iterdir() if list(path.iterdir())}
    assert left == {portion.name for portion in portions_of(opened(root))}
    assert len(list((tmp_path / "store/generations").iterdir())) == 1


@pytest.mark.slow
def test_what_a_killed_export_left_is_dropped_once_it_is_old(root: Path, folder: str, tmp_path: Path) -> None:
    export(root, folder)
    left, young = (tmp_path / f"store/segments/{letter * 32}/data-{letter * 32}" for letter in "ab")
    for path in (left, young):
        path.parent.mkdir()
        path.write_bytes(b"blocks")
    os.utime(left, (1, 1))
    store = RangedStore(ObjectStore(folder))
    assert store.remains().keys() == {"a" * 32, "b" * 32}
    assert not store.segments().keys() & {"a" * 32, "b" * 32}
    export(root, folder, grace=0)
    assert (left.exists(), young.exists()) == (False, True)
    assert len(store.segments()) > 3


@pytest.mark.slow
def test_the_command_line_exports_and_searches(
    unchanged_root: Path, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "--root", str(unchanged_root), "--to", f"{folder}#team/shop"]) == 0
    assert "team/shop is at file://" in capsys.readouterr().out
    assert run(["search", "late payments", "--store", f"{folder}#team/shop", "--json"]) == 0
    found = [hit["path"] for hit in json.loads(capsys.readouterr().out)]
    with closing(Index.open(unchanged_root)) as index:
        assert found == [hit.chunk.path for hit in index.search("late payments")]
    assert run(["search", "late payments", "--store", f"{folder}#other"]) == 2


@pytest.mark.slow
def test_blocks_of_terms_hold_every_entry(unchanged_root: Path) -> None:
    for portion in portions_of(opened(unchanged_root)):
        segment = stored_segment(portion)
        found = []
        entries = Entries(segment.keys, segment.key_files, segment.weights, segment.terms[:0])
        for first, block in encode_terms(segment, entries):
            terms = decode_terms(block, files=int(segment.key_files.max()) + 1, chunks=0)
            assert int(terms.keys[0]) == first
            for place, (key, count) in enumerate(zip(terms.keys.tolist(), terms.counts.tolist(), strict=True)):
                assert terms.place(key) == place
                files, weights = terms.entries(place)
                found += [(key, file, weight) for file, weight in zip(files.tolist(), weights.tolist(), strict=True)]
                assert count == dict(zip(segment.terms.tolist(), segment.counts.tolist(), strict=True))[key]
            assert terms.place(0) == -1
        columns = (segment.keys.tolist(), segment.key_files.tolist(), segment.weights.tolist())
        assert found == list(zip(*columns, strict=True))
        ((_, beyond), *_) = encode_terms(segment, replace(entries, places=segment.key_files + 7))
        with pytest.raises(ValueError, match="does not fit its segment"):
            decode_terms(beyond, files=7, chunks=100_000)


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [32, 33])
def test_the_nearest_cells_hold_the_nearest_vectors(dimensions: int) -> None:
    random = np.random.default_rng(7)
    kinds = random.normal(size=(200, dimensions))
    rows = kinds[random.integers(200, size=20_000)] + 0.5 * random.normal(size=(20_000, dimensions))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    cells = cells_of(vectors)
    assert sorted(np.concatenate(cells.members).tolist()) == list(range(len(vectors)))
    assert all(np.array_equal(a, b) for a, b in zip(cells.members, cells_of(vectors).members, strict=True))
    sizes = np.array(list(map(len, cells.members)))
    recalls = []
    for row in range(0, 20_000, 2_000):
        query = vectors[row].astype(np.float32)
        chosen = nearest_cells(cells.centroids, sizes, query)
        assert sizes[chosen].sum() < 6_000
        near: dict[int, float] = {}
        for number in chosen.tolist():
            members = cells.members[number]
            cell = decode_cell(encode_cell(vectors[members], members), files=20_000, dimensions=dimensions)
            near |= dict(zip(cell.files.tolist(), scores_of(cell, query).tolist(), strict=True))
        exact = vectors.astype(np.float32) @ query
        best = np.argsort(-exact)[:10].tolist()
        assert all(abs(near[one] - exact[one]) < 0.1 for one in near)
        recalls.append(sum(one in near for one in best) / len(best))
    assert np.mean(recalls) > 0.95
