"""`coderag serve --store`: the answers of `coderag serve --root`, bound to the groups of each token."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
import pytest

from coderag import Index
from coderag.index.storage.folder.signing import VARIABLE
from coderag.stores.addresses import open_store, parse_address
from coderag.stores.export import export_index
from tests.catalog.introspect.servers import Postgres
from tests.commands import ENVIRONMENT, run_here
from tests.growth import HANG_SECONDS
from tests.s3 import empty_bucket
from tests.serve.http.served import Served
from tests.stores.test_stores import QUESTIONS, Near, opened
from tests.workspace import REPOSITORY, write

pytestmark = pytest.mark.slow
TOKENS = {"of-hr": "hr", "of-board": "hr,board", "of-nobody": ""}
NOT_THERE = "the store does not answer; the log of this server says more"
UNANSWERED = [
    "symbol?name=x",
    "refs?target=x",
    "ask?q=x",
    "map",
    "schema?q=x",
    "table/orders",
    "tables",
    "impact?target=x",
]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of tokens."""
    file = tmp_path_factory.mktemp("tokens") / "keys"
    file.write_text(
        "".join(f"{hashlib.sha256(token.encode()).hexdigest()} {groups}\n" for token, groups in TOKENS.items())
    )
    file.chmod(0o600)
    return file


@pytest.fixture(params=["database", "folder", pytest.param("s3", marks=pytest.mark.dev)])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty store."""
    if request.param == "database":
        yield request.getfixturevalue("database")
    elif request.param == "folder":
        yield (tmp_path / "store").as_uri()
    else:
        yield f"s3://{empty_bucket(monkeypatch)}/indexes"


@pytest.fixture
def served(root: Path, address: str, keys: Path) -> Iterator[Served]:
    """A server over the index in the store, as it was exported."""
    with exported(root, address, keys) as server:
        yield server


@pytest.fixture(scope="module")
def unchanged_address(server: Postgres) -> str:
    """The address of the database that `unchanged` answers from."""
    return server.database("unchanged")


@pytest.fixture(scope="module")
def unchanged(unchanged_root: Path, unchanged_address: str, keys: Path) -> Iterator[Served]:
    """The same for tests that only ask it."""
    with exported(unchanged_root, unchanged_address, keys) as server:
        yield server


@contextmanager
def exported(root: Path, address: str, keys: Path) -> Iterator[Served]:
    """Export an index to a store, and serve it from there."""
    with closing(open_store(parse_address(address))) as store:
        export_index(opened(root), store, name="shop")
    with Served(None, "--store", f"{address}#shop", "--groups-from", str(keys)) as server:
        yield server


def test_a_store_is_served_as_files_are(unchanged: Served, unchanged_root: Path, keys: Path) -> None:
    with Served(unchanged_root, "--groups-from", str(keys)) as of_files:
        for token in ("", *TOKENS):
            for question in QUESTIONS:
                path = f"/api/search?{urlencode({'q': question, 'context': 'whole'})}"
                expected = of_files.get(path, token=token or of_files.token).json
                found = unchanged.get(path, token=token or unchanged.token).json
                assert numbers_aside(found) == numbers_aside(expected), (token, question)
            for path in ("shop/cart.py", "vault/salaries.py", "vault/board/bonus.py", "payments/late.py", "README.md"):
                for endpoint in ("file", "outline"):
                    address = f"/api/{endpoint}?{urlencode({'path': path})}"
                    expected_reply = of_files.get(address, token=token or of_files.token)
                    reply = unchanged.get(address, token=token or unchanged.token)
                    assert (reply.status, reply.json) == (expected_reply.status, expected_reply.json), (token, path)


def numbers_aside(hits: object) -> object:
    """Return hits whose numbers equal their neighbours, without what files alone know."""
    if isinstance(hits, list):
        return [numbers_aside(hit) for hit in hits]
    if isinstance(hits, dict):
        return {name: numbers_aside(value) for name, value in hits.items() if name not in ("relations", "commits")}
    return Near(hits) if isinstance(hits, float) else hits


def test_what_only_files_answer_says_so(unchanged: Served) -> None:
    for endpoint in UNANSWERED:
        reply = unchanged.get(f"/api/{endpoint}")
        name = endpoint.partition("?")[0].partition("/")[0]
        assert reply.status == 501
        assert reply.json["error"].startswith(
            f"a store answers search, file, outline and status; {name} needs the index"
        )
    assert unchanged.ask("POST", "/mcp", body=b"{}").status == 501
    assert unchanged.ask("POST", "/api/check-sql", body=b"{}").status == 501
    assert unchanged.get("/api/nothing").status == 404
    assert unchanged.ask("POST", "/api/search").status == 405
    for query in ('"connection refused"', "x lang:go"):
        assert unchanged.get(f"/api/search?q={quote(query)}").status == 400
    assert unchanged.get("/api/search?q=x&database=main").status == 400
    assert unchanged.get("/api/search?q=x&k=0").status == 400
    described = unchanged.get("/api/openapi.json").json
    assert list(described["paths"]) == ["/api/search", "/api/file", "/api/outline", "/api/status", "/healthz"]


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "shop", ".", "%", "a\0b", "_", "shop/cart", "x" * 5_000])
def test_no_file_is_shown_that_is_not_indexed(unchanged: Served, path: str) -> None:
    for endpoint in ("file", "outline"):
        assert unchanged.get(f"/api/{endpoint}?{urlencode({'path': path})}").status in (400, 404)


def test_no_token_sees_what_another_may(unchanged: Served) -> None:
    assert unchanged.get("/api/search?q=x", token="").status == 401
    assert unchanged.get("/api/search?q=x", token="wrong").status == 401
    chunks = {
        token: unchanged.get("/api/status", token=token).json[0]["chunks"] for token in (unchanged.token, *TOKENS)
    }
    assert chunks[unchanged.token] == chunks["of-board"] > chunks["of-hr"] > chunks["of-nobody"] > 0
    assert unchanged.get("/metrics", token="of-hr").status == 403
    assert b"coderag_requests_total" in unchanged.get("/metrics").body


def test_who_starts_the_server_bounds_every_token(unchanged: Served, unchanged_address: str, keys: Path) -> None:
    with Served(None, "--store", unchanged_address, "--groups", "hr", "--groups-from", str(keys)) as bounded:
        assert bounded.get("/api/file?path=vault/board/bonus.py", token="of-board").status == 404
        assert bounded.get("/api/file?path=vault/board/bonus.py").status == 404
        assert bounded.get("/api/file?path=vault/salaries.py").status == 200
    assert unchanged.get("/api/file?path=vault/board/bonus.py", token="of-board").status == 200


def test_readers_of_a_switch_get_one_generation(served: Served, root: Path, address: str) -> None:
    old = opened(root)
    write(
        root,
        {"left.py": "def zyxstate():\n    return 'left 1'\n", "right.py": "def zyxstate():\n    return 'right 1'\n"},
    )
    with closing(Index.open(root)) as index:
        index.update(workers=0)
    new = opened(root)
    seen: set[tuple[str, ...]] = set()
    failed: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            reply = served.get("/api/search?q=zyxstate&k=50", token="of-nobody")
            if reply.status != 200:
                failed.append(reply)
                continue
            paths = {hit["path"] for hit in reply.json}
            seen.add(tuple(sorted(paths & {"left.py", "right.py"})))
            if any(path.startswith("vault/") for path in paths):
                failed.append(paths)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    with closing(open_store(parse_address(address))) as store:
        for turn in range(12):
            export_index(old if turn % 2 else new, store, name="shop")
        for state, paths in ((new, ("left.py", "right.py")), (old, ())):
            export_index(state, store, name="shop")
            _wait_for(paths, seen)
    done.set()
    for reader in readers:
        reader.join(HANG_SECONDS)
    assert failed == []
    assert seen == {(), ("left.py", "right.py")}


def _wait_for(paths: tuple[str, ...], seen: Collection[tuple[str, ...]]) -> None:
    """Wait until a reader has seen some paths."""
    deadline = time.monotonic() + HANG_SECONDS
    while paths not in seen and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_cut_connection_is_made_again(root: Path, database: str) -> None:
    with closing(open_store(parse_address(database))) as store:
        export_index(opened(root), store, name="shop")
    with Served(None, "--store", database) as served:
        _cut(served, database)


def _cut(served: Served, address: str) -> None:
    assert served.get("/api/search?q=payments").status == 200
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()"
        )
    assert served.get("/api/search?q=payments").status == 200
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE coderag.terms")
    reply = served.get("/api/search?q=payments")
    assert (reply.status, reply.json) == (503, {"error": NOT_THERE})
    assert "coderag: PostgreSQL: " in served.end()[1]


def test_a_bucket_that_is_gone_or_not_to_be_believed_is_told_to_the_log_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    monkeypatch.setenv(VARIABLE, "k" * 40)
    with closing(open_store(parse_address(store.as_uri()))) as opened_store:
        export_index(opened(root), opened_store, name="shop")
    with Served(None, "--store", store.as_uri(), "--workers", "2") as served:
        assert served.get("/api/search?q=payments").status == 200
        store.rename(tmp_path / "gone")
        reply = served.get("/api/search?q=late+payments")
        assert (reply.status, reply.json["error"][:27]) == (503, "the store has no index 'sho")
        (tmp_path / "gone").rename(store)
        assert served.get("/api/search?q=late+payments").status == 200
    monkeypatch.setenv(VARIABLE, "o" * 40)
    with Served(None, "--store", store.as_uri()) as served:
        reply = served.get("/api/search?q=payments")
        assert (reply.status, reply.json) == (503, {"error": NOT_THERE})
        assert f"set {VARIABLE} to the key" in served.end()[1]


def test_threads_share_what_was_read_of_a_bucket(root: Path, tmp_path: Path) -> None:
    address = (tmp_path / "store").as_uri()
    with closing(open_store(parse_address(address))) as store:
        export_index(opened(root), store, name="shop")
    with Served(None, "--store", f"{address}#shop") as served, ThreadPoolExecutor(8) as threads:
        paths = [f"/api/search?{urlencode({'q': question})}" for question in QUESTIONS * 4]
        replies = list(threads.map(served.get, paths))
        assert {reply.status for reply in replies} == {200}
        for path, reply in zip(paths, replies, strict=True):
            assert reply.json == served.get(path).json


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--root", "."], "--store and --root exclude each other"),
        (["--model", "ollama:qwen3"], "--store and --model exclude each other"),
        (["--background"], "--store and --background exclude each other"),
        ([], "there is no index at"),
    ],
)
def test_what_does_not_go_with_a_store_is_said(address: str, arguments: list[str], message: str) -> None:
    of_the_store = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    done = run_here("serve", "--port", "0", "--store", address, *arguments, cwd=REPOSITORY, **of_the_store)
    assert done.returncode == 2
    assert message in done.stderr
