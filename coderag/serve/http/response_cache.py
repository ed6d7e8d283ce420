"""Answers of one state of an index: computed once for all who ask the same, and kept for a while."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass

__all__ = ["Made", "ResponseCache", "ResponseCounts", "digest_of"]

MOST_BYTES = 8 << 20  # of answers in a process; one takes 10 to 40 kB
ENTRY_BYTES = 512  # that an answer takes beside its text: its key and its place in the dictionaries


@dataclass(frozen=True, slots=True)
class Made:
    """An answer, and why it is worse than it could be."""

    body: bytes
    warnings: tuple[str, ...] = ()
    media_type: str = "application/json"


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
    the files. It should be small, whatever was asked: see `digest_of`.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most so many bytes."""
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, Made] = OrderedDict()
        self._making: dict[Hashable, Future[Made]] = {}
        self._lock = threading.Lock()
        self._hits = self._shares = self._makes = self._bytes = 0

    def get(self, key: Hashable, make: Callable[[], Made], *, still: Callable[[], bool]) -> Made:
        """Return the answer of a key, made where there is none; raises what `make` raises.

        It is kept where `still` tells afterwards that the key is that of what answered, unless it came with a warning:
        what failed then may work for the next who asks.
        """
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                self._hits += 1
                return kept
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

    def _make(self, key: Hashable, make: Callable[[], Made], making: Future[Made], still: Callable[[], bool]) -> None:
        try:
            made = make()
            if not made.warnings and still():
                self._keep(key, made)
            making.set_result(made)
        except BaseException as error:  # noqa: BLE001 - raised by each who waits
            making.set_exception(error)
        finally:
            with self._lock:
                del self._making[key]

    def _keep(self, key: Hashable, made: Made) -> None:
        if _size(made) > self._most_bytes:
            return
        with self._lock:
            self._kept[key] = made
            self._bytes += _size(made)
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= _size(oldest)


def digest_of(asked: object) -> bytes:
    """Return what stands in a key for parameters, which may be as long as a request."""
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).digest()


def _size(made: Made) -> int:
    return ENTRY_BYTES + len(made.body)
