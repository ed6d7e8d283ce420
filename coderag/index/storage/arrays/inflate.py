"""Deflated bytes to what they were, up to a size: a few kilobytes may claim to be gigabytes.

What was inflated last is remembered by the object that reads it, for as long as that is used.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import TypeVar
from weakref import WeakMethod

__all__ = ["GROUP_BYTES", "RECORD_BYTES", "REMEMBERED_BYTES", "inflate", "remembered", "remembered_bytes"]

R = TypeVar("R")

GROUP_BYTES = 64 << 20  # of names or details that are deflated together, at most; some kilobytes are usual
RECORD_BYTES = 256 << 20  # of the facts or the links of a file
REMEMBERED_BYTES = 1 << 18  # a group that is larger is inflated whenever it is asked for
# What is larger than LARGE_BYTES is no more than RATIO times as large as it is deflated. What is written of files is a
# thirtieth at the least; deflate could make a thousandth of bytes that are all alike.
LARGE_BYTES, RATIO = 4 << 20, 100


def inflate(data: bytes, most_bytes: int) -> bytes:
    """Return the bytes that were deflated; raises zlib.error for damaged ones, and for more than `most_bytes`."""
    most_bytes = min(most_bytes, LARGE_BYTES + RATIO * len(data))
    stream = zlib.decompressobj()
    raw = stream.decompress(data, most_bytes)
    if not stream.eof:
        raise zlib.error(f"the data is truncated, or more than {most_bytes:,} bytes")
    return raw


def remembered(method: Callable[[int], R], *, most: int) -> Callable[[int], R]:
    """Return a method of one object that remembers its last results, to be kept by the object itself.

    It does not refer back to the object: an index that was replaced goes at once, with what it mapped and remembers,
    and does not wait until Python looks for cycles.
    """
    return lru_cache(maxsize=most)(_weakly(method))


def remembered_bytes(method: Callable[[int], bytes], *, most: int) -> Callable[[int], bytes]:
    """Return the same of results that differ in size, of which so many bytes are remembered."""
    read, held, lock = _weakly(method), dict[int, bytes](), Lock()
    room = most

    def call(number: int) -> bytes:
        nonlocal room
        with lock:
            if (found := held.pop(number, None)) is not None:
                held[number] = found  # at the end, as the one asked for last
                return found
        found = read(number)
        with lock:
            room -= len(found) - len(held.pop(number, b""))  # another thread may have read it, too
            held[number] = found
            while room < 0:
                room += len(held.pop(next(iter(held))))
        return found

    return call


def _weakly(method: Callable[[int], R]) -> Callable[[int], R]:
    weak = WeakMethod(method)

    def call(number: int) -> R:
        bound = weak()
        assert bound is not None, "who calls holds the object"
        return bound(number)

    return call
