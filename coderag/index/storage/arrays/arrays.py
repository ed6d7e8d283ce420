"""One file of named numpy arrays, memory-mapped when it is read.

magic  8 bytes  b"coderag\\x01"
size   u32      bytes of the header
crc    u32      CRC-32 of the header
header JSON     {"name": [dtype, shape, offset, crc32], ...}, offsets counted from the end of the header
data            each array at a multiple of ALIGNMENT
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping
from io import SEEK_END
from math import prod
from mmap import ACCESS_READ, mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from coderag.errors import IndexDamagedError
from coderag.index.storage.folder.index_path import IndexPath

__all__ = [
    "CHECKED_BYTES",
    "MAPPED_BYTES",
    "Array",
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
DTYPE = re.compile(r"[<|][fiu][1248]|\|b1")  # numbers of all kinds that are written; no objects, no records


def write_arrays(path: IndexPath, arrays: Mapping[str, Array]) -> None:
    """Write arrays to a new file; the caller syncs and renames what it belongs to."""
    table: dict[str, tuple[str, tuple[int, ...], int, int]] = {}
    offset = 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        table[name] = array.dtype.str, array.shape, offset, zlib.crc32(array.data)
        offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
    with path.create() as file:
        file.write(PREFIX.pack(MAGIC, len(header), zlib.crc32(header)))
        file.write(header)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(b"\0" * (-array.nbytes % ALIGNMENT))


def open_arrays(path: IndexPath, held: Array | None = None) -> dict[str, Array]:
    """Return a file's arrays without reading them; of `held_file`, where it was called before.

    Raises IndexDamagedError when the file is missing or truncated, or its header or an array of up to CHECKED_BYTES
    does not match its checksum.
    """
    data = held_file(path) if held is None else held
    table, start = _read_header(path, data)
    arrays: dict[str, Array] = {}
    for name, (dtype, shape, offset, checksum) in table.items():
        size = prod(shape) * np.dtype(dtype).itemsize
        if start + offset + size > len(data):
            raise IndexDamagedError(f'{path} is truncated; run "coderag index"')
        if offset % ALIGNMENT or (
            shape and shape[0] and not size
        ):  # rows of nothing cost no bytes, whatever they count
            raise IndexDamagedError(f'{path} is damaged: {name} is no array; run "coderag index"')
        view = data[start + offset : start + offset + size]
        if size <= CHECKED_BYTES and zlib.crc32(view.data) != checksum:
            raise IndexDamagedError(f'{path} is damaged: {name} is not what was written; run "coderag index"')
        arrays[name] = np.frombuffer(view, dtype=dtype).reshape(shape)
    return arrays


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
    data = held_file(path)
    table, _ = _read_header(path, data)
    arrays = open_arrays(path, data)
    return next((name for name, array in arrays.items() if zlib.crc32(array.data) != table[name][3]), None)


def _read_header(path: IndexPath, data: Array) -> tuple[dict[str, tuple[str, list[int], int, int]], int]:
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
    if not isinstance(row, list) or len(row) != 4:
        return False
    dtype, shape, *numbers = row
    return (
        isinstance(dtype, str)
        and DTYPE.fullmatch(dtype) is not None
        and isinstance(shape, list)
        and len(shape) <= 2
        and all(type(one) is int and 0 <= one <= MAPPED_BYTES for one in (*shape, *numbers))
    )
