"""A text's rows by byte offset; lines end at "\\n"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["Lines", "Rows"]

NEWLINE = ord("\n")

Rows = tuple[int, int]  # first and last row, 0-based, inclusive


class Lines:
    """The rows of a text, and where each begins and ends."""

    __slots__ = ("data", "ends", "starts")

    def __init__(self, data: bytes) -> None:
        self.data = data
        ends = (np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEWLINE) + 1).tolist()
        if not ends or ends[-1] != len(data):
            ends.append(len(data))
        self.starts = [0, *ends[:-1]]
        self.ends = ends

    def __len__(self) -> int:
        return len(self.starts)

    def is_blank(self, row: int) -> bool:
        """Tell whether a row holds only white space."""
        return not self.data[self.starts[row] : self.ends[row]].strip()

    def size(self, rows: Rows) -> int:
        """Return the bytes of some rows."""
        return self.ends[rows[1]] - self.starts[rows[0]]

    def text(self, parts: Sequence[Rows]) -> bytes:
        """Return the bytes of some parts, one after the other."""
        return b"".join(self.data[self.starts[first] : self.ends[last]] for first, last in parts)

    def text_of(self, start: int, end: int) -> str:
        """Return the text between two byte offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    def trim(self, rows: Rows) -> Rows | None:
        """Return rows without the blank ones at both ends; None when all are blank."""
        first, last = rows
        while first <= last and self.is_blank(first):
            first += 1
        while last > first and self.is_blank(last):
            last -= 1
        return (first, last) if first <= last else None

    def fills_rows(self, start: int, end: int, rows: Rows) -> bool:
        """Tell whether the bytes from start to end are all that their rows hold."""
        before, after = self.data[self.starts[rows[0]] : start], self.data[end : self.ends[rows[1]]]
        return not before.strip() and not after.strip()
