"""Values by their keys in a bounded number of bytes, the least recently used forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from coderag.ask.caching.counts import CacheCounts

__all__ = ["BoundedCache"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """A bounded number of bytes of values; its methods may be called from several threads."""

    def __init__(self, size_of: Callable[[Value], int], *, most_bytes: int) -> None:
        """Keep at most so many bytes; `size_of` says how many a value takes."""
        self._size_of = size_of
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._size = self._hits = self._misses = 0
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, None if there is none or it was forgotten; it is counted."""
        found = self.find(key)
        self.count(is_hit=found is not None)
        return found

    def find(self, key: Key) -> Value | None:
        """Return the same, for a caller that counts for itself."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value; what is too large for the cache is not kept."""
        size = self._size_of(value)
        if size > self._most_bytes:
            return
        with self._lock:
            _, before = self._kept.pop(key, (value, 0))
            self._kept[key] = value, size
            self._size += size - before
            while self._size > self._most_bytes:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._size -= oldest

    def items(self) -> list[tuple[Key, Value]]:
        """Return what is held, the least recently used first."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._kept.items()]

    def count(self, *, is_hit: bool) -> None:
        """Count a question to the cache."""
        with self._lock:
            self._hits += is_hit
            self._misses += not is_hit

    def counts(self) -> CacheCounts:
        """Return how often a value was found, and what is held."""
        with self._lock:
            return CacheCounts(self._hits, self._misses, len(self._kept), self._size)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._size = 0
