"""An index in PostgreSQL: the same answers as from files, whole generations, and nothing for others to see."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from coderag import Index
from coderag.api.snapshot import open_snapshot
from coderag.errors import IndexMissingError, QueryError, RemoteStoreError
from coderag.index.reader.opened_root import OpenedRoot
from coderag.search.query.query import make_query
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
from coderag.stores.packet import decode_packet
from coderag.stores.segments import portions_of
from coderag.stores.store import Store
from coderag.stores.stored_index import StoredIndex
from coderag.types import Hit
from tests.catalog.introspect.servers import Postgres
from tests.growth import HANG_SECONDS
from tests.stores.conftest import SALARIES
from tests.workspace import REPOSITORY, write

pytestmark = pytest.mark.slow
QUESTIONS = [
    "where are failed payments retried?",
    "PaymentRetrier.retry_failed",
    "how is the salary of a person found",
    "late payments",
    "order total",
    "add a discount to the cart total",
    "zyxbonus",
    "payment declined for order",
    "zzz nothing has this",
]
CONDITIONS: list[dict[str, Any]] = [
    {},
    {"languages": ["python"]},
    {"tests": "exclude"},
    {"paths": ["shop/**"]},
    {"paths": ["*.sql", "!**/old*"]},
    {"kinds": ["method"]},
    {"expand": "parent"},
]
CALLERS = [(), ("hr",), ("hr", "board"), ("board",)]
KILLED_AT = range(3)  # how many segments are there when an export is killed
EXPORT = """
import os, signal, sys, threading
from pathlib import Path
from tests.stores.test_stores import opened
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
address, root, at, delay = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
def told(done, total):
    if done == at:
        if not delay:
            os.kill(os.getpid(), signal.SIGKILL)
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
export_index(opened(root), open_store(parse_address(address)), name="shop", told=told if at >= 0 else None)
"""


class Near(float):
    """A number that equals its neighbours: hits have four decimals, of which rounding may change the last."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(self - other) < 2e-4

    __hash__ = None  # type: ignore[assignment]


def opened(root: Path) -> OpenedRoot:
    """Return the index of a folder."""
    with closing(Index.open(root)) as index:
        return open_snapshot(index.roots).opened[0]


def export(root: Path, address: str, *, grace: float = 3600.0) -> int:
    """Export an index and return how many segments were written."""
    with closing(open_store(parse_address(address))) as store:
        return export_index(opened(root), store, name="shop", grace=grace).written


def shown(hits: list[Hit]) -> list[Any]:
    """Return what hits say, to be compared; numbers are summed in an order that depends on what else is there."""
    return [(hit.chunk.path, hit.chunk.text, Near(hit.score), Near(hit.confidence)) for hit in hits]


def exporting(address: str, root: Path, *, at: int = -1, delay: float = 0.0) -> subprocess.Popen[bytes]:
    """Start an export of another process, which kills itself where `at` segments are there, or a moment later."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", EXPORT, address, str(root), str(at), str(delay)]
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.DEVNULL)


def read_while_dropped(store: Store) -> None:
    """Read the segments of a store, and drop one before the end."""
    with store.reading() as read:
        read.update(store.segments())
        store.drop_segment(min(read))


@contextmanager
def opening(address: str) -> Iterator[Callable[..., StoredIndex]]:
    """Open the index in a store, for callers of some groups."""
    stores = []

    def open_it(*callers: frozenset[str]) -> StoredIndex:
        stores.append(open_store(parse_address(address)))
        return StoredIndex(stores[-1], "shop", callers=callers)

    yield open_it
    for store in stores:
        store.close()


@pytest.fixture
def stored(address: str) -> Iterator[Callable[..., StoredIndex]]:
    """Open the index in the store, for callers of some groups."""
    with opening(address) as open_it:
        yield open_it


@pytest.fixture(scope="module")
def filled_address(server: Postgres, unchanged_root: Path) -> str:
    """The address of a store with an index that does not change; tests only read it."""
    address = server.database("filled")
    export(unchanged_root, address)
    return address


@pytest.fixture
def filled(filled_address: str) -> Iterator[Callable[..., StoredIndex]]:
    """Open the index that does not change, for callers of some groups."""
    with opening(filled_address) as open_it:
        yield open_it


@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
def test_a_store_answers_like_files(
    unchanged_root: Path, filled: Callable[..., StoredIndex], conditions: dict[str, Any]
) -> None:
    index, in_store = Index.open(unchanged_root), filled()
    for question in QUESTIONS:
        query = make_query(question, **conditions)
        assert shown(in_store.search(query)) == shown(index.search(query)), question
    index.close()


@pytest.mark.parametrize("groups", CALLERS, ids=str)
def test_callers_see_of_a_store_what_they_see_of_files(
    unchanged_root: Path, filled: Callable[..., StoredIndex], groups: tuple[str, ...]
) -> None:
    index, in_store = Index.open(unchanged_root).as_seen_by(groups), filled(frozenset(groups))
    for question in QUESTIONS:
        hits = in_store.search(make_query(question, k=100))
        # The same scores, too: what is hidden does not even count for how rare a word is.
        assert shown(hits) == shown(index.search(make_query(question, k=100))), question
        assert all(hit.chunk.path.startswith("vault/") <= ("hr" in groups) for hit in hits)
        assert all(hit.chunk.path.startswith("vault/board/") <= ({"hr", "board"} <= set(groups)) for hit in hits)


def test_several_callers_see_what_all_of_them_do(filled: Callable[..., StoredIndex]) -> None:
    both = filled(frozenset({"hr"}), frozenset({"board"}))
    assert not any(hit.chunk.path.startswith("vault/") for hit in both.search(make_query("salary of a person", k=100)))
    one = filled(frozenset({"hr", "board"})).search(make_query("salary of a person", k=100, groups={"hr"}))
    assert {hit.chunk.path for hit in one if hit.chunk.path.startswith("vault/")} == {"vault/salaries.py"}


def test_a_second_export_writes_what_changed(root: Path, address: str, stored: Callable[..., StoredIndex]) -> None:
    parts = len(portions_of(opened(root)))
    assert export(root, address) == parts > 3
    assert export(root, address) == 0
    before = stored().current().number
    write(root, {"shop/rebate.py": 'def rebate_for_loyalty():\n    """Return the rebate of loyal customers."""\n'})
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    assert export(root, address) == 1
    after = stored()
    assert after.current().number == before + 1
    assert after.search(make_query("rebate of loyal customers"))[0].chunk.path == "shop/rebate.py"


@pytest.mark.parametrize("delay", [0.0, 0.003, 0.01, 0.03])
def test_a_killed_export_goes_on_where_it_ended(
    unchanged_root: Path, address: str, stored: Callable[..., StoredIndex], delay: float, server: Any
) -> None:
    for at in KILLED_AT:
        assert exporting(address, unchanged_root, at=at, delay=delay).wait(HANG_SECONDS) in (-signal.SIGKILL, 0)
        store = open_store(parse_address(address))
        named = store.segments()
        if store.current("shop") is None:
            with pytest.raises(IndexMissingError, match="the store has no index 'shop'; \"coderag export\" writes one"):
                stored().search(make_query("payments"))
        store.close()
        assert len(named) >= (at if delay == 0 else 0)
    export(unchanged_root, address)
    other = server.database(f"whole_{str(delay).replace('.', '_')}")
    export(unchanged_root, other)
    assert rows(address) == rows(other)
    index = Index.open(unchanged_root)
    assert shown(stored().search(make_query("late payments"))) == shown(index.search(make_query("late payments")))
    index.close()


def rows(address: str) -> list[tuple[Any, ...]]:
    """Return how many rows of each segment a store has."""
    with psycopg.connect(address) as connection:
        return connection.execute(
            "SELECT s.name, (SELECT count(*) FROM coderag.files f WHERE f.segment = s.id), "
            "(SELECT count(*) FROM coderag.terms t WHERE t.segment = s.id), "
            "(SELECT count(*) FROM coderag.chunks c WHERE c.segment = s.id) FROM coderag.segments s "
            "UNION ALL SELECT '', (SELECT count(*) FROM coderag.files), (SELECT count(*) FROM coderag.terms), "
            "(SELECT count(*) FROM coderag.chunks) ORDER BY 1"
        ).fetchall()


def test_readers_of_a_switch_get_one_generation(root: Path, address: str, stored: Callable[..., StoredIndex]) -> None:
    query = make_query("late payments", k=50)
    export(root, address)
    old_root = opened(root)
    expected = [shown(stored().search(query))]
    write(root, {"payments/late.py": 'def remind():\n    """Late payments: remind, then remind again."""\n'})
    write(root, {"payments/later.py": 'def later():\n    """Late payments are paid later."""\n'})
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    new_root = opened(root)
    answers: list[Any] = []
    done = threading.Event()

    def read() -> None:
        in_store = stored()
        while not done.is_set():
            answers.append(shown(in_store.search(query)))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    with closing(open_store(parse_address(address))) as store:
        for turn in range(10):
            export_index(old_root if turn % 2 else new_root, store, name="shop")
    done.set()
    for reader in readers:
        reader.join(HANG_SECONDS)
    with closing(open_store(parse_address(address))) as store:
        export_index(new_root, store, name="shop")
    expected.append(shown(stored().search(query)))
    assert expected[0] != expected[1]
    assert len(answers) > len(readers)
    assert all(answer in expected for answer in answers)


def test_two_writers_and_four_callers_meet_in_whole_generations(
    root: Path, address: str, stored: Callable[..., StoredIndex]
) -> None:
    query = make_query("how is the salary of a person found", k=100)
    states, expected = [], {groups: list[Any]() for groups in CALLERS}
    for change in ({}, {"vault/later.py": SALARIES, "payments/later.py": "def salary_later():\n    return 1\n"}):
        write(root, change)
        with closing(Index.open(root)) as index:
            index.update(workers=0)
            for groups in CALLERS:
                expected[groups].append(shown(index.as_seen_by(groups).search(query)))
        states.append(opened(root))
    export_all = [[states[(turn + writer) % 2] for turn in range(8)] for writer in range(2)]
    answers: dict[tuple[str, ...], list[Any]] = {groups: [] for groups in CALLERS}
    done = threading.Event()

    def export_them(order: list[OpenedRoot]) -> None:
        with closing(open_store(parse_address(address))) as store:
            for state in order:
                export_index(state, store, name="shop")

    def read(groups: tuple[str, ...]) -> None:
        in_store = stored(frozenset(groups))
        while not done.is_set():
            answers[groups].append(shown(in_store.search(query)))

    export_them(states[:1])
    readers = [threading.Thread(target=read, args=(groups,)) for groups in CALLERS]
    writers = [threading.Thread(target=export_them, args=(order,)) for order in export_all]
    for thread in (*readers, *writers):
        thread.start()
    for writer in writers:
        writer.join(HANG_SECONDS)
    done.set()
    for reader in readers:
        reader.join(HANG_SECONDS)
    for groups in CALLERS:
        assert expected[groups][0] != expected[groups][1]
        assert answers[groups]
        assert all(answer in expected[groups] for answer in answers[groups]), groups


def test_what_is_dropped_while_it_is_read_stays_for_the_reader(unchanged_root: Path, address: str) -> None:
    export(unchanged_root, address)
    with closing(open_store(parse_address(address))) as store, closing(open_store(parse_address(address))) as other:
        with store.reading():
            before = set(store.segments())
            other.drop_segment(min(before))
            assert set(store.segments()) == before
        assert set(store.segments()) == before - {min(before)}


def test_two_writers_leave_one_whole_generation(
    unchanged_root: Path, address: str, stored: Callable[..., StoredIndex]
) -> None:
    writers = [exporting(address, unchanged_root) for _ in range(3)]
    assert [writer.wait(HANG_SECONDS) for writer in writers] == [0, 0, 0]
    index = Index.open(unchanged_root)
    assert shown(stored().search(make_query("salary"))) == shown(index.search(make_query("salary")))
    index.close()
    assert len(rows(address)) == len(portions_of(opened(unchanged_root))) + 1
    assert stored().current().number == 1


def test_what_nobody_needs_is_dropped_after_a_while(root: Path, address: str) -> None:
    export(root, address)
    first = segments(address)
    write(root, {"payments/late.py": "X = 1\n"})
    Index.build(root, cache=False, workers=0).close()
    export(root, address)
    assert first <= segments(address)
    export(root, address, grace=0)
    left = segments(address)
    assert left == {portion.name for portion in portions_of(opened(root))}
    assert first - left
    assert sum(row[1] for row in rows(address)[1:]) == rows(address)[0][1]


def segments(address: str) -> set[str]:
    with closing(open_store(parse_address(address))) as store:
        return set(store.segments())


def test_a_damaged_row_is_said(unchanged_root: Path, address: str, stored: Callable[..., StoredIndex]) -> None:
    export(unchanged_root, address)
    with psycopg.connect(address) as connection:
        connection.execute("UPDATE coderag.files SET packet = substr(packet, 1, length(packet) / 2)")
    with pytest.raises(RemoteStoreError, match="the store holds a damaged file"):
        stored().search(make_query("payments"))
    for packet in (b"", b"x" * 100):
        with pytest.raises(RemoteStoreError, match="damaged"):
            decode_packet(packet)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"databases": ["main"]}, "a store knows no databases"),
        ({"repositories": ["other"]}, "is of the repository 'shop' alone"),
        ({"files": frozenset()}, "--changed compares files"),
    ],
    ids=str,
)
def test_what_only_files_answer_is_refused(
    filled: Callable[..., StoredIndex], conditions: dict[str, Any], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        filled().search(make_query("payments", **conditions))


@pytest.mark.parametrize("text", ["mysql://host/db", "nothing", "postgresql:host"])
def test_another_kind_of_address_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="is no kind of store; known are postgresql://HOST/DATABASE#NAME, milvus://"):
        parse_address(text)


def test_an_address_is_shown_without_its_password() -> None:
    assert parse_address("postgresql://me:word@host/db?sslmode=require#a/b").shown == "postgresql://host/db"
