"""An index in Milvus, by Milvus Lite: the same answers as from files, and the same care as in PostgreSQL."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from coderag import Index
from coderag.errors import IndexMissingError, RemoteStoreError
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
from coderag.stores.segments import portions_of
from coderag.stores.store import Store
from coderag.stores.stored_index import StoredIndex
from tests.growth import HANG_SECONDS
from tests.stores.test_stores import CONDITIONS, QUESTIONS, exporting, opened, read_while_dropped, shown
from tests.workspace import write

HAS_MILVUS = find_spec("pymilvus") and find_spec("milvus_lite")  # to import them takes seconds
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_MILVUS, reason="needs pymilvus and milvus-lite"),
    pytest.mark.filterwarnings("ignore"),  # of the packages below it
]


@pytest.fixture
def file_address(tmp_path: Path) -> str:
    """The address of a file that is not there yet."""
    return f"milvus://{tmp_path / 'store.db'}"


@pytest.fixture
def store(file_address: str) -> Iterator[Store]:
    """A store in a file of Milvus Lite, which one process at a time has open."""
    with closing(open_store(parse_address(file_address))) as opened_store:
        yield opened_store


def test_a_store_answers_like_files(unchanged_root: Path, store: Store) -> None:
    assert (
        export_index(opened(unchanged_root), store, name="shop").written == len(portions_of(opened(unchanged_root))) > 3
    )
    assert export_index(opened(unchanged_root), store, name="shop").written == 0
    index, in_store = Index.open(unchanged_root), StoredIndex(store, "shop")
    for conditions in CONDITIONS:
        for question in QUESTIONS[:5]:
            query = make_query(question, **conditions)
            assert shown(in_store.search(query)) == shown(index.search(query)), (question, conditions)
    for groups in ((), ("hr",), ("hr", "board"), ("board",)):
        seen, seen_in_store = index.as_seen_by(groups), StoredIndex(store, "shop", callers=[frozenset(groups)])
        for question in QUESTIONS[2:3]:
            query = make_query(question, k=100)
            assert shown(seen_in_store.search(query)) == shown(seen.search(query)), (question, groups)
    index.close()


def test_readers_of_a_switch_get_one_generation(root: Path, store: Store) -> None:
    query = make_query("late payments", k=20)
    old_root = opened(root)
    export_index(old_root, store, name="shop")
    in_store = StoredIndex(store, "shop")
    expected = [shown(in_store.search(query))]
    write(root, {"payments/later.py": 'def later():\n    """Late payments are paid later."""\n'})
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    answers: list[Any] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            answers.append(shown(in_store.search(query)))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(4):
        export_index(old_root if turn % 2 else opened(root), store, name="shop")
    export_index(opened(root), store, name="shop")
    done.set()
    reader.join(HANG_SECONDS)
    expected.append(shown(in_store.search(query)))
    assert expected[0] != expected[1]
    assert answers
    assert all(answer in expected for answer in answers)
    assert export_index(opened(root), store, name="shop", grace=0).dropped >= 0
    assert set(store.segments()) == {portion.name for portion in portions_of(opened(root))}
    assert shown(in_store.search(query)) == expected[1]


def test_what_is_dropped_while_it_is_read_is_said(unchanged_root: Path, store: Store) -> None:
    export_index(opened(unchanged_root), store, name="shop")
    with store.reading() as read:
        read.update(store.segments())
    with pytest.raises(RemoteStoreError, match="dropped a segment"):
        read_while_dropped(store)


def test_a_killed_export_goes_on_where_it_ended(unchanged_root: Path, file_address: str) -> None:
    for at, delay in ((0, 0.5), (1, 0.0), (1, 0.2)):
        assert exporting(file_address, unchanged_root, at=at, delay=delay).wait(HANG_SECONDS) in (-signal.SIGKILL, 0)
    with closing(open_store(parse_address(file_address))) as store:
        if store.current("shop") is None:
            with pytest.raises(IndexMissingError):
                StoredIndex(store, "shop").search(make_query("payments"))
        export_index(opened(unchanged_root), store, name="shop")
        index = Index.open(unchanged_root)
        query = make_query("late payments", k=50)
        assert shown(StoredIndex(store, "shop").search(query)) == shown(index.search(query))
        index.close()


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(RemoteStoreError, match="Milvus: "):
        open_store(parse_address("milvus://127.0.0.1:9"))
