"""In how many chunks of a segment each term is, for a store that keeps bytes by keys: tables, few of which are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from coderag.errors import RemoteStoreError
from coderag.index.storage.arrays.arrays import Array
from coderag.stores.store import StoredSegment

__all__ = ["Counts", "segment_packets"]

BUCKETS = 64  # of the counts of a segment, by the highest bits of their keys


class Counts:
    """The tables that were read; what a name of a segment stands for never changes."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[Array, Array]] = {}

    def sums(self, keys: Array, segments: Sequence[str], read: Callable[[Sequence[str]], dict[str, bytes]]) -> Array:
        """Return in how many chunks of some segments each of u64[n] keys is, i64[n]; `read` gets what is missing."""
        buckets = sorted({int(bucket) for bucket in _buckets(keys)})
        wanted = [f"{segment}/counts {bucket}" for segment in segments for bucket in buckets]
        if missing := [name for name in wanted if name not in self._tables]:
            for name, body in read(missing).items():
                try:
                    table = np.frombuffer(body, "<u8").reshape(2, -1)
                except ValueError as error:
                    raise RemoteStoreError(
                        f'the store holds a damaged table ({error}); run "coderag export"'
                    ) from error
                self._tables[name] = table[0], table[1].astype(np.int64)
        found = np.zeros(len(keys), dtype=np.int64)
        for name in wanted:
            known, counts = self._tables.get(name, (keys[:0], found[:0]))
            if len(known):
                places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                found += np.where(known[places] == keys, counts[places], 0)
        return found


def segment_packets(segment: StoredSegment) -> Iterator[tuple[str, bytes]]:
    """Yield what a segment stores as bytes, with its key: files by their numbers, and the tables of its counts."""
    for file in segment.files:
        yield str(file.number), file.packet
    buckets = _buckets(segment.terms)
    for bucket in np.unique(buckets).tolist():
        own = buckets == bucket
        table = np.stack([segment.terms[own], segment.counts[own].astype(np.uint64)]).astype("<u8")
        yield f"counts {bucket}", table.tobytes()


def _buckets(keys: Array) -> Array:
    buckets: Array = keys >> np.uint64(64 - BUCKETS.bit_length() + 1)
    return buckets
