"""Words to numbers, and numbers to what each word stands for: a word is looked up once, the rest is done by numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "WordNumbers", "WordTable"]

Array = npt.NDArray[Any]
UNKNOWN = -1  # the start of a word that was not asked for yet
ROOM = 1_024  # elements of a new array
NUMBER_BYTES = 4


class WordNumbers(dict[bytes, int]):
    """Words, as `raw_words` gives them, numbered in order of first appearance."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[bytes] = []  # by number

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self.words)
        self.words.append(word)
        return number


class WordTable:
    """For each word of some a list of numbers, found when the word is first asked for."""

    def __init__(self, words: WordNumbers, find: Callable[[bytes], bytes]) -> None:
        """`find` gives the numbers of a word as the bytes of an i32 array."""
        self._words = words
        self._find = find
        self._starts = np.full(ROOM, UNKNOWN, dtype=np.int64)  # in _numbers, by word
        self._sizes = np.zeros(ROOM, dtype=np.int64)
        self._numbers = np.zeros(ROOM, dtype=np.int32)
        self._filled = 0  # of _numbers

    def of(self, words: Array) -> tuple[Array, Array]:
        """Return the numbers of some words, i32, one word after the other, and how many each has, i64[words]."""
        self._fill(words)
        sizes = self._sizes[words]
        # Behind the first of a word by how many more of it there were.
        before = self._starts[words] - (np.cumsum(sizes) - sizes)
        return self._numbers[np.repeat(before, sizes) + np.arange(sizes.sum())], sizes

    def _fill(self, words: Array) -> None:
        """Find the numbers of those words that were not asked for before."""
        count = len(self._words)
        if count > len(self._starts):
            self._starts = _grown(self._starts, 2 * count, UNKNOWN)
            self._sizes = _grown(self._sizes, 2 * count, 0)
        asked = np.sort(words[self._starts[words] == UNKNOWN])
        new = asked[np.flatnonzero(np.diff(asked, prepend=-1))]  # np.unique would import numpy.ma
        if not len(new):
            return
        word = self._words.words.__getitem__
        found = [self._find(word(number)) for number in new.tolist()]
        sizes = np.fromiter(map(len, found), dtype=np.int64, count=len(found)) // NUMBER_BYTES
        numbers = np.frombuffer(b"".join(found), dtype=np.int32)
        filled = self._filled + len(numbers)
        if filled > len(self._numbers):
            self._numbers = _grown(self._numbers, 2 * filled, 0)
        self._numbers[self._filled : filled] = numbers
        self._starts[new] = self._filled + np.cumsum(sizes) - sizes
        self._sizes[new] = sizes
        self._filled = filled


def _grown(array: Array, size: int, value: int) -> Array:
    """Return an array with more room, filled with a value."""
    grown = np.full(size, value, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
