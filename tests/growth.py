"""Work is judged by how it grows, or by other work at the same time on the same machine; never by seconds.

For four times as much, linear work takes four times as long and quadratic work 16 times. Noise only ever adds to a
time: the least of several ratios counts, and what seems too slow is measured again before that is the verdict.
"""

from __future__ import annotations

import gc
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = [
    "HANG_SECONDS",
    "MAX_GROWTH",
    "RUNS",
    "TIMES",
    "Hang",
    "Work",
    "assert_linear",
    "calls",
    "cpu_seconds",
    "must_end",
    "ratio",
    "repeated",
]

TIMES = 4  # how much larger the larger work is
MAX_GROWTH = 8.0  # of its time: in the middle between 4, which is linear, and 16, which is quadratic
ROUNDS = 10  # of measurements before the verdict
PAUSE_SECONDS = 0.02  # before another one, longer each time: what disturbs goes on for a while
RUNS = 3  # of the smaller work in each: a short time is soon disturbed, and would make the larger one look good
HANG_SECONDS = 120.0  # what is guarded takes a second or two on a slow machine: no end in this time is a hang

Work = Callable[[], object]


class Hang(Exception):
    """Work did not end."""


def cpu_seconds(work: Work) -> float:
    """Return the time of the processor that this thread takes: what other processes and threads take does not count."""
    collecting = gc.isenabled()
    gc.disable()  # a collection would look at whatever other tests left
    try:
        begun = time.thread_time()
        work()
        return time.thread_time() - begun
    finally:
        if collecting:
            gc.enable()


def ratio(larger: Work, smaller: Work, *, at_most: float) -> float:
    """Return how many times as long the larger work takes; no further rounds are run once that is few enough."""
    least = math.inf
    for number in range(ROUNDS):
        time.sleep(number * PAUSE_SECONDS)
        # Both at about the same time: a processor that is shared is at times half as fast for all that runs on it.
        short = min(cpu_seconds(smaller) for _ in range(RUNS))
        least = min(least, cpu_seconds(larger) / short)
        if least <= at_most:
            break
    return least


def assert_linear(prepare: Callable[[int], Work], size: int) -> None:
    """Assert that the time of what is prepared for a size grows as the size does, up to four times this one."""
    with must_end():
        growth = ratio(prepare(TIMES * size), prepare(size), at_most=MAX_GROWTH)
    assert growth <= MAX_GROWTH, f"{TIMES} times as much takes {growth:.1f} times as long"


def repeated(again: str, *, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return what makes a text of any number of repeats."""
    return lambda count: before + again * count + after


def calls(work: Work) -> int:
    """Return how many functions work calls, which does not depend on the machine at all."""
    count = 0

    def tell(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@contextmanager
def must_end(seconds: float = HANG_SECONDS) -> Iterator[None]:
    """Raise Hang where what is inside does not end; the limit only has to tell a hang from an end."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise Hang(f"no end in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
