"""Evidence to how much of a question it holds; rare words weigh more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from coderag.ask.wording import WEAK_WEIGHT, is_weak
from coderag.record import record
from coderag.text.tokens import stem, terms, words
from coderag.types import Hit

__all__ = ["Coverage", "all_stems", "coverage_of", "stems_of", "word_weights"]

READ = 3  # hits whose texts are compared with the question


@record
class Coverage:
    """How much of a question its evidence holds."""

    share: float  # 0..1, by weight
    unknown: tuple[str, ...]  # words of the matter that occur nowhere in the index
    uncovered: tuple[str, ...]  # words of the matter that the evidence lacks
    missing: tuple[str, ...]  # and all words that it lacks


def word_weights(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """Return how much each word of a question counts: the rarer the more, those that name parts of a program little."""
    most = log(1 + chunks)
    return {
        word: WEAK_WEIGHT if is_weak(word) else max(most - log(1 + count), 1.0) for word, count in frequencies.items()
    }


def coverage_of(weights: Mapping[str, float], frequencies: Mapping[str, int], held: frozenset[str]) -> Coverage:
    """Return how much of some words is among some stems."""
    uncovered = [word for word in weights if not _is_held(word, held)]
    total = sum(weights.values())
    missing = sum(weights[word] for word in uncovered)
    matter = tuple(word for word in uncovered if not is_weak(word))
    unknown = tuple(word for word in matter if not frequencies[word])
    return Coverage(1 - missing / total if total else 0.0, unknown, matter, tuple(uncovered))


def stems_of(hits: Sequence[Hit]) -> frozenset[str]:
    """Return the stems of the words of the best hits: their texts, names and paths."""
    texts = (f"{hit.chunk.text} {hit.chunk.qualified_name} {hit.chunk.path} {hit.chunk.doc}" for hit in hits[:READ])
    return frozenset[str]().union(*map(all_stems, texts))


def all_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, and of the parts of its names."""
    return frozenset(term for word in set(words(text)) for term in (*terms(word), stem(word.lower())))


def _is_held(word: str, held: frozenset[str]) -> bool:
    lowered = word.lower() if word[1:].islower() else word
    *pieces, whole = terms(lowered) or (stem(word.lower()),)
    return whole in held or bool(pieces and held.issuperset(pieces))
