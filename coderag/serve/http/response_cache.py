"""Answers of one state of an index: computed once for all who ask the same, and kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass

__all__ = ["ResponseCache", "ResponseCounts"]

MOST_BYTES = 8 << 20  # of answers in a process; one takes 10 to 40 kB


@dataclass(frozen=True, slots=True)
class ResponseCounts:
    """How often an answer was there, was being made for somebody else, or had to be made; and what is held."""

    kept: int
    shared: int
    made: int
    bytes: int


class ResponseCache:
    """A bounded number of bytes of answers; its methods may be called from several threads.

    A key names the state of the index that answers (`Index.state`), so an answer is never older than the last look at
    the files.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most so many bytes."""
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._making: dict[Hashable, Future[bytes]] = {}
        self._lock = threading.Lock()
        self._hits = self._shares = self._makes = self._bytes = 0

    def get(self, key: Hashable, make: Callable[[], bytes], *, still: Callable[[], bool]) -> bytes:
        """Return the answer of a key, made where there is none; raises what `make` raises.

        It is kept where `still` tells afterwards that the key is that of what answered.
        """
        with self._lock:
            if (body := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                self._hits += 1
                return body
            making = self._making.get(key)
            leads = making is None
            making = self._making.setdefault(key, Future())
            self._makes += leads
            self._shares += not leads
        if leads:
            self._make(key, make, making, still)
        return making.result()

    def counts(self) -> ResponseCounts:
        """Return how often there was an answer, and what is held."""
        with self._lock:
            return ResponseCounts(self._hits, self._shares, self._makes, self._bytes)

    def _make(self, key: Hashable, make: Callable[[], bytes], making: Future[bytes], still: Callable[[], bool]) -> None:
        try:
            body = make()
            if still():
                self._keep(key, body)
            making.set_result(body)
        except BaseException as error:  # noqa: BLE001 - raised by each who waits
            making.set_exception(error)
        finally:
            with self._lock:
                del self._making[key]

    def _keep(self, key: Hashable, body: bytes) -> None:
        if len(body) > self._most_bytes:
            return
        with self._lock:
            self._kept[key] = body
            self._bytes += len(body)
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest)
