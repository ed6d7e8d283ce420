"""Ranges of numbers, many at once."""

from __future__ import annotations

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["ranges"]


def ranges(begins: Array, ends: Array) -> tuple[Array, Array]:
    """Return all numbers of some ranges, one range after the other, and for each the position of its range."""
    begins = begins.astype(np.int64)
    sizes = ends.astype(np.int64) - begins
    position = np.repeat(np.arange(len(begins)), sizes)
    return np.arange(len(position)) + (begins - (np.cumsum(sizes) - sizes))[position], position
