"""Blocks of segments on a store of objects: a few ranges for many of them, each compared with its digest."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import numpy as np

from coderag.errors import IndexUntrustedError, RemoteStoreError
from coderag.index.remote.objects import ObjectStore, Range
from coderag.index.remote.range_cache import RangeCache
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.packing import Coding, unpack
from coderag.stores.ranged.layout import (
    DIGEST_BYTES,
    Directory,
    decode_directory,
    digest_of,
    directory_name,
)
from coderag.stores.ranged.writing import upper_halves

__all__ = ["BlockKey", "Blocks", "OpenedSegment"]

# Bytes between two blocks that are read along: what a request costs in time, a store sends of the rest in less.
GAP_BYTES = 4 << 10
DIRECTORY_BYTES = 64 << 20
U32 = np.dtype("<u4")
REMEMBERED_BYTES = 64 << 20
REMEMBERED_SEGMENTS = 1024  # that were opened; more where one generation has more


class BlockKey(NamedTuple):
    """A block of a segment."""

    segment: str
    number: int


class _Place(NamedTuple):
    """Where a block is, and what it must have."""

    key: BlockKey
    name: str
    begin: int
    end: int
    digest: bytes


class OpenedSegment:
    """A segment whose directory was read."""

    def __init__(self, directory: Directory) -> None:
        self.directory = directory
        self.files: Array = np.frombuffer(directory.files, "<i4")
        self.first_keys: Array = np.frombuffer(directory.first_keys, "<u8")
        self.cell_sizes: Array = np.frombuffer(directory.cell_sizes, "<u4").astype(np.int64)
        self.centroids: Array = np.frombuffer(directory.centroids, np.int8).reshape(
            len(self.cell_sizes), directory.dimensions
        )
        sizes = unpack(directory.sizes, Coding.PLANES, dtype=U32, shape=(directory.blocks,))
        self.offsets: Array = np.append(0, np.cumsum(sizes.astype(np.int64)))
        counts = unpack(directory.chunk_counts, Coding.PLANES, dtype=U32, shape=(len(self.files),))
        self.first_chunks: Array = np.append(0, np.cumsum(counts.astype(np.int64)))  # of each file, and their number
        shape = (directory.commons,)
        self.common_keys: Array = unpack(directory.common_keys, Coding.STEPS, dtype=U32, shape=shape)
        self.common_counts: Array = unpack(directory.common_counts, Coding.PLANES, dtype=U32, shape=shape)

    @property
    def paths_block(self) -> int:
        """The block with the paths of all files."""
        return len(self.files)

    def term_block(self, key: int) -> int | None:
        """Return the block that a term is in if it is anywhere, None where none can have it."""
        at = int(np.searchsorted(self.first_keys, np.uint64(key), side="right")) - 1
        return None if at < 0 else self.paths_block + 1 + at

    def cell_block(self, cell: int) -> int:
        """Return the block of a cell."""
        return self.paths_block + 1 + len(self.first_keys) + cell

    @cached_property
    def positions(self) -> dict[int, int]:
        """The position of each file by its number."""
        return {number: position for position, number in enumerate(self.files.tolist())}

    def common(self, keys: Array) -> Array:
        """Return how many chunks have each of u64[n] terms, i64[n]; 0 for less than some."""
        found = np.zeros(len(keys), dtype=np.int64)
        if len(self.common_keys):
            wanted = upper_halves(keys)
            places = np.minimum(np.searchsorted(self.common_keys, wanted), len(self.common_keys) - 1)
            found += np.where(self.common_keys[places] == wanted, self.common_counts[places], 0)
        return found

    def digest(self, block: int) -> bytes:
        """Return what a block must have."""
        return self.directory.digests[DIGEST_BYTES * block : DIGEST_BYTES * (block + 1)]


def opened_segment(raw: bytes, name: str, *, where: str) -> OpenedSegment:
    """Return a segment by its directory as it is stored; raises RemoteStoreError and IndexUntrustedError."""
    directory = decode_directory(raw, segment=name, where=where)
    try:
        return OpenedSegment(directory)
    except (ValueError, zlib.error) as error:
        raise RemoteStoreError(f'{where} is damaged: {error}; remove it and run "coderag export"') from error


class Blocks:
    """Reads directories and blocks, from memory, the user's cache, or the store; several threads may use it."""

    def __init__(self, store: ObjectStore, cache: RangeCache) -> None:
        self._store, self._cache = store, cache
        self._segments: OrderedDict[str, OpenedSegment] = OrderedDict()
        self._known: OrderedDict[BlockKey, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()  # of what is remembered

    def segments(self, names: Sequence[str]) -> list[OpenedSegment]:
        """Return segments by their names; raises RemoteStoreError and IndexUntrustedError."""
        with self._lock:
            found = {name: one for name in names if (one := self._segments.get(name)) is not None}
        found |= self._directories([name for name in names if name not in found])
        with self._lock:
            for name, one in found.items():
                self._segments[name] = one
                self._segments.move_to_end(name)
            while len(self._segments) > max(REMEMBERED_SEGMENTS, len(found)):
                self._segments.popitem(last=False)
        return [found[name] for name in names]

    def read(self, wanted: Iterable[BlockKey], *, remember: bool = True) -> dict[BlockKey, bytes]:
        """Return blocks of segments; raises RemoteStoreError and IndexUntrustedError."""
        keys = list(dict.fromkeys(wanted))
        with self._lock:
            found = {key: block for key in keys if (block := self._known.get(key)) is not None}
        places = self._places([key for key in keys if key not in found])
        found |= {place.key: block for place in places if (block := self._kept(place)) is not None}
        found |= self._fetched([place for place in places if place.key not in found])
        if remember:
            self._remember(found)
        return found

    def _directories(self, names: Sequence[str]) -> dict[str, OpenedSegment]:
        """Return segments by their names, of the user's cache or the store."""
        places = {name: f"{self._store.address}/{directory_name(name)}" for name in names}
        found: dict[str, OpenedSegment] = {}
        for name in names:
            raw = self._cache.read(places[name], 0, DIRECTORY_BYTES)
            opened = self._opened(raw, name, places[name]) if raw else None
            if opened is not None:
                found[name] = opened
        absent = [name for name in names if name not in found]
        read = self._store.read_each([directory_name(name) for name in absent], DIRECTORY_BYTES) if absent else []
        for name, raw_or_none in zip(absent, read, strict=True):
            if raw_or_none is None:
                raise _dropped()
            found[name] = opened_segment(raw_or_none, name, where=places[name])
            self._cache.remove(places[name])
            self._cache.write(places[name], 0, raw_or_none)
        return found

    def _opened(self, raw: bytes, name: str, where: str) -> OpenedSegment | None:
        """Return a segment by a directory that the user's cache had, None for one that is not trusted."""
        try:
            return opened_segment(raw, name, where=where)
        except (RemoteStoreError, IndexUntrustedError):
            return None

    def _places(self, keys: Sequence[BlockKey]) -> list[_Place]:
        """Return where blocks are, in the order of their bytes."""
        names = sorted({key.segment for key in keys})
        opened = dict(zip(names, self.segments(names), strict=True))
        found = []
        for key in sorted(keys):
            segment = opened[key.segment]
            begin, end = segment.offsets[key.number : key.number + 2].tolist()
            found.append(_Place(key, segment.directory.data, begin, end, segment.digest(key.number)))
        return found

    def _kept(self, place: _Place) -> bytes | None:
        """Return a block that the user's cache has."""
        block = self._cache.read(place.name, place.begin, place.end - place.begin)
        return block if digest_of(block) == place.digest else None

    def _fetched(self, places: Sequence[_Place]) -> dict[BlockKey, bytes]:
        """Return blocks of the store, of places in the order of their bytes."""
        ranges = _ranges(places)
        try:
            pieces = self._store.read_ranges(ranges) if ranges else []
        except FileNotFoundError as error:
            self._forget({place.key.segment for place in places})
            raise _dropped() from error
        for one, data in zip(ranges, pieces, strict=True):
            self._cache.write(one.name, one.begin, data)
        found: dict[BlockKey, bytes] = {}
        left = iter(zip(ranges, pieces, strict=True))
        own, data = next(left, (Range("", 0, 0), b""))
        for place in places:
            while own.name != place.name or own.end < place.end:
                own, data = next(left)
            block = data[place.begin - own.begin : place.end - own.begin]
            if digest_of(block) != place.digest:
                raise RemoteStoreError(
                    f"{self._store.address}/{own.name} is damaged: bytes {place.begin:,} to {place.end:,} are not what "
                    'was exported; remove it and run "coderag export"'
                )
            found[place.key] = block
        return found

    def _forget(self, names: Iterable[str]) -> None:
        """Forget the directories of segments that were dropped: written again, one may be another."""
        with self._lock:
            for name in names:
                self._segments.pop(name, None)
                self._cache.remove(f"{self._store.address}/{directory_name(name)}")

    def _remember(self, blocks: dict[BlockKey, bytes]) -> None:
        with self._lock:
            for key, block in blocks.items():
                if key not in self._known:
                    self._bytes += len(block)
                self._known[key] = block
                self._known.move_to_end(key)
            while self._bytes > REMEMBERED_BYTES:
                self._bytes -= len(self._known.popitem(last=False)[1])


def _ranges(places: Iterable[_Place]) -> list[Range]:
    """Return the ranges that hold some blocks in the order of their bytes; those near each other share one."""
    found: list[Range] = []
    for place in places:
        if found and found[-1].name == place.name and place.begin - found[-1].end <= GAP_BYTES:
            found[-1] = found[-1]._replace(end=place.end)
        else:
            found.append(Range(place.name, place.begin, place.end))
    return found


def _dropped() -> RemoteStoreError:
    return RemoteStoreError(
        "the store dropped a segment of the generation that was being read; ask again, and "
        'run "coderag export" where that does not help'
    )
