"""Answers of this process, the least recently used forgotten first; those of other groups are never met.

A key begins with the snapshot that answered (coderag.ask.caching.key). What some groups see is a snapshot of its own,
and so is the index after an update: their answers have other keys, and the old ones are the first to be forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from coderag.ask.caching.counts import CacheCounts
from coderag.ask.caching.key import AnswerKey
from coderag.ask.caching.likeness import Meaning, similarity
from coderag.ask.records import Answer, Step
from coderag.record import record

__all__ = ["ANSWERS", "AnswerCache", "with_step"]

MOST_BYTES = 32 << 20  # of answers in a process; one takes about 10 kB
STAGE = "cache"


@record
class _Kept:
    answer: Answer
    size: int
    meaning: Meaning | None


class AnswerCache:
    """A bounded number of bytes of answers by their keys; its methods may be called from several threads."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        """Keep at most so many bytes."""
        self._most_bytes = most_bytes
        self._kept: OrderedDict[AnswerKey, _Kept] = OrderedDict()
        self._size = self._hits = self._misses = 0
        self._lock = Lock()

    def get(
        self, key: AnswerKey, *, like: Callable[[], Meaning | None] | None = None, least: float = 1.0
    ) -> Answer | None:
        """Return the answer of a key, None where there is none.

        With `like`, also that of a question whose meaning is at least as near as `least`, where all else is the same.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                self._hits += 1
                return with_step(kept.answer, "answered before from this state of the index")
        found = self._near(key, like(), least) if like is not None else None
        with self._lock:
            self._hits += found is not None
            self._misses += found is None
        return found

    def put(self, key: AnswerKey, answer: Answer, *, meaning: Meaning | None = None) -> None:
        """Keep an answer; what is too large for the cache is not kept."""
        size = len(repr(answer).encode("utf-8", "replace"))
        if size > self._most_bytes:
            return
        with self._lock:
            if (before := self._kept.pop(key, None)) is not None:
                self._size -= before.size
            self._kept[key] = _Kept(answer, size, meaning)
            self._size += size
            while self._size > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._size -= oldest.size

    def counts(self) -> CacheCounts:
        """Return how often there was an answer, and what is held."""
        with self._lock:
            return CacheCounts(self._hits, self._misses, len(self._kept), self._size)

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._kept.clear()
            self._size = 0

    def _near(self, key: AnswerKey, meaning: Meaning | None, least: float) -> Answer | None:
        if meaning is None:
            return None
        with self._lock:
            rest = key.without_question
            others = [(other, kept) for other, kept in self._kept.items() if other.without_question == rest]
        near = [
            (cosine, other, kept.answer)
            for other, kept in others
            if kept.meaning is not None and (cosine := similarity(meaning, kept.meaning)) >= least
        ]
        if not near:
            return None
        cosine, other, answer = max(near, key=lambda one: (one[0], one[1].question))
        said = f"the answer of {other.question!r}, which asks the same (cosine {cosine:.3f})"
        return with_step(answer, said)


def with_step(answer: Answer, said: str) -> Answer:
    """Return an answer whose trace begins with what a cache did."""
    return replace(answer, trace=(Step(STAGE, said), *answer.trace))


ANSWERS = AnswerCache()  # of this process
