"""Words to the number of chunks that hold them: a word with none occurs nowhere in the index."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.index.reader.corpus import Corpus, path_keys, text_keys
from coderag.text.tokens import terms

__all__ = ["word_frequencies"]


def word_frequencies(corpus: Corpus, words: Iterable[str]) -> dict[str, int]:
    """Return how many chunks hold each word, or files have it in their path; any of the word's forms counts.

    An identifier of several words that is written nowhere counts as the rarest of these.
    """
    of_word = {word: terms(word.lower() if word[1:].islower() else word) for word in words if word}
    every = sorted({term for found in of_word.values() for term in found})
    counts = corpus.text_frequencies(text_keys(every)) + corpus.path_frequencies(path_keys(every))
    of_term = dict(zip(every, counts.tolist(), strict=True))
    return {word: _frequency(found, of_term) for word, found in of_word.items()}


def _frequency(found: tuple[str, ...], counts: dict[str, int]) -> int:
    *pieces, whole = found or ("",)
    return counts.get(whole, 0) or min((counts[piece] for piece in pieces), default=0)
