"""Text to index terms: identifiers kept whole and split into stemmed words, each term a 64-bit hash."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

import Stemmer

__all__ = [
    "MAX_REMEMBERED",
    "MAX_WORD",
    "TOKENIZER_VERSION",
    "cut_identifier",
    "plain_name",
    "raw_words",
    "split_identifier",
    "stem",
    "stem_once",
    "term_digest",
    "term_hash",
    "terms",
    "terms_of_pieces",
    "words",
]

# 1: words of letters and digits, camelCase and snake_case split, Snowball English stems, CJK bigrams.
TOKENIZER_VERSION = 1

WORD = re.compile(r"\w+")
ASCII_WORD = re.compile(r"\w+", re.ASCII)  # a third faster where it does
# Every byte that is part of no word becomes a space. Bytes beyond ASCII stay: they are looked at when a word is taken
# apart, which happens once for each.
BETWEEN_WORDS = bytes(byte if byte >= 128 or chr(byte).isalnum() or byte == ord("_") else 32 for byte in range(256))
PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
WIDE_PIECE = re.compile(r"[^\W\d_]+|\d+")  # of a word with letters beyond ASCII, whose case is not looked at
WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}"  # kana, Han and Hangul have no spaces
SEPARATOR = re.compile(r"::|->|[#/:]")
MAX_WORD = 64  # longer "words" are data: keys, hashes, base64
MAX_NUMBER = 16
MIN_STEMMED = 4  # shorter words have no ending to lose


def words(text: str) -> list[str]:
    """Return the identifiers, words and numbers of a text, in order."""
    return (ASCII_WORD if text.isascii() else WORD).findall(text)


def raw_words(text: bytes) -> list[bytes]:
    """Return the words of a text in UTF-8 as bytes, in order, in a third of the time that `words` takes.

    One with letters beyond ASCII may hold signs beyond ASCII too, and so several words.
    """
    return text.translate(BETWEEN_WORDS).split()


def cut_identifier(word: str) -> list[str]:
    """Return the words of an identifier as they are written: `parseHTTPRequest_v2` is parse, HTTP, Request, v, 2."""
    return (PIECE if word.isascii() else WIDE_PIECE).findall(word)


def split_identifier(word: str) -> list[str]:
    """Return the lower-case words of an identifier: `parseHTTPRequest_v2` is parse, http, request, v, 2."""
    return [piece.lower() for piece in cut_identifier(word)]


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(WIDE)


class _Stems(dict[str, str]):
    """The stem of each word seen."""

    def __init__(self) -> None:
        super().__init__()
        self._stemmer = Stemmer.Stemmer("english", 0)  # a size of 0 turns its own cache off

    def __missing__(self, word: str) -> str:
        stemmed = self.of(word)
        if len(self) < MAX_REMEMBERED:
            self[word] = stemmed
        return stemmed

    def of(self, word: str) -> str:
        """Return a stem without remembering it."""
        stemmed: str = self._stemmer.stemWord(word) if len(word) >= MIN_STEMMED else word
        return stemmed


MAX_REMEMBERED = 500_000  # words; about 100 MB, which only a repository of gigabytes reaches
_stems = _Stems()


def plain_name(name: str) -> str:
    """Return a name in lower case with dots between its parts, however its language separates them."""
    return SEPARATOR.sub(".", name).lower()


def stem(word: str) -> str:
    """Return the stem of a lower-case word; short words and numbers stay."""
    return _stems[word]


def stem_once(word: str) -> str:
    """Return the same without remembering it: of what will hardly be asked for again."""
    return _stems.of(word)


def terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word: the stems of its pieces, and last the whole if it has several.

    The whole is written without underscores, so `rateLimit`, `rate_limit` and `ratelimit` share a term. What begins
    with a digit is a number in some notation, and not split.
    """
    if word.islower() and word.isalpha() and word.isascii():
        return (_stems[word],) if len(word) <= MAX_WORD else ()
    if word[0].isdigit() or len(word) > MAX_WORD:
        return terms_of_pieces(word, ())
    return terms_of_pieces(word, split_identifier(word))


def terms_of_pieces(word: str, pieces: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of a word whose pieces, as `split_identifier` gives them, are known."""
    if word[0].isdigit():
        return (word.lower(),) if len(word) <= MAX_NUMBER else ()
    if len(word) > MAX_WORD:
        return ()
    if len(pieces) == 1:
        if not word.isascii() and (wide := _wide().findall(word)):
            return (*(run[at : at + 2] for run in wide for at in range(len(run) - 1)), pieces[0])
        return (_stems[pieces[0]],)
    stems = [_stems[piece] for piece in pieces if len(piece) > 1 or piece.isdigit()]
    return (*stems, _stems["".join(pieces)]) if pieces else ()


def term_hash(term: str) -> int:
    """Return the unsigned 64-bit hash that stands for a term in an index."""
    return int.from_bytes(term_digest(term), "little")


def term_digest(term: str) -> bytes:
    """Return the same hash as bytes."""
    return blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
