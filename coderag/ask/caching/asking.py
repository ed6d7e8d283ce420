"""A question to its answer, from the cache where it was asked before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from coderag.ask.caching.answer_files import keep, kept
from coderag.ask.caching.answers import ANSWERS, with_step
from coderag.ask.caching.key import AnswerKey
from coderag.ask.caching.likeness import Meaning, meaning_of
from coderag.ask.records import Answer, Step

__all__ = ["Vectors", "answered"]


class Vectors(Protocol):
    """What gives the vector of a question."""

    def __call__(self, text: str, /) -> Sequence[float] | None:
        """Return the vector, None if there is no embedding model."""


def answered(
    key: AnswerKey,
    question: str,
    answer: Callable[[], Answer],
    *,
    states: Sequence[str] = (),
    vectors: Vectors | None = None,
    least: float = 1.0,
    on_step: Callable[[Step], None] | None = None,
) -> Answer:
    """Return the answer of a key, from the cache of this process or made and kept there; raises what `answer` does.

    With `vectors`, that of a question is given as well whose vector has a cosine of at least `least`. With `states` of
    the indexes, one that a model wrote is kept for other processes too. `on_step` gets the steps of an answer that is
    given again; those of one that is made are told by `answer`.
    """
    meaning = _Meaning(question, vectors)
    is_written = bool(key.model and states)
    found = ANSWERS.get(key, like=meaning if vectors else None, least=least)
    if found is None and is_written and (stored := kept(key, states)) is not None:
        ANSWERS.put(key, stored, meaning=meaning())
        found = with_step(stored, "the model answered before, from this state of the index")
    if found is not None:
        if on_step is not None:
            for step in found.trace:
                on_step(step)
        return replace(found, question=question)
    made = answer()
    if made.is_found or not key.model:  # a model that failed once may do better the next time
        ANSWERS.put(key, made, meaning=meaning())
    if made.is_found and is_written:
        keep(made, key, states)
    return made


class _Meaning:
    """The meaning of a question, once it is asked for."""

    def __init__(self, question: str, vectors: Vectors | None) -> None:
        self._question = question
        self._vectors = vectors
        self._meaning: Meaning | None = None

    def __call__(self) -> Meaning | None:
        if self._meaning is None and self._vectors is not None:
            vector = self._vectors(self._question)
            self._meaning = None if vector is None else meaning_of(self._question, vector)
        return self._meaning
