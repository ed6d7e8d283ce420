"""Arrays to fewer bytes and back: differences and byte planes where they help, deflated.

Offsets, rows and numbers of files go up slowly, so what one adds to the one before is small; and of small numbers in
wide types the upper bytes are alike, so they are put side by side before they are deflated (as the shuffle filter of
HDF5 does).
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["PACKED_BYTES", "Coding", "deflated", "pack", "unpack"]

# Larger arrays are mapped as they are: whoever touches a packed one pays for all of it, about 3 ms a MiB.
PACKED_BYTES = 1 << 20
LEAST_BYTES = 1 << 12  # smaller ones are those of the segment of an update, which is merged soon
SAMPLE_BYTES = 1 << 13  # that tell which coding fits, and whether any does
WORTH = 0.75  # of the size at most, or an array stays as it is: hashes, and what is deflated already
LEVEL = 4  # of deflate
# Of a number, at most, that is put together by shifts: a tenth of the time of copying its bytes apart.
SHIFTED_BYTES = 4


class Coding(IntEnum):
    """What is deflated of an array."""

    BYTES = 1  # its bytes
    PLANES = 2  # all first bytes of its numbers, all second bytes, ...; the last planes are left out where they are 0
    STEPS = 3  # the planes of what each row adds to the one before, zigzag: 0, -1, 1, -2, ... as 0, 1, 2, 3, ...


def pack(array: npt.NDArray[Any]) -> tuple[Coding, bytes] | None:
    """Return how an array is packed, and as what; None for one that stays as it is."""
    if not LEAST_BYTES <= array.nbytes <= PACKED_BYTES:
        return None
    sample = array[: max(len(array) * SAMPLE_BYTES // array.nbytes, 1)]
    coding = min(_codings(array), key=lambda one: len(deflated(sample, one)))
    if len(deflated(sample, coding)) > WORTH * sample.nbytes:
        return None
    packed = deflated(array, coding)
    return (coding, packed) if len(packed) <= WORTH * array.nbytes else None


def unpack(packed: bytes, coding: Coding, *, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the array that `pack` was given; raises ValueError or zlib.error for what it never gave."""
    size = prod(shape) * dtype.itemsize
    stream = zlib.decompressobj()
    raw = stream.decompress(packed, size + 1)
    if len(raw) > size or not stream.eof:
        raise ValueError(f"it is not the {size:,} bytes of an array")
    if coding is Coding.BYTES:
        return np.frombuffer(raw, dtype=dtype).reshape(shape)
    array = _numbers(raw, coding, dtype=dtype, shape=shape)
    array.flags.writeable = False  # as what is mapped
    return array


def _numbers(raw: bytes, coding: Coding, *, dtype: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the numbers of planes, taken together in the narrowest type that holds them."""
    count, size = prod(shape), dtype.itemsize
    planes = np.frombuffer(raw, dtype=np.uint8).reshape(-1, count)
    width = size if coding is Coding.PLANES else 1 << max(len(planes) - 1, 0).bit_length()
    numbers = _together(planes, np.dtype(f"<u{width}"))
    if coding is Coding.PLANES:
        return numbers.view(dtype).reshape(shape)
    zigzag = numbers.reshape(shape)
    steps = ((zigzag >> 1) ^ -(zigzag & 1)).view(f"<i{width}")
    array: npt.NDArray[Any] = np.cumsum(steps, axis=0, dtype=f"<i{size}").view(dtype)
    return array


def _together(planes: npt.NDArray[np.uint8], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the numbers whose bytes are in planes."""
    if dtype.itemsize > SHIFTED_BYTES:
        apart = np.zeros((planes.shape[1], dtype.itemsize), dtype=np.uint8)
        apart[:, : len(planes)] = planes.T
        copied: npt.NDArray[Any] = apart.view(dtype).reshape(-1)
        return copied
    if not len(planes):
        return np.zeros(planes.shape[1], dtype=dtype)
    numbers: npt.NDArray[Any] = planes[0].astype(dtype)
    for place, plane in enumerate(planes[1:], start=1):
        higher = plane.astype(dtype)
        higher <<= 8 * place
        numbers |= higher
    return numbers


def _codings(array: npt.NDArray[Any]) -> tuple[Coding, ...]:
    if array.itemsize == 1:
        return (Coding.BYTES,)
    return tuple(Coding) if array.dtype.kind in "iu" else (Coding.BYTES, Coding.PLANES)


def deflated(array: npt.NDArray[Any], coding: Coding) -> bytes:
    """Return an array as `unpack` reads it."""
    if coding is Coding.BYTES:
        return zlib.compress(np.ascontiguousarray(array).data, LEVEL)
    if coding is Coding.STEPS:
        array = _zigzag(array)
    planes = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1).T
    used = np.flatnonzero(planes.any(axis=1))
    return zlib.compress(np.ascontiguousarray(planes[: used[-1] + 1 if len(used) else 0]).data, LEVEL)


def _zigzag(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return what each row adds to the one before; numbers of either sign near 0 become small ones."""
    steps = array.view(f"<i{array.itemsize}").copy()
    steps[1:] -= array[:-1].view(steps.dtype)
    return (steps << 1) ^ (steps >> (8 * array.itemsize - 1))
