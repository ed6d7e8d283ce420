"""Many short texts to the places in a file where one of them may stand, at some hundred megabytes a second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

import numpy as np

__all__ = ["KEY_BYTES", "Key", "Sieve", "key_of", "parse_anchor"]

KEY_BYTES = 3  # of an anchor that the sieve looks at; fewer are too frequent, more cost time
BUCKETS = 8  # the bits of a byte
WINDOW_BYTES = 1 << 16  # of a file looked at together: larger arrays are new pages each time
# The bytes of source code, the most frequent first, counted in six projects of as many languages.
FREQUENT = b" etsanroi\nlcd\tpufmh_.g)(,by=\":/vx0*;>wkATS-R1EO{}I<2FCNMLD`4P63[B]&UjqV8\\'5@!9Gz|7H#+WK%XQ~Y^?JZ$"
WEIGHTS = [1 / (2 + (rank if (rank := FREQUENT.find(byte)) >= 0 else len(FREQUENT))) for byte in range(256)]
LETTERS = 10.0  # how much more frequent three letters are than chance would have it: they are pieces of words
CLASS = re.compile(r"\[([^\]]+)\]|(.)")
RANGE = re.compile(r"(.)-(.)|(.)")

Key = tuple[bytes, ...]  # for each place the bytes that may stand there


def parse_anchor(text: str) -> Key:
    """Return the bytes that may stand at each place of an anchor: "a[0-9]" is an a and a digit."""
    return tuple(_members(match[1]) if match[1] else match[2].encode() for match in CLASS.finditer(text))


def _members(inside: str) -> bytes:
    """Return the bytes of a class, as a regular expression has them between brackets."""
    members: list[int] = []
    for match in RANGE.finditer(inside):
        first, last = (match[1], match[2]) if match[1] else (match[3], match[3])
        members += range(ord(first), ord(last) + 1)
    return bytes(members)


def key_of(anchor: Key) -> tuple[int, Key]:
    """Return the rarest piece of an anchor that a sieve can look for, and where in the anchor it begins."""
    starts = range(len(anchor) - KEY_BYTES + 1)
    start = min(starts, key=lambda at: _frequency(anchor[at : at + KEY_BYTES]))
    return start, anchor[start : start + KEY_BYTES]


def _frequency(key: Iterable[bytes]) -> float:
    """Return how often a key is to be expected, as a figure to compare."""
    frequency, letters = 1.0, True
    for members in key:
        share, alphabetic = _share(members)
        frequency *= share
        letters = letters and alphabetic
    return frequency * LETTERS if letters else frequency


@cache
def _share(members: bytes) -> tuple[float, bool]:
    """Return how often one of some bytes is to be expected, and whether all are letters."""
    return sum(WEIGHTS[byte] for byte in members), members.isalpha()


class Sieve:
    """A multi-pattern prefilter: bit tables that mark where any of some keys may start.

    Each key belongs to one of eight buckets, and a table a place says of each byte in which buckets some key has it
    there. Where the tables agree on a bucket, a key of it may stand. (The idea of Teddy, the matcher for several
    texts in Hyperscan; here with `bytes.translate` in place of shuffles.)
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        self._keys = frozenset(bytes(one) for key in keys for one in product(*key))
        tables = [bytearray(256) for _ in range(KEY_BYTES)]
        for number, bucket in enumerate(_buckets(keys)):
            for table, members in zip(tables, bucket, strict=True):
                for byte in members:
                    table[byte] |= 1 << number
        self._tables = [bytes(table) for table in tables]

    def positions(self, data: bytes) -> list[int]:
        """Return where keys begin, in order."""
        if len(data) <= WINDOW_BYTES:
            return self._within(data)
        found: list[int] = []
        for start in range(0, len(data) - KEY_BYTES + 1, WINDOW_BYTES):
            window = data[start : start + WINDOW_BYTES + KEY_BYTES - 1]
            found += [start + position for position in self._within(window)]
        return found

    def _within(self, data: bytes) -> list[int]:
        if len(data) < KEY_BYTES:
            return []
        first, *others = (np.frombuffer(data.translate(table), dtype=np.uint8) for table in self._tables)
        size = len(data) - KEY_BYTES + 1
        agreed = first[:size].copy()
        for place, other in enumerate(others, 1):
            agreed &= other[place : place + size]
        keys = self._keys
        maybe: list[int] = agreed.astype(bool).nonzero()[0].tolist()
        return [position for position in maybe if data[position : position + KEY_BYTES] in keys]


def _buckets(keys: Iterable[Key]) -> list[list[set[int]]]:
    """Return the keys in buckets, each as the bytes at its places; keys that share bytes come together."""
    buckets: list[list[set[int]]] = [[set() for _ in range(KEY_BYTES)] for _ in range(BUCKETS)]
    for key in sorted(keys, key=lambda one: (-_frequency(one), one)):
        grown = [[places | set(own) for places, own in zip(bucket, key, strict=True)] for bucket in buckets]
        costs = [_cost(after) - _cost(before) for after, before in zip(grown, buckets, strict=True)]
        best = costs.index(min(costs))
        buckets[best] = grown[best]
    return buckets


def _cost(bucket: Iterable[set[int]]) -> float:
    return _frequency(bytes(places) for places in bucket)
