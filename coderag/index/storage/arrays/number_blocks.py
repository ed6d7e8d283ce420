"""Very many numbers, packed block by block: whoever asks for a few unpacks the blocks that these are in."""

from __future__ import annotations

import zlib

import numpy as np

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.inflate import remembered
from coderag.index.storage.arrays.packing import Coding, deflated, unpack

__all__ = ["NumberBlocks", "pack_blocks"]

BLOCK = 2048  # numbers packed together: what one costs to read, about 40 us
CACHED_BLOCKS = 2048  # 16 MB
MAX_RUN, CACHED_RUNS = 1 << 16, 32  # numbers in a run of blocks that is remembered, and how many runs: 8 MB
NUMBERS = np.dtype(np.uint32)


def pack_blocks(numbers: Array) -> tuple[Array, Array]:
    """Return (blob u8[bytes], starts u32[blocks + 1]) of numbers below 2^32."""
    wide = numbers.astype(NUMBERS)
    blocks = [deflated(wide[at : at + BLOCK], Coding.STEPS) for at in range(0, len(wide), BLOCK)]
    starts = np.zeros(len(blocks) + 1, dtype=np.uint32)
    np.cumsum([len(block) for block in blocks], out=starts[1:])
    return np.frombuffer(b"".join(blocks), dtype=np.uint8), starts


class NumberBlocks:
    """A read-only sequence of numbers over what `pack_blocks` gave; raises IndexDamagedError when it is damaged."""

    def __init__(self, blob: Array, starts: Array, *, count: int) -> None:
        self._blob = blob
        self._starts = starts
        self._count = count
        if len(starts) - 1 != -(-count // BLOCK):
            raise IndexDamagedError('numbers of an index are damaged (their number); run "coderag index"')
        self._runs: dict[tuple[int, int], Array] = {}
        self._block = remembered(self._read, most=CACHED_BLOCKS)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, places: slice) -> Array:
        """Return the numbers between two places, u32[numbers]."""
        begin, end, _ = places.indices(self._count)
        first, last = begin // BLOCK, max(end - 1, begin) // BLOCK
        if begin >= end:
            return np.zeros(0, dtype=NUMBERS)
        numbers = self._block(first) if first == last else self._run(first, last)
        return numbers[begin - first * BLOCK : end - first * BLOCK]

    def _run(self, first: int, last: int) -> Array:
        """Return the numbers of some blocks; recent runs are remembered, as a question reads some more than once."""
        run = self._runs.get((first, last))
        if run is None:
            run = np.concatenate([self._block(number) for number in range(first, last + 1)])
            if len(run) <= MAX_RUN:
                if len(self._runs) >= CACHED_RUNS:
                    self._runs = {}
                self._runs[first, last] = run
        return run

    def all(self) -> Array:
        """Return every number."""
        blocks = [self._read(number) for number in range(len(self._starts) - 1)]
        return np.concatenate(blocks) if blocks else np.zeros(0, dtype=NUMBERS)

    def _read(self, number: int) -> Array:
        begin, end = self._starts[number : number + 2]
        count = min(BLOCK, self._count - number * BLOCK)
        try:
            return unpack(bytes(self._blob[begin:end]), Coding.STEPS, dtype=NUMBERS, shape=(count,))
        except (zlib.error, ValueError) as error:
            raise IndexDamagedError(f'numbers of an index are damaged ({error}); run "coderag index"') from error
