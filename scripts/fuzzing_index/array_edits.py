"""An array of a file to one that lies: in its numbers, its length, or in what the header says of it."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.packing import PACKED_BYTES, Coding, deflated
from scripts.fuzzing_index.array_file import ArrayFile, Row
from scripts.fuzzing_index.hostile import OTHER_TYPES, Raw, hostile_number, hostile_text

__all__ = ["edit_arrays"]

GROWN = 300_000  # numbers of an array that was made longer
ZEROS = 1 << 26  # far more than any packed array has
SOME = 20  # numbers that are changed at once
DTYPES = (
    "|u1",
    "|i1",
    "<u2",
    "<i4",
    "<u4",
    "<i8",
    "<u8",
    "<f4",
    "<f8",
    "|b1",
    "<f2",
    ">i4",
    "|O",
    "<U9",
    "|V8",
    "<M8[s]",
)


def edit_arrays(file: ArrayFile, source: random.Random) -> str:
    """Change something of an array of a file, and return what."""
    row = source.choice(file.rows)
    (edit,) = source.choices(EDITS, WEIGHTS)
    return f"{row.name}: {edit(file, row, source)}"


def _numbers(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Change some numbers."""
    array = row.array
    if not array.size:
        return "is empty"
    flat, value = array.reshape(-1), _value(array, source)
    count = source.choice((1, 1, 1, SOME, flat.size))
    chosen = np.array(source.sample(range(flat.size), min(count, flat.size)))
    flat[chosen] = value
    row.array = array
    return f"{len(chosen)} of {flat.size} are {value}, the first at {chosen[0]}"


def _value(array: Array, source: random.Random) -> Any:
    """Return a number that an array can hold: an extreme, one near its own, or any."""
    kind = array.dtype.kind
    if kind == "b":
        return True
    if kind == "f":
        return source.choice((np.nan, np.inf, -np.inf, -1.0, 0.0, 1e30, -1e30))
    bounds = np.iinfo(array.dtype)
    most = int(array.max())
    value = source.choice(
        (
            *(bounds.min, bounds.max, -1, 0, 1, most, most + 1, most + 2, most * 2, array.size, array.size + 1),
            *(2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, source.randint(0, 2 * most + 2)),
        )
    )
    return min(max(value, bounds.min), bounds.max)


def _shifted(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Change the order or the scale of all numbers."""
    array = row.array
    change = source.choice(("reversed", "sorted", "shuffled", "zeros", "one more", "doubled", "negated", "rolled"))
    if not array.size:
        return "is empty"
    flat = array.reshape(-1)
    match change:
        case "reversed":
            flat[:] = flat[::-1].copy()
        case "sorted":
            flat.sort()
        case "shuffled":
            flat[:] = flat[np.array(source.sample(range(flat.size), flat.size))]
        case "zeros":
            flat[:] = 0
        case "rolled":
            flat[:] = np.roll(flat, 1)
        case _ if array.dtype.kind in "iu":
            factor, more = {"one more": (1, 1), "doubled": (2, 0), "negated": (-1, 0)}[change]
            wide = flat.astype(object) * factor + more
            low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            flat[:] = [min(max(int(one), low), high) for one in wide]
    row.array = array
    return change


def _resized(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Make an array shorter or longer."""
    array = row.array
    size = source.choice(
        (0, 1, len(array) - 1, len(array) // 2, len(array) + 1, 2 * len(array), GROWN // _width(array))
    )
    row.array = (
        np.resize(array, (max(size, 0), *array.shape[1:]))
        if len(array)
        else np.zeros((3, *array.shape[1:]), array.dtype)
    )
    return f"{len(row.array)} rows instead of {len(array)}"


def _width(array: Array) -> int:
    return max(int(np.prod(array.shape[1:])), 1)


def _called_otherwise(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Say another type of numbers over the same bytes."""
    old = row.dtype
    row.dtype = source.choice((*DTYPES, *DTYPES, hostile_text(source), hostile_number(source), [["a", "<i4"]]))
    if isinstance(row.dtype, str) and row.dtype in DTYPES[:10] and source.random() < 0.7:
        count = len(row.data) // np.dtype(row.dtype).itemsize
        row.shape = [count]
        row.data = row.data[: count * np.dtype(row.dtype).itemsize]
    return f"{old} is called {str(row.dtype)[:40]!r}"


def _converted(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Store the same numbers as another type."""
    old = row.dtype
    with np.errstate(all="ignore"):
        row.array = row.array.astype(source.choice(DTYPES[:10]))
    return f"{old} is stored as {row.dtype}"


def _reshaped(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Say another shape over the same bytes."""
    old, count = row.shape, int(np.prod(row.shape))
    row.shape = source.choice(
        (
            *(
                [count, 1],
                [1, count],
                [count // 2, 2],
                [],
                [0],
                [-1],
                [count + 1],
                [2**36, 0],
                [0, 2**36],
                [2**36],
                [2**63],
            ),
            *([2**35, 2**35], [1, 1, count], [[count]], [float(count)], [True], [str(count)], [hostile_number(source)]),
            source.choice(OTHER_TYPES),
        )
    )
    return f"{old} is called {str(row.shape)[:40]}"


def _elsewhere(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Say another place."""
    row.offset = source.choice((0, 1, 3, 64, -64, 2**36, 2**36 - 64, 2**63, hostile_number(source), None, "0", [0]))
    if source.random() < 0.3:
        row.crc = source.choice((0, -1, 2**32, 2**64, "0", None, Raw("1e999")))
    return f"lies at {str(row.offset)[:40]}"


def _replaced(file: ArrayFile, row: Row, source: random.Random) -> str:
    """Take the bytes of another array."""
    other = source.choice(file.rows)
    row.dtype, row.shape, row.data = other.dtype, other.shape, other.data
    return f"is {other.name}"


def _packed(_: ArrayFile, row: Row, source: random.Random) -> str:
    """Store the numbers packed, by another coding, with another size, or zeros that become very many."""
    array = row.array
    coding = source.choice((*Coding, *Coding, 0, 4, True, hostile_number(source)))
    sound = coding if isinstance(coding, Coding) and array.size and array.itemsize > 1 else Coding.BYTES
    row.data = deflated(array, sound) if source.random() < 0.5 else zlib.compress(bytes(ZEROS), 1)
    row.coding = coding
    if source.random() < 0.3:
        row.length = source.choice((0, 1, len(row.data) - 1, 2**36, 2**63, hostile_number(source), None))
    if source.random() < 0.5:
        row.shape = source.choice(
            ([PACKED_BYTES], [PACKED_BYTES + 1], [ZEROS], [2**36], [0], [len(array), 2], row.shape)
        )
    return f"is packed as {str(row.coding)[:40]}, of shape {str(row.shape)[:40]}"


def _left_out(file: ArrayFile, row: Row, _: random.Random) -> str:
    file.rows.remove(row)
    return "is left out"


def _renamed(_: ArrayFile, row: Row, source: random.Random) -> str:
    old, row.name = row.name, hostile_text(source)
    return f"{old} is called so"


def _twice(file: ArrayFile, row: Row, source: random.Random) -> str:
    file.rows.append(Row(row.name, "<i4", [2], bytes(8)) if source.random() < 0.5 else Row(row.name, "|u1", [0], b""))
    return "is there twice"


def _no_header(file: ArrayFile, _row: Row, source: random.Random) -> str:
    file.header = source.choice(OTHER_TYPES)
    return "the header is something else"


Edit = Callable[[ArrayFile, Row, random.Random], str]
EDITS: tuple[Edit, ...] = (
    *(
        _numbers,
        _shifted,
        _resized,
        _called_otherwise,
        _converted,
        _reshaped,
        _elsewhere,
        _replaced,
        _packed,
        _left_out,
        _renamed,
    ),
    *(_twice, _no_header),
)
WEIGHTS = (14, 5, 6, 3, 3, 3, 2, 2, 3, 0.5, 0.5, 0.5, 0.3)
