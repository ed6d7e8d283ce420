"""One file of named numpy arrays, memory-mapped when it is read.

magic  8 bytes  b"coderag\\x01"
size   u32      bytes of the header
crc    u32      CRC-32 of the header
header JSON     {"name": [dtype, shape, offset, crc32], ...}, offsets counted from the end of the header
data            each array at a multiple of ALIGNMENT
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from coderag.errors import IndexDamagedError

__all__ = ["Array", "damaged_array", "open_arrays", "write_arrays"]

Array = npt.NDArray[Any]

MAGIC = b"coderag\x01"
PREFIX = struct.Struct("<8sII")
ALIGNMENT = 64  # a cache line
# Smaller arrays are checked when they are opened: all of a small index, the tables that every search reads of a large
# one. It takes 0.2 ms a MiB; the rest is for `damaged_array`.
CHECKED_BYTES = 1 << 20


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays to a new file; the caller syncs and renames what it belongs to."""
    table: dict[str, tuple[str, tuple[int, ...], int, int]] = {}
    offset = 0
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        table[name] = array.dtype.str, array.shape, offset, zlib.crc32(array.data)
        offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
    with path.open("wb") as file:
        file.write(PREFIX.pack(MAGIC, len(header), zlib.crc32(header)))
        file.write(header)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(b"\0" * (-array.nbytes % ALIGNMENT))


def open_arrays(path: Path) -> dict[str, Array]:
    """Return a file's arrays without reading them.

    Raises IndexDamagedError when the file is missing or truncated, or its header or an array of up to CHECKED_BYTES
    does not match its checksum.
    """
    table, start = _read_header(path)
    data = np.memmap(path, dtype=np.uint8, mode="r")
    arrays: dict[str, Array] = {}
    for name, (dtype, shape, offset, checksum) in table.items():
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if start + offset + size > len(data):
            raise IndexDamagedError(f'{path} is truncated; run "coderag index --rebuild"')
        view = data[start + offset : start + offset + size]
        if size <= CHECKED_BYTES and zlib.crc32(view.data) != checksum:
            raise IndexDamagedError(f'{path} is damaged: {name} is not what was written; run "coderag index --rebuild"')
        arrays[name] = np.frombuffer(view, dtype=dtype).reshape(shape)
    return arrays


def damaged_array(path: Path) -> str | None:
    """Return the name of the first array that does not match its checksum, None when all do.

    Raises IndexDamagedError as open_arrays does.
    """
    table, _ = _read_header(path)
    arrays = open_arrays(path)
    return next((name for name, array in arrays.items() if zlib.crc32(array.data) != table[name][3]), None)


def _read_header(path: Path) -> tuple[dict[str, tuple[str, list[int], int, int]], int]:
    try:
        with path.open("rb") as file:
            magic, size, checksum = PREFIX.unpack(file.read(PREFIX.size))
            header = file.read(min(size, path.stat().st_size))  # a damaged size may be 4 GB
    except struct.error as error:
        raise IndexDamagedError(f'{path} is truncated; run "coderag index --rebuild"') from error
    except OSError as error:
        raise IndexDamagedError(f'{path} cannot be read: {error.strerror}; run "coderag index --rebuild"') from error
    if magic != MAGIC or zlib.crc32(header) != checksum:
        raise IndexDamagedError(f'{path} is damaged: its header is not what was written; run "coderag index --rebuild"')
    return json.loads(header), PREFIX.size + size
