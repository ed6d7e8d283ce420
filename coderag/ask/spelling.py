"""Words of a question that occur nowhere to the repository's own word that is spelled most like each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from coderag.text.tokens import split_identifier

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["mended"]

MIN_LETTERS = 5  # a shorter word is another word rather than a misspelled one
MIN_ALIKE = 0.84  # ratio of Ratcliff and Obershelp: "reciever" and "receiver" have .88
CANDIDATES = 20
MOST_LETTERS, MOST_WORDS = 40, 3  # looking a word up costs as much as a search


def mended(question: str, unknown: Sequence[str], index: Index) -> tuple[str, list[tuple[str, str]]]:
    """Return a question with its misspelled words mended, and what was changed."""
    changes = [(word, known) for word in unknown[:MOST_WORDS] if (known := _alike(word, index))]
    for word, known in changes:
        question = re.sub(rf"\b{re.escape(word)}\b", known, question)
    return question, changes


def _alike(word: str, index: Index) -> str:
    """Return the word of a definition's name that a word misspells, "" if none is near."""
    if not MIN_LETTERS <= len(word) <= MOST_LETTERS or not word.isalpha() or not word.isascii():
        return ""
    names = (symbol.name for symbol in index.symbols(word, k=CANDIDATES))
    pieces = dict.fromkeys(piece for name in names for piece in (*split_identifier(name), name))
    lowered = word.lower()
    near = [
        (SequenceMatcher(None, lowered, piece.lower()).ratio(), piece)
        for piece in pieces
        if piece[:1].lower() == lowered[0] and piece.lower() != lowered
    ]
    ratio, best = max(near, default=(0.0, ""))
    return best if ratio >= MIN_ALIKE else ""
