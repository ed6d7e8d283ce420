"""A look that is shared sees all that was there when it was asked for."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from coderag.serve.shared import Shared

THREADS = 12


def test_who_waits_while_a_look_runs_shares_the_next_one() -> None:
    shared: Shared[int] = Shared()
    begun, go, looks = threading.Event(), threading.Event(), []

    def look() -> int:
        looks.append(1)
        begun.set()
        go.wait()
        return len(looks)

    with ThreadPoolExecutor(THREADS + 1) as threads:
        first = threads.submit(shared.get, look)
        begun.wait()
        asked = threading.Barrier(THREADS)

        def ask() -> int:
            asked.wait()
            return shared.get(look)

        others = [threads.submit(ask) for _ in range(THREADS)]
        go.set()
        assert first.result() == 1
        assert min(each.result() for each in others) >= 2  # none got the look that ran when it asked
    assert len(looks) <= 1 + THREADS


def test_one_after_the_other_looks_anew() -> None:
    shared: Shared[int] = Shared()
    numbers = iter(range(5))
    assert [shared.get(lambda: next(numbers)) for _ in range(3)] == [0, 1, 2]


def test_each_who_waits_gets_the_error() -> None:
    shared: Shared[int] = Shared()
    with pytest.raises(ZeroDivisionError):
        shared.get(lambda: 1 // 0)
    assert shared.get(lambda: 7) == 7
