"""Answers are made once for all who ask the same of one state, and kept within a bound."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from coderag.errors import QueryError
from coderag.serve.http.response_cache import ResponseCache
from tests.serve.http.served import SECONDS


def always() -> bool:
    return True


def test_who_asks_the_same_meanwhile_shares_the_answer() -> None:
    cache = ResponseCache()
    asked, go_on = threading.Event(), threading.Event()

    def slow() -> bytes:
        asked.set()
        assert go_on.wait(SECONDS)
        return b"slow"

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(cache.get, "key", slow, still=always)
        assert asked.wait(SECONDS)
        second = threads.submit(cache.get, "key", lambda: b"another", still=always)
        deadline = time.monotonic() + SECONDS
        while not cache.counts().shared:
            assert time.monotonic() < deadline
        go_on.set()
        assert (first.result(), second.result()) == (b"slow", b"slow")
    assert cache.get("key", lambda: b"another", still=always) == b"slow"
    counts = cache.counts()
    assert (counts.kept, counts.shared, counts.made, counts.bytes) == (1, 1, 1, 4)


def test_what_is_not_of_its_key_any_more_is_not_kept() -> None:
    cache = ResponseCache()
    assert cache.get("key", lambda: b"old", still=lambda: False) == b"old"
    assert cache.get("key", lambda: b"new", still=always) == b"new"


def test_a_failure_is_raised_and_not_kept() -> None:
    cache = ResponseCache()

    def fail() -> bytes:
        raise QueryError("no such thing")

    with pytest.raises(QueryError, match="no such thing"):
        cache.get("key", fail, still=always)
    assert cache.get("key", lambda: b"there", still=always) == b"there"


def test_the_least_recently_used_is_forgotten_first() -> None:
    cache = ResponseCache(most_bytes=10)
    for key in ("a", "b"):
        cache.get(key, lambda: b"12345", still=always)
    cache.get("a", lambda: b"", still=always)
    cache.get("c", lambda: b"12345", still=always)
    cache.get("large", lambda: b"12345678901", still=always)
    assert cache.counts().bytes == 10
    assert cache.get("a", lambda: b"", still=always) == b"12345"
    assert cache.get("b", lambda: b"again", still=always) == b"again"
