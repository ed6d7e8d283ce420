"""A file of arrays (see coderag.index.storage.arrays) taken apart and put together again; its header may lie."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import ALIGNMENT, MAGIC, PREFIX, Array
from coderag.index.storage.arrays.packing import Coding, unpack
from scripts.fuzzing_index.json_edits import Pairs, encode

__all__ = ["ArrayFile", "Row"]


@dataclass(slots=True)
class Row:
    """An array: its bytes, and what the header says of it; None: what is right."""

    name: str
    dtype: Any
    shape: Any
    data: bytes
    offset: Any = None
    crc: Any = None
    coding: Any = None  # of bytes that are packed; the numbers of `read` are not
    length: Any = None  # ... how many bytes the header says they are; None: as many as they are

    @property
    def array(self) -> Array:
        """The numbers, as the header describes them."""
        return np.frombuffer(self.data, dtype=self.dtype).reshape(self.shape).copy()

    @array.setter
    def array(self, array: Array) -> None:
        array = np.ascontiguousarray(array)
        self.dtype, self.shape, self.data = array.dtype.str, list(array.shape), array.tobytes()


@dataclass(slots=True)
class ArrayFile:
    """Arrays in the order of their file."""

    path: Path
    rows: list[Row]
    header: Any = None  # instead of the one that describes them

    @classmethod
    def read(cls, path: Path) -> ArrayFile:
        """Return what a file holds that `write_arrays` wrote."""
        raw = path.read_bytes()
        _, size, _ = PREFIX.unpack(raw[: PREFIX.size])
        start = PREFIX.size + size
        table = json.loads(raw[PREFIX.size : start])
        rows = []
        for name, (dtype, shape, offset, _, *packed) in table.items():
            length = packed[1] if packed else int(np.prod(shape)) * np.dtype(dtype).itemsize
            data = raw[start + offset : start + offset + length]
            if packed:
                data = unpack(data, Coding(packed[0]), dtype=np.dtype(dtype), shape=tuple(shape)).tobytes()
            rows.append(Row(name, dtype, shape, data))
        return cls(path, rows)

    def row(self, name: str) -> Row:
        """Return an array by its name; raises StopIteration where there is none."""
        return next(row for row in self.rows if row.name == name)

    def write(self) -> None:
        """Write the file anew; sums are those of what is written."""
        table, body = Pairs(), bytearray()
        for row in self.rows:
            offset = len(body) if row.offset is None else row.offset
            body += row.data + b"\0" * (-len(row.data) % ALIGNMENT)
            packed = [] if row.coding is None else [row.coding, len(row.data) if row.length is None else row.length]
            table.append((row.name, [row.dtype, row.shape, offset, 0, *packed]))
        for row, (_, told) in zip(self.rows, table, strict=True):
            told[3] = _crc(told, body) if row.crc is None else row.crc
        header = encode(table if self.header is None else self.header)
        header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
        self.path.write_bytes(PREFIX.pack(MAGIC, len(header), zlib.crc32(header)) + header + body)


def _crc(told: list[Any], body: bytearray) -> int:
    """Return the sum of the bytes that a row of the header claims, as far as there are any."""
    dtype, shape, offset, _, *packed = told
    try:
        length = packed[1] if packed else int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        return zlib.crc32(bytes(body[offset : offset + length]))
    except (TypeError, ValueError, OverflowError):
        return 0
