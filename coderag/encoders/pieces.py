"""Words to rows of a table: each word is a row itself, or a few rows of pieces of it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain

from coderag.text.tokens import MAX_REMEMBERED, MAX_WORD, cut_identifier, words

__all__ = ["CONTINUES", "Pieces"]

CONTINUES = "##"  # before a piece that does not begin a word
MAX_PIECE = 24  # letters; no piece is longer
MANY = 1024  # parts of words met, beyond which a dictionary of all pieces pays off


class _Lines(Sequence[str]):
    """The lines of a text in UTF-8, taken out when they are looked at."""

    def __init__(self, text: bytes, ends: Sequence[int]) -> None:
        self._text, self._ends = text, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, row: int) -> str:  # type: ignore[override]  # nobody asks for slices
        begin = self._ends[row - 1] + 1 if row else 0
        return str(self._text[begin : self._ends[row]], "utf-8")

    def all(self) -> list[str]:
        """Return every line, much faster than one by one."""
        return str(self._text, "utf-8").split("\n")[: len(self)]


class Pieces:
    """The rows of words, remembered for every word seen.

    Words are taken apart as an index does, at case, digits and underscores, but not stemmed. What is no row itself is
    cut into the longest pieces that are, from the left (WordPiece: Wu et al., 2016); the rest is left out.
    """

    def __init__(self, text: bytes, ends: Sequence[int]) -> None:
        """Take the pieces as lines in the order of their code points, and where each ends."""
        self._lines = _Lines(text, ends)
        self._known: dict[str, int] = {}  # filled when there are many words; few are found faster by bisection
        self._words = _Words(self)
        self._parts = _Parts(self)

    def __len__(self) -> int:
        return len(self._lines)

    def row(self, piece: str) -> int:
        """Return the row of a piece, -1 for none."""
        return self._row(piece)

    def piece(self, row: int) -> str:
        """Return the piece of a row."""
        return self._lines[row]

    def rows(self, found: Iterable[bytes]) -> list[int]:
        """Return the rows of some words, as `raw_words` gives them, in order."""
        return array("i", self.packed(found)).tolist()

    def packed(self, found: Iterable[bytes]) -> bytes:
        """Return the same rows as the bytes of an i32 array, in half the time."""
        return b"".join(map(self._words.__getitem__, found))

    def rows_of(self, raw: bytes) -> bytes:
        """Return the rows of one word as `packed` does; none for data such as keys, which nobody asks for in words."""
        if len(raw) > MAX_WORD:
            return b""
        if raw.isascii():
            return b"".join(map(self._parts.__getitem__, cut_identifier(raw.decode())))
        apart = words(raw.decode("utf-8", "replace"))
        return b"".join(map(self._parts.__getitem__, chain.from_iterable(map(cut_identifier, apart))))

    def remember_all(self) -> None:
        """Make a dictionary of the pieces, which pays off for many words."""
        if not self._known:
            self._known = {piece: row for row, piece in enumerate(self._lines.all())}

    def cut(self, word: str) -> list[int]:
        """Return the rows of the longest pieces of a word in lower case, from the left."""
        found: list[int] = []
        at = 0
        while at < len(word):
            before = CONTINUES if at else ""
            for end in range(min(len(word), at + MAX_PIECE), at, -1):
                row = self._row(before + word[at:end])
                if row >= 0:
                    found.append(row)
                    at = end
                    break
            else:
                at += 1
        return found

    def _row(self, piece: str) -> int:
        """Return a piece's row, -1 for none."""
        if self._known:
            return self._known.get(piece, -1)
        row = bisect_left(self._lines, piece)
        return row if row < len(self._lines) and self._lines[row] == piece else -1


class _Parts(dict[str, bytes]):
    """The rows of each part of an identifier, as it is written, i32 as bytes."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, part: str) -> bytes:
        if len(self) == MANY:
            self._pieces.remember_all()
        if len(self) == MAX_REMEMBERED:
            self.clear()
        rows = self[part] = array("i", self._pieces.cut(part.lower())).tobytes()
        return rows


class _Words(dict[bytes, bytes]):
    """The rows of each word seen, i32 as bytes."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self._pieces = pieces

    def __missing__(self, raw: bytes) -> bytes:
        if len(self) == MAX_REMEMBERED:
            self.clear()  # what comes next is in another part of the repository, with words of its own
        rows = self[raw] = self._pieces.rows_of(raw)
        return rows
