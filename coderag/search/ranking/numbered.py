"""Strings to numbers, and rows of such numbers to columns that grow, so that looking at many names is arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, count
from typing import Any, NamedTuple

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import ranges

__all__ = ["Grown", "Numbering", "Ragged", "Runs"]

FIRST_ROOM = 1024


class Grown:
    """An array that grows at its end; what was read of it stays as it is."""

    def __init__(self, dtype: Any) -> None:
        self._room = np.zeros(FIRST_ROOM, dtype=dtype)
        self._size = 0

    def extend(self, values: Sequence[int]) -> None:
        """Add values at the end."""
        size = self._size + len(values)
        if size > len(self._room):
            room = np.zeros(2 * size, dtype=self._room.dtype)
            room[: self._size] = self._room[: self._size]
            self._room = room
        self._room[self._size : size] = values
        self._size = size

    @property
    def values(self) -> Array:
        """All values, of the type of the array."""
        return self._room[: self._size]


class Runs(NamedTuple):
    """The numbers of some rows, one row after the other."""

    numbers: Array  # i32[...]
    row: Array  # i64[...]: the row that each number is of
    starts: Array  # i64[rows]
    sizes: Array  # i64[rows]

    def marked(self, marks: Array) -> Array:
        """Return how many numbers of each row are marked (bool[numbers there are]), i64[rows]."""
        found: Array = np.bincount(self.row[marks[self.numbers]], minlength=len(self.sizes))
        return found

    def share(self, marks: Array) -> Array:
        """Return the share of each row's numbers that is marked, f32[rows]; 0 for a row without numbers."""
        shares: Array = (self.marked(marks) / np.maximum(self.sizes, 1)).astype(np.float32)
        return shares

    def followed_by(self, other: Runs) -> Runs:
        """Return these rows and behind them those of others."""
        return Runs(
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.row, other.row + len(self.sizes)]),
            np.concatenate([self.starts, other.starts + len(self.numbers)]),
            np.concatenate([self.sizes, other.sizes]),
        )


class Ragged:
    """Rows of numbers, of any length each."""

    def __init__(self) -> None:
        self._numbers = Grown(np.int32)
        self._bounds = Grown(np.int64)
        self._bounds.extend([0])

    def append(self, numbers: Sequence[int], sizes: Iterable[int]) -> None:
        """Add rows of some sizes at the end, given one after the other."""
        _, *ends = accumulate(sizes, initial=len(self._numbers.values))
        self._numbers.extend(numbers)
        self._bounds.extend(ends)

    def of(self, rows: Array) -> Runs:
        """Return some rows, i64[n]."""
        bounds = self._bounds.values
        begins, ends = bounds[rows], bounds[rows + 1]
        at, row = ranges(begins, ends)
        sizes = ends - begins
        return Runs(self._numbers.values[at], row, np.cumsum(sizes) - sizes, sizes)


class Numbering:
    """Strings by number, in order of first appearance."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """Return how many strings there are."""
        return len(self.texts)

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """Return the numbers of some strings, new ones for new strings."""
        known, wanted = self._numbers, list(texts)
        if fresh := dict.fromkeys(text for text in wanted if text not in known):
            first = len(self.texts)
            self.texts += fresh  # before their numbers: another thread makes room for as many as there are
            known.update(zip(fresh, count(first)))
        return [known[text] for text in wanted]

    def marked(self, texts: Iterable[str]) -> Array:
        """Return which numbers are those of some strings, bool[len(self)]."""
        found = np.zeros(len(self.texts), dtype=bool)
        found[[self._numbers[text] for text in texts if text in self._numbers]] = True
        return found

    def valued(self, values: Mapping[str, float]) -> Array:
        """Return the values of some strings by their numbers, f64[len(self)]; 0 for the others."""
        found = np.zeros(len(self.texts))
        known = {text: value for text, value in values.items() if text in self._numbers}
        found[[self._numbers[text] for text in known]] = list(known.values())
        return found
