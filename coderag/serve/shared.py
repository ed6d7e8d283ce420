"""A costly look at the disk that several threads need at once, to one that they share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

__all__ = ["Shared"]

R = TypeVar("R")


class Shared(Generic[R]):
    """What a function returns, for all who asked before it was called; one call runs at a time.

    Who asks while a call runs gets what the next one returns: the running one may have looked already at what changed
    since. Databases write transactions so (group commit).
    """

    def __init__(self) -> None:
        """Share nothing yet."""
        self._lock = threading.Lock()
        self._running = threading.Lock()
        self._next: Future[R] | None = None

    def get(self, function: Callable[[], R]) -> R:
        """Return what the function of one of those who wait returns; raises what it raises."""
        with self._lock:
            leads = self._next is None
            call = self._next = self._next or Future()
        if leads:
            with self._running:
                with self._lock:
                    self._next = None
                _run(call, function)
        return call.result()


def _run(call: Future[R], function: Callable[[], R]) -> None:
    try:
        call.set_result(function())
    except BaseException as error:  # noqa: BLE001 - raised by each who waits
        call.set_exception(error)
