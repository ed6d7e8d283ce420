"""The vectors of a segment's chunks: a file for each encoder, beside the tables.

A vector is stored as int8, scaled by its largest value, with the length that this left it. What is lost is about a
hundredth of the order among the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coderag.index.arrays import Array, damaged_array, open_arrays, write_arrays
from coderag.models.encoder import quantised

__all__ = ["Vectors", "cosines", "damaged_vectors", "lengths_of", "open_vectors", "vectors_name", "write_vectors"]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of some chunks or tables."""

    rows: Array  # i8[n, dimensions]
    lengths: Array  # f32[n]: of the rows as they are stored

    def __len__(self) -> int:
        return len(self.rows)


def vectors_name(key: str) -> str:
    """Return the name of the file that holds the vectors of an encoder, by the key of its identity."""
    return f"vectors-{key}.bin"


def write_vectors(folder: Path, key: str, rows: Array) -> Path:
    """Write the vectors i8[chunks, dimensions] of a segment; the file is there whole or not at all."""
    path = folder / vectors_name(key)
    temporary = path.with_suffix(".tmp")
    write_arrays(temporary, {"rows": rows, "lengths": lengths_of(rows)})
    return temporary.replace(path)


def lengths_of(rows: Array) -> Array:
    """Return the length of each row of i8[n, dimensions], f32[n]."""
    wide = rows.astype(np.int32)
    lengths: Array = np.sqrt(np.einsum("ij,ij->i", wide, wide)).astype(np.float32)
    return lengths


def open_vectors(folder: Path, key: str) -> Vectors | None:
    """Return the vectors of a segment by an encoder, None where it has none; raises IndexDamagedError."""
    path = folder / vectors_name(key)
    if not path.exists():
        return None
    arrays = open_arrays(path)
    return Vectors(arrays["rows"], arrays["lengths"])


def damaged_vectors(folder: Path, key: str) -> str | None:
    """Return the name of what is damaged of a segment's vectors, None when nothing is; raises IndexDamagedError."""
    path = folder / vectors_name(key)
    return damaged_array(path) if path.exists() else None


def cosines(vectors: Vectors, query: Array) -> Array:
    """Return the cosine of each vector with f32[dimensions], f32[n]; 0 where either is nothing."""
    if not len(vectors) or not query.any():
        return np.zeros(len(vectors), dtype=np.float32)
    import numkong  # an instruction for eight-bit numbers that numpy does not use: seven times faster

    asked = quantised(query[None])
    products = np.asarray(numkong.cdist(asked, vectors.rows, "dot"))[0]
    scale = np.maximum(vectors.lengths, 1.0) * np.linalg.norm(asked.astype(np.float32))
    found: Array = (products / scale).astype(np.float32)
    return found
