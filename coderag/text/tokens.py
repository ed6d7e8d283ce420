"""Text to index terms: identifiers kept whole and split into stemmed words, each term a 64-bit hash."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from itertools import chain

import Stemmer

__all__ = ["TOKENIZER_VERSION", "Vocabulary", "split_identifier", "stem", "term_hash", "terms", "words"]

# 1: words of letters and digits, camelCase and snake_case split, Snowball English stems, CJK bigrams.
TOKENIZER_VERSION = 1

WORD = re.compile(r"\w+")
PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")  # kana, Han and Hangul: written without spaces
MAX_WORD = 64  # longer "words" are data: keys, hashes, base64

_stemmer = Stemmer.Stemmer("english", 0)  # a size of 0 turns its own cache off: Vocabulary remembers results


def words(text: str) -> list[str]:
    """Return the identifiers, words and numbers of a text, in order."""
    return WORD.findall(text)


def split_identifier(word: str) -> list[str]:
    """Return the lower-case words of an identifier: `parseHTTPRequest_v2` is parse, http, request, v, 2."""
    return [piece.lower() for piece in PIECE.findall(word)]


def stem(word: str) -> str:
    """Return the stem of a lower-case word; short words and numbers stay."""
    return _stemmer.stemWord(word) if len(word) > 3 else word


def terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word: the stems of its pieces, and the whole if it has several.

    The whole is written without underscores, so `rateLimit`, `rate_limit` and `ratelimit` share a term.
    """
    if len(word) > MAX_WORD:
        return ()
    pieces = split_identifier(word)
    if wide := WIDE.findall(word):
        pieces += [run[at : at + 2] for run in wide for at in range(len(run) - 1)]
    if len(pieces) == 1:
        return (stem(pieces[0]),)
    whole = stem("".join(split_identifier(word)))
    return (*(stem(piece) for piece in pieces if len(piece) > 1 or piece.isdigit()), whole) if pieces else ()


def term_hash(term: str) -> int:
    """Return the unsigned 64-bit hash that stands for a term in an index."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class Vocabulary:
    """Terms numbered in order of first appearance, with the words that lead to them remembered."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words = _Memo(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, found: Iterable[str]) -> list[int]:
        """Return the numbers of the terms of some words, in order."""
        return list(chain.from_iterable(map(self._words.__getitem__, found)))

    def hashes(self) -> list[int]:
        """Return the hash of every term, by number."""
        return [term_hash(term) for term in self._numbers]


class _Memo(dict[str, tuple[int, ...]]):
    """The term numbers of each word seen."""

    def __init__(self, numbers: dict[str, int]) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self._numbers
        found = tuple(numbers.setdefault(term, len(numbers)) for term in terms(word))
        self[word] = found
        return found
