"""Evidence to a grade: does it carry an answer?

Three signals are looked at: the calibrated confidence of the best hit, the share of the question's words that the best
hits hold, and words that occur nowhere in the index at all. Rare words weigh more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from coderag.ask.records import Grade
from coderag.ask.wording import WEAK_WEIGHT, is_weak
from coderag.record import record
from coderag.text.tokens import stem, terms, words
from coderag.types import Hit

__all__ = ["Coverage", "all_stems", "coverage_of", "grade_of", "stems_of", "word_weights"]

READ = 3  # hits whose texts are compared with the question
# Confidence of the best hit, and the share of the question, by weight, that the best hits must hold for it to carry an
# answer. Fitted on the halves of fixtures/ask/answerable.jsonl and fixtures/ask/questions that are for tuning.
CARRYING = ((0.6, 0.0), (0.3, 0.45), (0.12, 0.5))
MIN_COVERAGE, LIKELY = 0.45, 0.12  # with less than either nothing further is looked up
# And where a word of the question occurs nowhere: a proper name, which is what is asked for, or another word, for which
# the repository may have one of its own ("calculated" for "computed").
UNKNOWN_NAME_SURE, UNKNOWN_WORD_SURE = 0.9, 0.25


@record
class Coverage:
    """How much of a question its evidence holds."""

    share: float  # 0..1, by weight
    unknown: tuple[str, ...]  # words of the matter that occur nowhere in the index
    uncovered: tuple[str, ...]  # and words that the evidence lacks


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
    return Coverage(1 - missing / total if total else 0.0, unknown, matter)


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


def grade_of(confidence: float, coverage: Coverage, *, known_name: bool = False) -> Grade:
    """Return how far the best hit, with its confidence, carries an answer.

    A question that is only the name of something defined needs no more than that definition.
    """
    if known_name and not coverage.unknown:
        return Grade.CORRECT
    if any(map(_is_proper, coverage.uncovered)):
        return Grade.CORRECT if confidence >= UNKNOWN_NAME_SURE else Grade.INCORRECT
    if coverage.unknown:
        return Grade.CORRECT if confidence >= UNKNOWN_WORD_SURE else Grade.INCORRECT
    if any(confidence >= least and coverage.share >= share for least, share in CARRYING):
        return Grade.CORRECT
    return Grade.INCORRECT if coverage.share < MIN_COVERAGE and confidence < LIKELY else Grade.AMBIGUOUS


def _is_proper(word: str) -> bool:
    """Tell whether a word of a question is written as a name: "Kafka", "S3", "OAuth"."""
    return word != word.lower() or any(character.isdigit() for character in word)
