"""Nearest neighbours of words in the shipped model: `delete` is near `remove`, `retry` near `attempt`.

The table is precomputed from the model's rows (scripts/write_neighbours.py): comparing a word with all of them takes
longer than the rest of a search.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from coderag.encoders.static import MODEL_FOLDER, StaticEncoder, shipped_encoder
from coderag.errors import EncoderError

__all__ = ["KIND", "MOST", "NAME", "STEPS", "Neighbours", "mark_of", "shipped_neighbours"]

NAME = "neighbours.npy"
MOST = 8  # neighbours per word
STEPS = 255  # into which a similarity is quantised
KIND = np.dtype([("row", "<u2"), ("likeness", "u1")])
ROW_BYTES = MOST * KIND.itemsize


def mark_of(encoder: StaticEncoder) -> bytes:
    """Return the revision of a model as the last row of its table, which holds no neighbours."""
    return encoder.identity.revision.encode()[:ROW_BYTES].ljust(ROW_BYTES, b"\0")


class Neighbours:
    """The nearest neighbours of every row of a model, best first."""

    def __init__(self, encoder: StaticEncoder, folder: Path = MODEL_FOLDER) -> None:
        """Open the table of a model; raises EncoderError when it is missing, damaged or another model's."""
        self._encoder = encoder
        try:
            self._table = np.load(folder / NAME, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise EncoderError(f"{folder / NAME} cannot be read: {error}; install coderag again") from error
        if (
            self._table.dtype != KIND
            or self._table.shape != (encoder.size + 1, MOST)
            or bytes(self._table[-1]) != mark_of(encoder)
        ):
            raise EncoderError(f"{folder / NAME} belongs to another model; run scripts/write_neighbours.py")

    def of(self, word: str) -> list[tuple[str, float]]:
        """Return the neighbours of a lower-case word with their similarity, 0..1; none if the model splits it."""
        row = self._encoder.row_of(word)
        if row < 0:
            return []
        near = self._table[row]
        pairs = zip(near["row"].tolist(), near["likeness"].tolist(), strict=True)
        return [(self._encoder.piece(other), step / STEPS) for other, step in pairs if step]


@cache
def shipped_neighbours() -> Neighbours:
    """Return the neighbours that come with coderag; raises EncoderError."""
    return Neighbours(shipped_encoder())
