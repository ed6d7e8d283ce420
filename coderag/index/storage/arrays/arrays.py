"""One file of named numpy arrays, memory-mapped when it is read.

magic  8 bytes  b"coderag\\x01"
size   u32      bytes of the header
crc    u32      CRC-32 of the header
header JSON     {"name": [dtype, shape, offset, crc32], ...}, offsets counted from the end of the header; of an array
                that is packed (storage.arrays.packing), [dtype, shape, offset, crc32, coding, bytes]
data            each array at a multiple of ALIGNMENT
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from io import SEEK_END
from math import prod
from mmap import ACCESS_READ, mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.packing import PACKED_BYTES, Coding, pack, unpack
from coderag.index.storage.folder.index_path import IndexPath
from coderag.record import record

__all__ = [
    "CHECKED_BYTES",
    "MAPPED_BYTES",
    "Array",
    "Arrays",
    "damaged_array",
    "held_file",
    "mapped",
    "open_arrays",
    "write_arrays",
]

Array = npt.NDArray[Any]

MAGIC = b"coderag\x01"
PREFIX = struct.Struct("<8sII")
ALIGNMENT = 64  # a cache line
# Smaller arrays are checked when they are opened: all of a small index. Reading and checking takes 1 ms a MiB, which a
# search of a large index has not; the rest is for `damaged_array`.
CHECKED_BYTES = 1 << 17
MAPPED_BYTES = 1 << 36  # of a file, at most: it is mapped and not read, so this keeps out nonsense alone
HEADER_BYTES = 1 << 20
PLAIN_FIELDS, PACKED_FIELDS = 4, 6  # of an array in the header
CODINGS = frozenset(map(int, Coding))
DTYPE = re.compile(r"[<|][fiu][1248]|\|b1")  # numbers of all kinds that are written; no objects, no records


@record
class _Stored:
    """An array as it is stored in a file."""

    data: Array  # u8[bytes]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    checksum: int
    coding: Coding | None  # None: it is not packed


class Arrays(Mapping[str, Array]):
    """The arrays of a file; what is packed is unpacked when it is asked for."""

    __slots__ = ("_opened", "_path", "_stored")

    def __init__(self, path: IndexPath, stored: Mapping[str, _Stored]) -> None:
        self._path = path
        self._stored = stored
        self._opened: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        """Return an array; raises IndexDamagedError for a packed one that is not what was written."""
        array = self._opened.get(name)
        if array is None:
            array = self._opened[name] = self._open(name)
        return array

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def form(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]] | None:
        """Return the type and the shape of an array, which takes no look at it; None if there is none."""
        stored = self._stored.get(name)
        return None if stored is None else (stored.dtype, stored.shape)

    def stored_bytes(self, name: str) -> int:
        """Return how many bytes an array takes in the file."""
        return len(self._stored[name].data)

    def damaged(self) -> str | None:
        """Return the name of the first array that does not match its checksum, None when all do."""
        return next((name for name, one in self._stored.items() if zlib.crc32(one.data.data) != one.checksum), None)

    def _open(self, name: str) -> Array:
        stored = self._stored[name]
        if stored.coding is None:
            return np.frombuffer(stored.data, dtype=stored.dtype).reshape(stored.shape)
        try:
            return unpack(bytes(stored.data), stored.coding, dtype=stored.dtype, shape=stored.shape)
        except (zlib.error, ValueError) as error:
            raise IndexDamagedError(f'{self._path} is damaged: {name}: {error}; run "coderag index"') from error


def write_arrays(path: IndexPath, arrays: Mapping[str, Array]) -> None:
    """Write arrays to a new file; the caller syncs and renames what it belongs to."""
    table: dict[str, tuple[object, ...]] = {}
    written: list[memoryview | bytes] = []
    offset = 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        packed = pack(array)
        data = array.reshape(-1).view(np.uint8).data if packed is None else packed[1]
        table[name] = array.dtype.str, array.shape, offset, zlib.crc32(data)
        if packed is not None:
            table[name] += int(packed[0]), len(data)
        written.append(data)
        offset += -(-len(data) // ALIGNMENT) * ALIGNMENT
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
    with path.create() as file:
        file.write(PREFIX.pack(MAGIC, len(header), zlib.crc32(header)))
        file.write(header)
        for data in written:
            file.write(data)
            file.write(b"\0" * (-len(data) % ALIGNMENT))


def open_arrays(path: IndexPath, held: Array | None = None) -> Arrays:
    """Return a file's arrays without reading them; of `held_file`, where it was called before.

    Raises IndexDamagedError when the file is missing or truncated, or its header or an array of up to CHECKED_BYTES
    does not match its checksum.
    """
    data = held_file(path) if held is None else held
    table, start = _read_header(path, data)
    stored: dict[str, _Stored] = {}
    for name, (dtype_name, shape, offset, checksum, *packed) in table.items():
        dtype = np.dtype(dtype_name)
        size = prod(shape) * dtype.itemsize
        if packed and not (shape and 0 < size <= PACKED_BYTES):  # or a few bytes could become gigabytes
            raise IndexDamagedError(f'{path} is damaged: {name} is no packed array; run "coderag index"')
        length = packed[1] if packed else size
        if start + offset + length > len(data):
            raise IndexDamagedError(f'{path} is truncated; run "coderag index"')
        if offset % ALIGNMENT or (
            shape and shape[0] and not size
        ):  # rows of nothing cost no bytes, whatever they count
            raise IndexDamagedError(f'{path} is damaged: {name} is no array; run "coderag index"')
        view = data[start + offset : start + offset + length]
        if length <= CHECKED_BYTES and zlib.crc32(view.data) != checksum:
            raise IndexDamagedError(f'{path} is damaged: {name} is not what was written; run "coderag index"')
        stored[name] = _Stored(view, dtype, tuple(shape), checksum, Coding(packed[0]) if packed else None)
    return Arrays(path, stored)


def mapped(path: IndexPath) -> Array:
    """Return the bytes of a file as they are in the file, u8[bytes]; raises OSError."""
    with path.open(MAPPED_BYTES) as file:
        if not file.seek(0, SEEK_END):  # which cannot be mapped
            return np.zeros(0, dtype=np.uint8)
        return np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), dtype=np.uint8)


def held_file(path: IndexPath) -> Array:
    """Return the bytes of a file, which last when it is removed or replaced, u8[bytes]; raises IndexDamagedError."""
    try:
        return mapped(path)
    except OSError as error:
        raise IndexDamagedError(f'{path} cannot be read: {error.strerror}; run "coderag index"') from error


def damaged_array(path: IndexPath) -> str | None:
    """Return the name of the first array that does not match its checksum, None when all do.

    Raises IndexDamagedError as open_arrays does.
    """
    return open_arrays(path).damaged()


def _read_header(path: IndexPath, data: Array) -> tuple[dict[str, Any], int]:
    try:
        magic, size, checksum = PREFIX.unpack(data[: PREFIX.size].tobytes())
    except struct.error as error:
        raise IndexDamagedError(f'{path} is truncated; run "coderag index"') from error
    header = data[PREFIX.size : PREFIX.size + min(size, HEADER_BYTES)].tobytes()
    if magic != MAGIC or zlib.crc32(header) != checksum:
        raise IndexDamagedError(f'{path} is damaged: its header is not what was written; run "coderag index"')
    try:
        table = json.loads(header)
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict) or not all(map(_is_row, table.values())):
        raise IndexDamagedError(f'{path} is damaged: its header names no arrays; run "coderag index"')
    return table, PREFIX.size + size


def _is_row(row: object) -> bool:
    """Tell whether a value of a header says where an array lies."""
    if not isinstance(row, list) or len(row) not in (PLAIN_FIELDS, PACKED_FIELDS):
        return False
    dtype, shape, *numbers = row
    return (
        isinstance(dtype, str)
        and DTYPE.fullmatch(dtype) is not None
        and isinstance(shape, list)
        and len(shape) <= 2
        and all(type(one) is int and 0 <= one <= MAPPED_BYTES for one in (*shape, *numbers))
        and (len(row) == PLAIN_FIELDS or row[PLAIN_FIELDS] in CODINGS)
    )
