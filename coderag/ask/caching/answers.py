"""Answers of this process, the least recently used forgotten first; those of other groups are never met.

A key begins with the snapshot that answered (coderag.ask.caching.key). What some groups see is a snapshot of its own,
and so is the index after an update: their answers have other keys, and the old ones are the first to be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from coderag.ask.caching.bounded import BoundedCache
from coderag.ask.caching.counts import CacheCounts
from coderag.ask.caching.key import AnswerKey
from coderag.ask.caching.likeness import Meaning, similarity
from coderag.ask.records import Answer, Step
from coderag.record import record

__all__ = ["ANSWERS", "AnswerCache", "with_step"]

MOST_BYTES = 32 << 20  # of answers in a process; one takes about 10 kB
STAGE = "cache"


@record
class _CachedAnswer:
    answer: Answer
    meaning: Meaning | None


class AnswerCache:
    """A bounded number of bytes of answers by their keys; its methods may be called from several threads."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most so many bytes."""
        self._kept: BoundedCache[AnswerKey, _CachedAnswer] = BoundedCache(_size_of, most_bytes=most_bytes)

    def get(
        self, key: AnswerKey, *, like: Callable[[], Meaning | None] | None = None, least: float = 1.0
    ) -> Answer | None:
        """Return the answer of a key, None if there is none.

        With `like`, also that of a question whose meaning is at least as near as `least`, where all else is the same.
        """
        entry = self._kept.find(key)
        if entry is not None:
            answer: Answer | None = with_step(entry.answer, "answered before from this state of the index")
        else:
            answer = self._near(key, like(), least) if like is not None else None
        self._kept.count(is_hit=answer is not None)
        return answer

    def put(self, key: AnswerKey, answer: Answer, *, meaning: Meaning | None = None) -> None:
        """Keep an answer; what is too large for the cache is not kept."""
        self._kept.put(key, _CachedAnswer(answer, meaning))

    def counts(self) -> CacheCounts:
        """Return how often there was an answer, and what is held."""
        return self._kept.counts()

    def clear(self) -> None:
        """Forget all answers."""
        self._kept.clear()

    def _near(self, key: AnswerKey, meaning: Meaning | None, least: float) -> Answer | None:
        if meaning is None:
            return None
        rest = key.without_question
        near = [
            (cosine, other, kept.answer)
            for other, kept in self._kept.items()
            if other.without_question == rest
            and kept.meaning is not None
            and (cosine := similarity(meaning, kept.meaning)) >= least
        ]
        if not near:
            return None
        cosine, other, answer = max(near, key=lambda one: (one[0], one[1].question))
        reason = f"the answer of {other.question!r}, which asks the same (cosine {cosine:.3f})"
        return with_step(answer, reason)


def _size_of(kept: _CachedAnswer) -> int:
    return len(repr(kept.answer).encode("utf-8", "replace"))


def with_step(answer: Answer, said: str) -> Answer:
    """Return an answer whose trace begins with what a cache did."""
    return replace(answer, trace=(Step(STAGE, said), *answer.trace))


ANSWERS = AnswerCache()  # of this process
