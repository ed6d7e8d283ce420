"""The similarity of the words of a question and those of names: late interaction over word vectors.

Each word of the question is held against every word of a name and keeps its best likeness; the question's words are
then averaged by what they weigh (MaxSim; Khattab and Zaharia, "ColBERT", 2020, over vectors that know no context).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from coderag.encoders.encoder import unit_rows
from coderag.encoders.static import PassageWords, shipped_encoder
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.sums import weighted_sums
from coderag.text.tokens import split_identifier, words

__all__ = ["averaged", "best_likeness", "best_likenesses", "likeness", "name_words"]

REMEMBERED = 10_000  # several times what one search asks about; in a server it stays so much


@lru_cache(maxsize=REMEMBERED)
def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a name or path in lower case, each once."""
    return tuple(dict.fromkeys(piece for word in words(text) for piece in split_identifier(word)))


def likeness(weights: Mapping[str, float], texts: Sequence[tuple[str, ...]]) -> Array:
    """Return the similarity of weighted words to those of each text, f32[texts] in 0..1; 0 for one without words."""
    return averaged(weights, best_likeness(tuple(weights), texts))


def best_likeness(asked: Sequence[str], texts: Sequence[tuple[str, ...]]) -> Array:
    """Return the similarity of each word to the most similar one of each text, f32[asked, texts] in 0..1.

    It is 0 for a text without words.
    """
    number: dict[str, int] = {}
    numbers = [number.setdefault(word, len(number)) for text in texts for word in text]
    sizes = np.array(list(map(len, texts)), dtype=np.int64)
    (best,) = best_likenesses(asked, list(number), [(np.array(numbers, dtype=np.int32), sizes)])
    return best


def best_likenesses(asked: Sequence[str], words: Sequence[str], texts: Sequence[tuple[Array, Array]]) -> list[Array]:
    """Return what `best_likeness` does for several lists of texts, given by numbers.

    These are i32[...], the numbers of their words among `words`, one text after the other, and i64[texts], how many
    words each has.
    """
    found = [np.zeros((len(asked), len(sizes)), dtype=np.float32) for _, sizes in texts]
    place = np.zeros(len(words), dtype=np.int32)
    for numbers, _ in texts:
        place[numbers] = 1
    held = np.flatnonzero(place).tolist()
    if not held or not asked:
        return found
    held.sort(key=words.__getitem__)  # the order of the texts must not tell in a product
    place[held] = np.arange(len(held), dtype=np.int32)
    both = _vectors([*asked, *[words[number] for number in held]])
    pairs = np.maximum(both[: len(asked)] @ both[len(asked) :].T, 0.0)
    for best, (numbers, sizes) in zip(found, texts, strict=True):
        some = sizes > 0
        starts = (np.cumsum(sizes) - sizes)[some]
        if len(starts):
            best[:, some] = np.maximum.reduceat(pairs[:, place[numbers]], starts, axis=1)
    return found


def averaged(weights: Mapping[str, float], best: Array) -> Array:
    """Return the average of what `best_likeness` has of weighted words, f32[texts]."""
    total = sum(weights.values())
    if total <= 0:
        return np.zeros(best.shape[1], dtype=np.float32)
    return weighted_sums(best.T, np.array(list(weights.values()), dtype=np.float32) / np.float32(total))


class _Remembered:
    """The vectors of the words that were asked for last."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def of(self, found: Sequence[str]) -> Array:
        """Return the vectors of words, f32[words, dimensions]."""
        known = self._known
        missing = [word for word in found if word not in known]
        if missing:
            if len(known) > REMEMBERED:
                known = self._known = {}  # not cleared, as another thread may be looking at it
                missing = list(dict.fromkeys(found))
            passages = [PassageWords([], [], [], [one.encode()]) for one in missing]
            rows = unit_rows(shipped_encoder().encode_words(passages))
            known.update(zip(missing, map(np.ndarray.tobytes, rows), strict=True))
        joined = b"".join([known[word] for word in found])  # many times as fast as numpy joins as many arrays
        return np.frombuffer(joined, dtype=np.float32).reshape(len(found), -1)


_vectors = _Remembered().of
