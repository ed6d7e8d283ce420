"""A file to lines that can be appended to it, each ending with a word that stands nowhere else."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import PurePosixPath

__all__ = ["new_lines"]

SIGNS = {".py": "#"}  # of a comment to the end of the line; the other languages of the benchmark have the second
USUAL_SIGN = "//"
WORD_BYTES = 6
LETTERS = str.maketrans("0123456789", "ghijklmnop")


def new_lines(path: str, numbers: range) -> list[str]:
    """Return a comment for each number, in the language of a file; its last word is of letters only."""
    sign = SIGNS.get(PurePosixPath(path).suffix, USUAL_SIGN)
    return [f"{sign} {_word(f'{path} {number}')}" for number in numbers]


def _word(text: str) -> str:
    return blake2b(text.encode(errors="surrogateescape"), digest_size=WORD_BYTES).hexdigest().translate(LETTERS)
