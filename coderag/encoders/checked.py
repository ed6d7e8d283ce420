"""A model's output to valid vectors: finite, with the right number of dimensions, of unit length."""

from __future__ import annotations

import numpy as np

from coderag.encoders.encoder import Array, unit_rows
from coderag.errors import CoderagError, EncoderError

__all__ = ["finite", "unit_vectors"]


def unit_vectors(vectors: Array, *, dimensions: int, name: str) -> Array:
    """Return f32[n, dimensions] of unit length, truncated from wider rows; 0 dimensions keeps the width.

    Matryoshka models are trained for truncation (Kusupati et al., 2022). Raises EncoderError for rows that are too
    short, and for NaN and infinity.
    """
    width = vectors.shape[1]
    if dimensions > width:
        raise EncoderError(f"{name} gives vectors of {width} numbers; {dimensions} were asked for")
    return unit_rows(finite(vectors, name=name, error=EncoderError)[:, : dimensions or width])


def finite(numbers: Array, *, name: str, error: type[CoderagError]) -> Array:
    """Return the numbers as f32; raises the error if one of them is NaN or infinite."""
    with np.errstate(over="ignore"):
        rows: Array = np.asarray(numbers, dtype=np.float32)
    if not np.isfinite(rows).all():
        row = int(np.argwhere(~np.isfinite(rows))[0][0])
        advice = "a model that overflows in float16 works with dtype=bfloat16 or dtype=float32"
        raise error(f"{name} gives NaN or infinity (row {row} of {len(rows)}); {advice}")
    return rows
