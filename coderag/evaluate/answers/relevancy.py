"""A question and its answer to the share of what is asked that the answer mentions."""

from __future__ import annotations

from coderag.ask.records import Answer
from coderag.ask.sufficiency import coverage_of
from coderag.ask.wording import content_words, is_weak
from coderag.evaluate.answers.answer_text import said_text
from coderag.text.tokens import stem, terms, words

__all__ = ["relevancy"]


def relevancy(question: str, answer: Answer) -> float:
    """Return the share of the entities asked for, its names and words of the matter, that an answer has; 1 of none."""
    named = content_words(question)
    asked = [word for word in named if not is_weak(word)] or named
    if not asked:
        return 1.0
    answer_words = set(words(said_text(answer)))
    answer_stems = frozenset(term for word in answer_words for term in (*terms(word), stem(word.lower())))
    return coverage_of(dict.fromkeys(asked, 1.0), dict.fromkeys(asked, 0), answer_stems).share
