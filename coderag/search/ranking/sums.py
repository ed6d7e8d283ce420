"""Weighted sums that are bitwise equal for equal rows, whatever their position and the number of rows.

A matrix product adds the numbers of a row in an order that depends on how many rows there are and where the row is
among them, so copies would differ in the last bit, and an index in several segments from one in a single segment.
"""

from __future__ import annotations

import numpy as np

from coderag.index.storage.arrays.arrays import Array

__all__ = ["weighted_sums"]


def weighted_sums(rows: Array, weights: Array) -> Array:
    """Return the sum of each row of [n, m] times f32[m], f32[n]."""
    # Rows must be contiguous, or numpy adds column by column, and in another order for a single row.
    found: Array = (np.ascontiguousarray(rows) * weights).sum(axis=1)
    return found
