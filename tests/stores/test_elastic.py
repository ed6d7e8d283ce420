"""An index in Elasticsearch or OpenSearch, by a server that answers as their documentation says.

Neither of them is in a registry of packages, so none runs here. Where the package osmem-server is installed, which is
written by others, their words are compared with it, too; it has no vectors.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coderag import Index
from coderag.errors import IndexMissingError, QueryError, RemoteStoreError
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.elastic import client
from coderag.stores.elastic.elastic_store import ElasticStore
from coderag.stores.elastic.mapping import FILES, PACKETS, SEGMENTS
from coderag.stores.export import export_index
from coderag.stores.segments import portions_of
from coderag.stores.store import Conditions, Found, Store
from coderag.stores.stored_index import StoredIndex
from tests.growth import HANG_SECONDS
from tests.stores.search_engine import Engine, run_engine
from tests.stores.test_stores import CALLERS, CONDITIONS, QUESTIONS, exporting, opened, read_while_dropped, shown
from tests.workspace import write

QUERY = make_query("late payments", k=20)


@pytest.fixture(params=["elasticsearch", "opensearch"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A server of the tests' own."""
    with run_engine(request.param) as running:
        yield running


@pytest.fixture
def elastic() -> Iterator[Engine]:
    """A server of the tests' own, of one kind."""
    with run_engine("elasticsearch") as running:
        yield running


@pytest.fixture(scope="session")
def filled_once(unchanged_root: Path) -> Engine:
    """What a server holds to which an index was exported that does not change."""
    with run_engine("elasticsearch") as running:
        export(unchanged_root, running.address)
    return running


@pytest.fixture
def filled(filled_once: Engine, elastic: Engine) -> Engine:
    """A server of the tests' own that holds the same."""
    elastic.copy_indices(filled_once)
    return elastic


def export(root: Path, address: str, *, grace: float = 3600.0) -> int:
    """Export an index and return how many segments were written."""
    with closing(open_store(parse_address(address))) as store:
        return export_index(opened(root), store, name="shop", grace=grace).written


@contextmanager
def stored(address: str, *callers: frozenset[str]) -> Iterator[StoredIndex]:
    """Open the index in a store, for callers of some groups."""
    with closing(open_store(parse_address(address))) as store:
        yield StoredIndex(store, "shop", callers=callers)


@pytest.mark.slow
def test_a_store_answers_like_files(unchanged_root: Path, engine: Engine) -> None:
    assert export(unchanged_root, engine.address) == len(portions_of(opened(unchanged_root))) > 3
    assert export(unchanged_root, engine.address) == 0
    with closing(Index.open(unchanged_root)) as index, stored(engine.address) as in_store:
        for conditions in CONDITIONS:
            for question in QUESTIONS:
                query = make_query(question, **conditions)
                assert shown(in_store.search(query)) == shown(index.search(query)), (question, conditions)


@pytest.mark.slow
@pytest.mark.parametrize(
    "groups",
    [("hr",), *(pytest.param(groups, marks=pytest.mark.slow) for groups in CALLERS if groups != ("hr",))],
    ids=str,
)
def test_callers_see_what_they_see_of_files(unchanged_root: Path, filled: Engine, groups: tuple[str, ...]) -> None:
    with closing(Index.open(unchanged_root)) as index, stored(filled.address, frozenset(groups)) as in_store:
        seen = index.as_seen_by(groups)
        for question in QUESTIONS:
            hits = in_store.search(make_query(question, k=100))
            assert shown(hits) == shown(seen.search(make_query(question, k=100))), question
            assert all(hit.chunk.path.startswith("vault/") <= ("hr" in groups) for hit in hits)


@pytest.mark.slow
def test_what_is_dropped_while_it_is_read_is_said(unchanged_root: Path, engine: Engine) -> None:
    export(unchanged_root, engine.address)
    with closing(open_store(parse_address(engine.address))) as store:
        with store.reading() as read:
            read.update(store.segments())
        with pytest.raises(RemoteStoreError, match="dropped a segment"):
            read_while_dropped(store)


def test_more_terms_than_a_query_takes_give_an_upper_bound(filled: Engine) -> None:
    with closing(ElasticStore(filled.address)) as store:
        where = Conditions(tuple(store.segments()))
        document = next(iter(filled.searched[FILES].values()))
        held = np.array([int(key, 16) for key in document["holds"]], dtype=np.uint64)
        keys = np.concatenate([held, np.arange(3_000, dtype=np.uint64)])
        weights = np.linspace(1, 0.1, len(keys)).astype(np.float32)
        exact = store.by_terms(held, weights[: len(held)], where, k=5)
        bound = store.by_terms(keys, weights, where, k=5)
        assert exact[0].file == bound[0].file
        assert bound[0].score == pytest.approx(exact[0].score + weights[900:].sum(), rel=1e-5)


@pytest.mark.slow
def test_readers_of_a_switch_get_one_generation(root: Path, elastic: Engine) -> None:
    old_root = opened(root)
    export(root, elastic.address)
    with stored(elastic.address) as in_store:
        expected = [shown(in_store.search(QUERY))]
    write(root, {"payments/later.py": 'def later():\n    """Late payments are paid later."""\n'})
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    answers: list[Any] = []
    done = threading.Event()

    def read() -> None:
        with stored(elastic.address) as in_store:
            while not done.is_set():
                answers.append(shown(in_store.search(QUERY)))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    with closing(open_store(parse_address(elastic.address))) as store:
        for turn in range(4):
            export_index(old_root if turn % 2 else opened(root), store, name="shop")
        export_index(opened(root), store, name="shop")
        done.set()
        for reader in readers:
            reader.join(HANG_SECONDS)
        with stored(elastic.address) as in_store:
            expected.append(shown(in_store.search(QUERY)))
            assert expected[0] != expected[1]
            assert answers
            assert all(answer in expected for answer in answers)
            export_index(opened(root), store, name="shop", grace=0)
            assert set(store.segments()) == {portion.name for portion in portions_of(opened(root))}
            assert shown(in_store.search(QUERY)) == expected[1]
        assert len(store.generations()) == 1


@pytest.mark.slow
def test_a_killed_export_goes_on_where_it_ended(root: Path, elastic: Engine) -> None:
    for at, delay in ((0, 0.05), (1, 0.0), (1, 0.05)):
        assert exporting(elastic.address, root, at=at, delay=delay).wait(HANG_SECONDS) in (-signal.SIGKILL, 0)
    export(root, elastic.address)
    with closing(Index.open(root)) as index, stored(elastic.address) as in_store:
        assert shown(in_store.search(QUERY)) == shown(index.search(QUERY))


def test_what_a_killed_export_left_is_dropped_once_it_is_old(unchanged_root: Path, filled: Engine) -> None:
    with closing(ElasticStore(filled.address)) as store:
        left, young = "f" * 32, "e" * 32
        for name, written in ((left, 1.0), (young, time.time())):
            for index, row in (
                (PACKETS, {"segment": name, "body": ""}),
                (SEGMENTS, {"name": name, "written": written, "whole": False}),
            ):
                filled.answer("PUT", f"/{index}/_doc/{name}?refresh=true", json.dumps(row).encode())
        assert store.remains().keys() == {left, young}
        assert not store.segments().keys() & {left, young}
        export(unchanged_root, filled.address, grace=0)
        assert store.remains().keys() == {young}
    assert [row["segment"] for row in filled.searched[PACKETS].values() if row["segment"] in (left, young)] == [young]


@pytest.mark.slow
def test_an_engine_that_is_gone_in_the_middle_is_said(unchanged_root: Path, elastic: Engine) -> None:
    """At whatever request it goes, an export or an answer is an error, and the next one is right."""
    with closing(Index.open(unchanged_root)) as index:
        expected = shown(index.search(QUERY))
    failed = 0
    for left in range(0, 200, 7):
        elastic.left = left
        try:
            export(unchanged_root, elastic.address)
            with stored(elastic.address) as in_store:
                assert shown(in_store.search(QUERY)) == expected
        except RemoteStoreError as error:
            failed += "does not answer" in str(error)
        else:
            break
    assert failed >= 3
    elastic.left = 1 << 30
    export(unchanged_root, elastic.address)
    with stored(elastic.address) as in_store:
        assert shown(in_store.search(QUERY)) == expected


def test_an_answer_of_a_part_is_refused(filled: Engine) -> None:
    filled.failed_shards = 1
    with stored(filled.address) as in_store, pytest.raises(RemoteStoreError, match="a part of its shards"):
        in_store.search(QUERY)


@pytest.mark.slow
def test_an_engine_that_is_busy_is_asked_again(
    unchanged_root: Path, elastic: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)
    elastic.busy = 2
    assert export(unchanged_root, elastic.address) > 0
    elastic.busy = 9
    with pytest.raises(RemoteStoreError, match=r"refused \(429\): circuit_breaking_exception: busy"):
        export(unchanged_root, elastic.address)


def test_two_exports_of_one_number_are_told(filled: Engine) -> None:
    with closing(ElasticStore(filled.address)) as store:
        current = store.current("shop")
        assert current is not None
        with pytest.raises(RemoteStoreError, match="another export has just published 'shop'"):
            store.publish("shop", current.number, b"other")
        again = store.current("shop")
        assert again is not None
        assert again[:2] == current[:2]
        assert again.body == current.body


@pytest.mark.parametrize(
    ("user", "variables", "sent"),
    [
        ("", {}, None),
        ("reader@", {"ELASTIC_PASSWORD": "secret"}, "Basic cmVhZGVyOnNlY3JldA=="),
        ("", {"ELASTIC_API_KEY": "abc"}, "ApiKey abc"),
    ],
)
def test_credentials_come_from_the_environment(
    elastic: Engine, monkeypatch: pytest.MonkeyPatch, user: str, variables: dict[str, str], sent: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with stored(f"elasticsearch://{user}127.0.0.1:{elastic.port}") as in_store, pytest.raises(IndexMissingError):
        in_store.search(QUERY)
    assert elastic.authorizations == {sent}


@pytest.mark.parametrize("address", ["elasticsearch://", "opensearch://host/path", "elasticsearch://host:port"])
def test_an_address_of_no_engine_is_said(address: str) -> None:
    with pytest.raises(QueryError, match="address"):
        open_store(parse_address(address))


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(RemoteStoreError, match="the search engine does not answer: ConnectionRefusedError"):
        open_store(parse_address("opensearch://127.0.0.1:9"))


@pytest.mark.dev
@pytest.mark.slow
def test_words_are_found_as_another_server_finds_them(root: Path) -> None:
    osmem = pytest.importorskip("osmem_server", reason="osmem-server is not installed")
    with osmem.OsmemServer.start() as server, server.process:
        address = server.url.replace("http", "opensearch")
        assert export(root, address) > 3
        assert export(root, address) == 0
        with closing(open_store(parse_address(address))) as store, run_engine("opensearch") as own:
            export(root, own.address)
            with closing(open_store(parse_address(own.address))) as expected:
                _compare(store, expected, own)


def _compare(store: Store, expected: Store, engine: Engine) -> None:
    where = Conditions(tuple(store.segments()))
    theirs: list[Found] = []
    for keys, weights in _asked(engine):
        for presence in (False, True):
            mine = expected.by_terms(keys, weights, where, k=5_000, presence=presence)
            theirs = store.by_terms(keys, weights, where, k=5_000, presence=presence)
            assert dict(theirs) == pytest.approx(dict(mine), rel=1e-5)
        counts = expected.frequencies(keys, where.segments)
        assert store.frequencies(keys, where.segments).tolist() == counts.tolist()
    files = [found.file for found in theirs]
    assert store.fetch(files, where) == expected.fetch(files, where)
    (generation,) = store.generations()
    current = store.current("shop")
    assert current is not None
    assert (current.name, current.number, current.body) == (generation.name, generation.number, generation.body)


def _asked(engine: Engine) -> Iterator[tuple[Any, Any]]:
    """Yield terms of some files, with weights."""
    for document in list(engine.searched[FILES].values())[:10]:
        keys = np.array([int(key, 16) for key in document["holds"]], dtype=np.uint64)[:200:7]
        yield keys, np.linspace(0.1, 5, len(keys)).astype(np.float32)
