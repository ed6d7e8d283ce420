"""Answers are made once for all who ask the same of one state, and kept within a bound."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from coderag.errors import QueryError
from coderag.serve.http.response_cache import ENTRY_BYTES, Made, ResponseCache, digest_of
from tests.serve.http.served import SECONDS


def always() -> bool:
    return True


def test_who_asks_the_same_meanwhile_shares_the_answer() -> None:
    cache = ResponseCache()
    asked, go_on = threading.Event(), threading.Event()

    def slow() -> Made:
        asked.set()
        assert go_on.wait(SECONDS)
        return Made(b"slow")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(cache.get, "key", slow, still=always)
        assert asked.wait(SECONDS)
        second = threads.submit(cache.get, "key", lambda: Made(b"another"), still=always)
        deadline = time.monotonic() + SECONDS
        while not cache.counts().shared:
            assert time.monotonic() < deadline
        go_on.set()
        assert (first.result(), second.result()) == (Made(b"slow"), Made(b"slow"))
    assert cache.get("key", lambda: Made(b"another"), still=always) == Made(b"slow")
    counts = cache.counts()
    assert (counts.kept, counts.shared, counts.made, counts.bytes) == (1, 1, 1, ENTRY_BYTES + 4)


def test_what_is_not_of_its_key_any_more_is_not_kept() -> None:
    cache = ResponseCache()
    assert cache.get("key", lambda: Made(b"old"), still=lambda: False) == Made(b"old")
    assert cache.get("key", lambda: Made(b"new"), still=always) == Made(b"new")


def test_a_failure_is_raised_and_not_kept() -> None:
    cache = ResponseCache()

    def fail() -> Made:
        raise QueryError("no such thing")

    with pytest.raises(QueryError, match="no such thing"):
        cache.get("key", fail, still=always)
    assert cache.get("key", lambda: Made(b"there"), still=always) == Made(b"there")


def test_the_least_recently_used_is_forgotten_first() -> None:
    cache = ResponseCache(most_bytes=2 * ENTRY_BYTES + 10)
    for key in ("a", "b"):
        cache.get(key, lambda: Made(b"12345"), still=always)
    cache.get("a", lambda: Made(b""), still=always)
    cache.get("c", lambda: Made(b"12345"), still=always)
    cache.get("large", lambda: Made(bytes(2 * ENTRY_BYTES)), still=always)
    assert cache.counts().bytes == 2 * ENTRY_BYTES + 10
    assert cache.get("a", lambda: Made(b""), still=always) == Made(b"12345")
    assert cache.get("b", lambda: Made(b"again"), still=always) == Made(b"again")


def test_answers_without_text_are_bounded_too() -> None:
    cache = ResponseCache(most_bytes=3 * ENTRY_BYTES)
    for number in range(10):
        cache.get(number, lambda: Made(b""), still=always)
    assert cache.counts().bytes == 3 * ENTRY_BYTES


def test_a_degraded_answer_goes_to_all_who_wait_and_is_not_kept() -> None:
    cache = ResponseCache()
    degraded = Made(b"words alone", ("the encoder failed",))
    assert cache.get("key", lambda: degraded, still=always) == degraded
    assert cache.get("key", lambda: Made(b"whole"), still=always) == Made(b"whole")


def test_a_key_is_small_whatever_is_asked() -> None:
    keys = {digest_of(asked) for asked in ("a" * 1_000_000, "a" * 1_000_001, "\udc80")}
    assert {len(key) for key in keys} == {32}
    assert len(keys) == 3
