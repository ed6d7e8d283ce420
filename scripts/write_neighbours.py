"""The shipped encoder to its table of like words: run it after the encoder was trained.

scripts/write_neighbours.py [FOLDER]       the folder of the model; the shipped one where none is given
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

LEAST = 0.35  # likeness: below it, words have little in common
MIN_LETTERS = 3
BLOCK = 1024


def main() -> int:
    """Write the table of the model in a folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from coderag.encoders.encoder import unit_rows
    from coderag.encoders.neighbours import KIND, MOST, NAME, STEPS, mark_of
    from coderag.encoders.static import MODEL_FOLDER, StaticEncoder
    from coderag.text.tokens import stem

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MODEL_FOLDER
    encoder = StaticEncoder.load(folder, verify=True)
    pieces = [encoder.piece(row) for row in range(encoder.size)]
    vectors = unit_rows(encoder.rows().astype(np.float32))
    whole = np.array([piece.isalpha() and len(piece) >= MIN_LETTERS for piece in pieces])
    stems = [stem(piece) for piece in pieces]
    table = np.zeros((encoder.size + 1, MOST), dtype=KIND)
    others = np.flatnonzero(whole)
    for begin in range(0, len(others), BLOCK):
        rows = others[begin : begin + BLOCK]
        likeness = vectors[rows] @ vectors[others].T
        for row, found in zip(rows.tolist(), likeness, strict=True):
            near = np.flatnonzero(found >= LEAST)
            taken = {stems[row]}
            place = 0
            for at in near[np.argsort(-found[near], kind="stable")].tolist():
                other = int(others[at])
                if place < MOST and stems[other] not in taken:
                    taken.add(stems[other])
                    table[row, place] = other, round(min(float(found[at]), 1.0) * STEPS)
                    place += 1
    pairs = int((table["likeness"] > 0).sum())
    table[-1] = np.frombuffer(mark_of(encoder), dtype=KIND)
    np.save(folder / NAME, table)
    print(f"{folder / NAME}: {pairs:,} pairs of {int(whole.sum()):,} words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
