"""Terms by number: what many words lead to is found once for each word."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from itertools import chain

import numpy as np
import numpy.typing as npt

from coderag.text.tokens import MAX_WORD, PIECE, stem, stem_once, term_digest, terms, words
from coderag.text.word_numbers import Array, WordNumbers, WordTable

__all__ = ["Vocabulary"]

PACK = struct.Struct("=i").pack  # of the number of a term


class Vocabulary:
    """Terms by number, with the words that lead to them remembered."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._memo = _Memo(self._numbers)
        self.words = WordNumbers()  # words that the terms of many are asked for by
        self._terms = WordTable(self.words, self._memo.find)
        self._hashes = np.zeros(0, dtype=np.uint64)  # of the first terms, with room for more
        self._hashed = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, found: Iterable[bytes]) -> list[int]:
        """Return the numbers of the terms of some words, as `raw_words` gives them, in order."""
        return array("i", b"".join(map(self._memo.__getitem__, found))).tolist()

    def terms_of(self, words: Array) -> tuple[Array, Array]:
        """Return the numbers of the terms of some of `words`, i32, in order, and how many terms each has, i64[words].

        Many take a third of the time that `numbers` takes.
        """
        return self._terms.of(words)

    def hashes(self) -> npt.NDArray[np.uint64]:
        """Return the hash of every term, by number: u64[terms]."""
        count = len(self._numbers)
        if count > len(self._hashes):
            grown = np.zeros(2 * count, dtype=np.uint64)
            grown[: self._hashed] = self._hashes[: self._hashed]
            self._hashes = grown
        digests = b"".join(map(term_digest, self._numbers.new))
        self._hashes[self._hashed : count] = np.frombuffer(digests, dtype="<u8")
        self._numbers.new.clear()
        self._hashed = count
        return self._hashes[:count]


class _Numbers(dict[str, int]):
    """Terms numbered in order of first appearance."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []  # the last ones, which are not hashed yet

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        self.new.append(term)
        return number


class _PieceNumbers(dict[str, bytes]):
    """The number of the term of each piece of an identifier, as it is written, packed; b"" if it has none."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, piece: str) -> bytes:
        has_term = len(piece) > 1 or piece.isdigit()
        packed = self[piece] = PACK(self._numbers[stem(piece.lower())]) if has_term else b""
        return packed


class _Memo(dict[bytes, bytes]):
    """The term numbers of each word seen, packed; what is beyond ASCII may hold several words."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers
        self._pieces = _PieceNumbers(numbers)

    def __missing__(self, raw: bytes) -> bytes:
        packed = self[raw] = self.find(raw)
        return packed

    def find(self, raw: bytes) -> bytes:
        """Return the numbers of a word without remembering them."""
        numbers = self._numbers
        if not raw.isascii():
            apart = words(raw.decode("utf-8", "replace"))
            return b"".join([PACK(numbers[term]) for term in chain.from_iterable(map(terms, apart))])
        if raw[:1].isdigit():
            return b"".join([PACK(numbers[term]) for term in terms(raw.decode())])
        if len(raw) > MAX_WORD:
            return b""
        # As `terms` has it, with what the pieces lead to remembered: most new words are made of known pieces.
        pieces = PIECE.findall(raw.decode())
        if len(pieces) == 1:
            return PACK(numbers[stem(pieces[0].lower())])
        if not pieces:
            return b""
        whole = PACK(numbers[stem_once("".join(pieces).lower())])
        return b"".join(map(self._pieces.__getitem__, pieces)) + whole
