"""The vectors of a segment's chunks: a file for each encoder, beside the tables.

A vector is stored as int8, scaled by its largest value, with the length that this left it. What is lost is about a
hundredth of the order among the best. In a large segment, the signs of its numbers lie beside them, an eighth of the
size, by which a large index finds what is worth comparing (coderag.index.reader.dense_search).
"""

from __future__ import annotations

import numpy as np

from coderag.encoders.encoder import quantised
from coderag.errors import IndexDamagedError
from coderag.index.storage.arrays.arrays import Array, damaged_array, open_arrays, write_arrays
from coderag.index.storage.arrays.specs import check_arrays
from coderag.index.storage.arrays.stored import VECTORS
from coderag.index.storage.folder.index_path import IndexPath
from coderag.record import record

__all__ = [
    "SIGNED_CHUNKS",
    "SIGN_BITS",
    "Vectors",
    "cosines",
    "damaged_vectors",
    "is_wanted",
    "lengths_of",
    "open_vectors",
    "signs_of",
    "vectors_name",
    "write_vectors",
]

SIGN_BITS = 64  # of a word of signs
SIGNED_CHUNKS = 1 << 15  # of a segment that has signs; those of a smaller one are made in 6 ms where they are asked for


@record
class Vectors:
    """The vectors of some chunks or tables."""

    rows: Array  # i8[n, dimensions]
    lengths: Array  # f32[n]: of the rows as they are stored
    signs: Array | None = None  # as `signs_of` gives them; None: they are not stored

    def __len__(self) -> int:
        return len(self.rows)


def vectors_name(key: str) -> str:
    """Return the name of the file that holds the vectors of an encoder, by the key of its identity."""
    return f"vectors-{key}.bin"


def is_wanted(name: str, key: str) -> bool:
    """Tell whether a file of a segment is of use to an index that has the vectors of a key."""
    return not name.startswith("vectors-") or name == vectors_name(key)


def write_vectors(folder: IndexPath, key: str, rows: Array) -> IndexPath:
    """Write the vectors i8[chunks, dimensions] of a segment; the file is there whole or not at all."""
    path = folder / vectors_name(key)
    temporary = folder / f"vectors-{key}.tmp"
    signs = {"signs": signs_of(rows)} if len(rows) >= SIGNED_CHUNKS else {}
    write_arrays(temporary, {"rows": rows, "lengths": lengths_of(rows), **signs})
    return temporary.replace(path)


def lengths_of(rows: Array) -> Array:
    """Return the length of each row of i8[n, dimensions], f32[n]."""
    wide = rows.astype(np.int32)
    lengths: Array = np.sqrt(np.einsum("ij,ij->i", wide, wide)).astype(np.float32)
    return lengths


def signs_of(rows: Array) -> Array:
    """Return which numbers of [n, dimensions] are above 0, as bits, the last ones unused: u64[words, n]."""
    packed = np.packbits(rows > 0, axis=1)
    padded = np.zeros((len(rows), -(-rows.shape[1] // SIGN_BITS) * SIGN_BITS // 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view("<u8").T)


def open_vectors(folder: IndexPath, key: str) -> Vectors | None:
    """Return the vectors of a segment by an encoder, None if it has none; raises IndexDamagedError."""
    path = folder / vectors_name(key)
    if not path.exists():
        return None
    arrays = open_arrays(path)
    check_arrays(path, arrays, VECTORS)
    rows, lengths, signs = arrays["rows"], arrays["lengths"], arrays.get("signs")
    words = -(-rows.shape[1] // SIGN_BITS)
    if signs is not None and (signs.dtype != np.uint64 or signs.shape != (words, len(rows))):
        raise IndexDamagedError(f'{path} is damaged: its signs have another shape; run "coderag index"')
    return Vectors(rows, lengths, signs)


def damaged_vectors(folder: IndexPath, key: str) -> str | None:
    """Return the name of what is damaged of a segment's vectors, None when nothing is; raises IndexDamagedError."""
    path = folder / vectors_name(key)
    return damaged_array(path) if path.exists() else None


def cosines(vectors: Vectors, query: Array) -> Array:
    """Return the cosine of each vector with f32[dimensions], f32[n]; 0 where either is nothing."""
    if not len(vectors) or not query.any():
        return np.zeros(len(vectors), dtype=np.float32)
    if vectors.rows.shape[1] != len(query):
        raise IndexDamagedError(
            'the vectors of the index are of another length than its encoder gives; run "coderag index"'
        )
    import numkong  # an instruction for eight-bit numbers that numpy does not use: seven times faster

    asked = quantised(query[None])
    products = np.asarray(numkong.cdist(asked, vectors.rows, "dot"))[0]
    scale = np.maximum(vectors.lengths, 1.0) * np.linalg.norm(asked.astype(np.float32))
    found: Array = (products / scale).astype(np.float32)
    return found
