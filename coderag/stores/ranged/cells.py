"""Vectors to cells of near ones (an inverted file), of which a question reads the nearest.

Cells are those of spherical k-means (Dhillon and Modha, "Concept Decompositions for Large Sparse Text Data Using
Clustering", 2001). In a cell a number takes four bits, half of which a question could not tell apart anyhow: the files
that it chooses bring the whole vectors.
"""

from __future__ import annotations

import msgspec
import numpy as np

from coderag.decoding import msgpack_decoder
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.packing import Coding, deflated, unpack
from coderag.record import record

__all__ = ["SMALL_CHUNKS", "Cell", "Cells", "cells_of", "decode_cell", "encode_cell", "nearest_cells", "scores_of"]

CELL_CHUNKS = 256  # in a cell, on average
ROUNDS = 8  # of k-means, after which few vectors change their cell
SAMPLE = 64  # vectors that a centroid is made of, on average; more change little
BLOCK = 1 << 13  # vectors compared with the centroids at once
LEVELS = 7  # of a number in four bits, on either side of 0
SMALL_CHUNKS = 10_000  # of an index of which a question reads all cells
# Of a larger one it reads the nearest until these have so many chunks, or that share of all, whichever is more.
LEAST_CHUNKS, SHARE = 4096, 1 / 32


@record
class Cells:
    """Cells of the vectors of a segment."""

    centroids: Array  # i8[cells, dimensions]
    members: tuple[Array, ...]  # of each cell its vectors, i64[n]


@record
class Cell:
    """The chunks of a cell."""

    files: Array  # u32[n]: positions in the directory
    scales: Array  # f2[n]: of the largest level
    codes: Array  # u8[n, dimensions / 2]


def cells_of(vectors: Array) -> Cells:
    """Return the cells of f16[n, dimensions] of unit length; the same vectors give the same cells."""
    count = -(-len(vectors) // CELL_CHUNKS)
    if not count:
        return Cells(np.zeros((0, vectors.shape[1]), np.int8), ())
    step = max(len(vectors) // (count * SAMPLE), 1)
    sample = vectors[::step].astype(np.float32)
    centroids = sample[:: max(len(sample) // count, 1)][:count].copy()
    for _ in range(ROUNDS):
        nearest = _nearest(sample, centroids)
        sums = np.zeros_like(centroids)
        np.add.at(sums, nearest, sample)
        used = np.bincount(nearest, minlength=count) > 0
        centroids[used] = sums[used] / np.maximum(np.linalg.norm(sums[used], axis=1, keepdims=True), 1e-9)
    nearest = _nearest(vectors, centroids)
    order = np.argsort(nearest, kind="stable")
    members = np.split(order, np.searchsorted(nearest[order], np.arange(1, count)))
    kept = [number for number, one in enumerate(members) if len(one)]
    return Cells(_rounded(centroids)[kept], tuple(members[number] for number in kept))


def _nearest(vectors: Array, centroids: Array) -> Array:
    """Return the centroid that is nearest to each vector, i64[n]."""
    parts = [
        np.argmax(vectors[at : at + BLOCK].astype(np.float32) @ centroids.T, axis=1)
        for at in range(0, len(vectors), BLOCK)
    ]
    return np.concatenate(parts)


def _rounded(rows: Array) -> Array:
    scale = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9)
    found: Array = np.rint(rows / scale * 127).astype(np.int8)
    return found


def encode_cell(vectors: Array, files: Array) -> bytes:
    """Return some vectors, f16[n, dimensions], and the positions of their files, u32[n], as a block."""
    wide = vectors.astype(np.float32)
    if wide.shape[1] % 2:
        wide = np.pad(wide, ((0, 0), (0, 1)))
    scales = np.abs(wide).max(axis=1).astype("<f2")
    divisors = np.maximum(scales.astype(np.float32), 1e-6)[:, np.newaxis] / LEVELS
    levels = (np.clip(np.rint(wide / divisors), -LEVELS, LEVELS) + LEVELS).astype(np.uint8)
    codes = levels[:, ::2] << 4 | levels[:, 1::2]
    positions = deflated(files.astype("<u4"), Coding.STEPS)
    return msgspec.msgpack.encode((len(files), positions, scales.tobytes(), codes.tobytes()))


def decode_cell(block: bytes, *, files: int, dimensions: int) -> Cell:
    """Return a cell; raises ValueError for bytes that do not fit a segment of so many files."""
    count, positions, scales, codes = msgpack_decoder(tuple[int, bytes, bytes, bytes]).decode(block)
    cell = Cell(
        files=unpack(positions, Coding.STEPS, dtype=np.dtype("<u4"), shape=(count,)),
        scales=np.frombuffer(scales, "<f2"),
        codes=np.frombuffer(codes, np.uint8).reshape(count, -(-dimensions // 2)),
    )
    if len(cell.scales) != count or int(cell.files.max(initial=0)) >= max(files, 1):
        raise ValueError("a cell does not fit its segment")
    return cell


def nearest_cells(centroids: Array, sizes: Array, vector: Array) -> Array:
    """Return the cells that a question reads, i64[n], best first; of i8[cells, dimensions] and chunks of each."""
    wide = centroids.astype(np.float32)
    near = wide @ vector / np.maximum(np.linalg.norm(wide, axis=1), 1e-9)
    order: Array = np.argsort(-near, kind="stable")
    if sizes.sum() <= SMALL_CHUNKS:
        return order
    total = np.cumsum(sizes[order])
    wanted = max(LEAST_CHUNKS, SHARE * float(sizes.sum()))
    found: Array = order[: int(np.searchsorted(total, wanted)) + 1]
    return found


def scores_of(cell: Cell, vector: Array) -> Array:
    """Return about how near the chunks of a cell are to f32[dimensions] of unit length, f32[n]."""
    padded = np.pad(vector, (0, len(vector) % 2))
    high, low = (cell.codes >> 4).astype(np.float32), (cell.codes & 15).astype(np.float32)
    products = high @ padded[::2] + low @ padded[1::2] - LEVELS * padded.sum()
    found: Array = products * cell.scales.astype(np.float32) / LEVELS
    return found
