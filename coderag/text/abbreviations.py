"""A piece of a name and a word to how far the one is to be trusted as an abbreviation of the other."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["PREFIX", "SKELETON", "SUBSEQUENCE", "abbreviates"]

# How far each is trusted, where the word itself counts 1.
SKELETON = 0.72  # only vowels and doubled letters are dropped: wght for weight
PREFIX = 0.64  # cat for category
SUBSEQUENCE = 0.3  # cstmr for customer

MIN_PREFIX = 3
MIN_SHARE = 0.5  # of a word's letters, that a subsequence must keep ...
MIN_CONSONANTS = 0.7  # ... or of its consonants
DOUBLED = re.compile(r"(.)\1")
VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=1 << 15)
def abbreviates(piece: str, word: str) -> float:
    """Return how far a piece of a name is to be trusted as an abbreviation of a word, 0 if it cannot be one."""
    if not 2 <= len(piece) < len(word) or piece[0] != word[0]:
        return 0.0
    if word.startswith(piece):
        return PREFIX if len(piece) >= MIN_PREFIX else 0.0
    if not _is_subsequence(piece, word):
        return 0.0
    kept, all_of_it = _consonants(piece), _consonants(word)
    if DOUBLED.sub(r"\1", kept) == DOUBLED.sub(r"\1", all_of_it):
        return SKELETON
    if len(piece) < MIN_PREFIX:
        return 0.0
    keeps = len(piece) >= MIN_SHARE * len(word) or len(kept) >= MIN_CONSONANTS * len(all_of_it)
    return SUBSEQUENCE if keeps else 0.0


def _is_subsequence(piece: str, word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in piece)


def _consonants(word: str) -> str:
    """Return a word without its vowels, but with its first letter."""
    return word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
