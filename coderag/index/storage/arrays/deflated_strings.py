"""Very many short strings, deflated group by group: for those that are seldom read, a sixth of the size."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.inflate import GROUP_BYTES, REMEMBERED_BYTES, inflate, remembered

__all__ = ["DeflatedStrings", "deflate_strings"]

GROUP = 256  # strings compressed together: what reading one costs, about 30 us
SIZE = np.dtype("<u4")  # of each string of a group, before their bytes
LEVEL = 4
CACHED_GROUPS = 64


def deflate_strings(strings: Sequence[str]) -> tuple[Array, Array]:
    """Return (blob u8[bytes], offsets u32[groups + 1]); lone surrogates, as in names of invalid bytes, survive."""
    groups = [_deflated(strings[at : at + GROUP]) for at in range(0, len(strings), GROUP)]
    offsets = np.zeros(len(groups) + 1, dtype=np.uint32)
    np.cumsum([len(group) for group in groups], out=offsets[1:])
    return np.frombuffer(b"".join(groups), dtype=np.uint8), offsets


def _deflated(strings: Sequence[str]) -> bytes:
    encoded = [string.encode("utf-8", "surrogateescape") for string in strings]
    sizes = np.fromiter(map(len, encoded), dtype=SIZE, count=len(encoded))
    return zlib.compress(sizes.tobytes() + b"".join(encoded), LEVEL)


class DeflatedStrings:
    """A read-only sequence of strings over what `deflate_strings` gave; raises IndexDamagedError when it is damaged."""

    def __init__(self, blob: Array, offsets: Array, *, count: int) -> None:
        self._blob = blob
        self._offsets = offsets
        self._count = count
        if len(offsets) - 1 != -(-count // GROUP):
            raise IndexDamagedError('names of an index are damaged (their number); run "coderag index"')
        self._group = remembered(self._small, most=CACHED_GROUPS)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> str:
        group = index // GROUP
        return (self._group(group) or self._read(group))[index % GROUP]

    def all(self) -> list[str]:
        """Return every string, faster than one by one."""
        return [string for group in range(len(self._offsets) - 1) for string in self._read(group)]

    def some(self, indices: Iterable[int]) -> list[str]:
        """Return the strings at some positions, fastest in ascending order."""
        return [self[index] for index in indices]

    def _small(self, group: int) -> list[str]:
        """Return the strings of a group, [] for one that takes too much to be remembered."""
        strings = self._read(group)
        return strings if sum(map(len, strings)) <= REMEMBERED_BYTES else []

    def _read(self, group: int) -> list[str]:
        begin, end = self._offsets[group : group + 2]
        count = min(GROUP, self._count - group * GROUP)
        try:
            raw = inflate(bytes(self._blob[begin:end]), GROUP_BYTES)
            ends = np.cumsum(np.frombuffer(raw, dtype=SIZE, count=count), dtype=np.int64) + count * SIZE.itemsize
            bounds = pairwise([count * SIZE.itemsize, *ends.tolist()])
            return [raw[first:last].decode("utf-8", "surrogateescape") for first, last in bounds]
        except (zlib.error, ValueError) as error:
            raise IndexDamagedError(f'names of an index are damaged ({error}); run "coderag index"') from error
