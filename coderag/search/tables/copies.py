"""A question to which of near copies it means: the original, unless it names another's kind, year or release."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.near_copies import CopyFamily, mark_of
from coderag.index.storage.arrays.arrays import Array
from coderag.text.asking import AskedWord
from coderag.text.tokens import split_identifier

__all__ = ["copy_priors"]

BEHIND = 0.8  # of its score is what a near copy keeps that the question does not mean
YEAR_DIGITS = 4  # a date begins with as many
RELEASE = (mark_of("release"), "v")  # before a number


def copy_priors(catalog: Catalog, words: Sequence[AskedWord]) -> Array:
    """Return the prior of each table, f32[tables]: below one for near copies of what a question means."""
    priors = np.ones(len(catalog), dtype=np.float32)
    if not catalog.copy_families:
        return priors
    asked = _asked_marks(words)
    for family in catalog.copy_families:
        meant = _meant(family, asked)
        for number, _ in family.members:
            if meant and number not in meant:
                priors[number] = BEHIND
    return priors


def _asked_marks(words: Sequence[AskedWord]) -> frozenset[str]:
    """Return the kinds of copies that a question names, its years, and the numbers of releases."""
    pieces = [piece for word, weight in words if weight for piece in split_identifier(word)]
    found = {mark for piece in pieces if (mark := mark_of(piece)) and (not mark.isdigit() or len(mark) >= YEAR_DIGITS)}
    found |= {after for before, after in pairwise(pieces) if after.isdigit() and (mark_of(before) or before) in RELEASE}
    return frozenset(found)


def _meant(family: CopyFamily, asked: frozenset[str]) -> frozenset[int]:
    """Return the members that a question means: those with most of its marks, else the original; none: all alike."""
    named = {
        number: sum(any(_says(one, mark) for mark in marks) for one in sorted(asked))
        for number, marks in family.members
    }
    if most := max(named.values()):
        return frozenset(number for number, count in named.items() if count == most)
    return frozenset([family.members[0][0]] if family.original else [])


def _says(asked: str, mark: str) -> bool:
    """Tell whether a mark is one that is asked for; a year stands for its dates."""
    return mark == asked or (asked.isdigit() and len(asked) == YEAR_DIGITS and mark.startswith(asked))
