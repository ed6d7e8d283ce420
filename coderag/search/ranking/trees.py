"""A ranker's file to an ensemble of trees, and rows of features to scores.

A tree's leaves are numbered from the left. Each of its splits names a feature, a threshold, and the leaves below its
left branch, which are out where the feature exceeds the threshold; the first leaf that no split rules out is the
tree's answer (QuickScorer, Lucchese et al. 2015). So no row walks through a tree: all splits of all trees are decided
at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from coderag.errors import RerankerError
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record

__all__ = ["FORMAT", "MAX_LEAVES", "Trees", "read_trees", "tree_scores"]

FORMAT = 1  # 1: features, trees of feature, threshold, first, last and value
MAX_LEAVES = 64  # bits of the largest mask
SPLIT = ("feature", "threshold", "first", "last")
MASKS = (np.uint8, np.uint16, np.uint32, np.uint64)
AGAIN = "install coderag again, or train it with scripts/train_ranker.py"


@record
class Trees:
    """An ensemble: the splits of each tree, the last repeated in those that have fewer, and all leaves by tree."""

    feature: Array  # i64[trees, splits]: the column that is compared
    threshold: Array  # f32[trees, splits, 1]
    keeps: Array  # uint[trees, splits, 1]: bits of the leaves that are not out where the threshold is exceeded
    first_leaf: Array  # i64[trees, 1]
    value: Array  # f32[leaves]

    def __len__(self) -> int:
        """Return how many trees there are."""
        return len(self.feature)


def tree_scores(trees: Trees, rows: Array) -> Array:
    """Return the sum of the trees' answers for each row, f32[rows], from f32[rows, features]."""
    columns = np.ascontiguousarray(rows.T)
    exceeded = columns[trees.feature] > trees.threshold
    bits = trees.keeps.dtype.type
    kept = trees.keeps | (exceeded.astype(bits) - bits(1))  # all bits where the threshold is not exceeded
    left = np.bitwise_and.reduce(kept, axis=1)
    # The position of the lowest bit that is set is the number of bits set in that bit minus one.
    lowest = np.bitwise_count(~left & (left - left.dtype.type(1)))
    scores: Array = trees.value[trees.first_leaf + lowest].sum(axis=0, dtype=np.float32)
    return scores


def read_trees(path: Path, features: Sequence[str]) -> Trees:
    """Return the ensemble of a file for rows with some features, in their order.

    Raises RerankerError where the file cannot be read, is of another format, or asks for a feature that is not there.
    """
    try:
        table = json.loads(path.read_bytes())
    except OSError as error:
        raise RerankerError(f"the ranker {path} cannot be read: {error.strerror}; {AGAIN}") from error
    except ValueError as error:
        raise RerankerError(f"the ranker {path} is damaged: {error}; {AGAIN}") from error
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        found = table.get("format") if isinstance(table, dict) else None
        raise RerankerError(f"the ranker {path} has format {found!r}, this version reads {FORMAT}; {AGAIN}")
    try:
        if unknown := sorted(set(table["features"]) - set(features)):
            raise RerankerError(f"the ranker {path} asks for the feature {unknown[0]!r}, which is not known; {AGAIN}")
        places = np.array([features.index(name) for name in table["features"]], dtype=np.int64)
        return _assembled(table["trees"], places)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise RerankerError(f"the ranker {path} is damaged: {what}; {AGAIN}") from error


def _assembled(rows: Sequence[dict[str, Any]], places: Array) -> Trees:
    """Return trees as arrays; raises KeyError, TypeError, ValueError, IndexError or OverflowError."""
    if not rows:
        raise ValueError("it has no trees")
    splits = np.array([len(row["feature"]) for row in rows], dtype=np.int64)
    leaves = np.array([len(row["value"]) for row in rows], dtype=np.int64)
    feature, threshold, first, last = (np.array(list(chain.from_iterable(row[name] for row in rows))) for name in SPLIT)
    value = np.array(list(chain.from_iterable(row["value"] for row in rows)), dtype=np.float32)
    if splits.min() < 1 or (leaves != splits + 1).any() or leaves.max() > MAX_LEAVES:
        raise ValueError(f"a tree has 1 to {MAX_LEAVES - 1} splits and one leaf more")
    if any(len(column) != len(feature) for column in (threshold, first, last)):
        raise ValueError("its splits are not whole")
    if not all(np.issubdtype(column.dtype, np.integer) for column in (feature, first, last)):
        raise ValueError("its splits have fractions where numbers of features or leaves belong")
    # The last leaf is never out, so that some leaf is always left.
    if ((first < 0) | (first > last) | (last >= np.repeat(leaves, splits) - 1)).any() or (feature < 0).any():
        raise ValueError("its splits rule out leaves that are not there")
    if not (np.isfinite(threshold).all() and np.isfinite(value).all()):
        raise ValueError("it has values that are no numbers")
    keeps = _keeps(first, last, int(leaves.max()))
    ends = np.cumsum(splits)[:, np.newaxis]
    own = np.minimum(ends - splits[:, np.newaxis] + np.arange(splits.max()), ends - 1)
    return Trees(
        feature=places[feature[own]],
        threshold=threshold.astype(np.float32)[own, np.newaxis],
        keeps=keeps[own, np.newaxis],
        first_leaf=(np.cumsum(leaves) - leaves)[:, np.newaxis],
        value=value,
    )


def _keeps(first: Array, last: Array, leaves: int) -> Array:
    """Return the bits of all leaves but some from the first to the last, in the smallest type that has room."""
    one = np.uint64(1)
    out = ((one << (last - first + 1).astype(np.uint64)) - one) << first.astype(np.uint64)
    smallest = next(kind for kind in MASKS if leaves <= np.iinfo(kind).bits)
    kept: Array = (~out).astype(smallest)
    return kept
