"""Names and paths to what features of words need of them: it is the same whatever the question."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from coderag.text.tokens import MAX_WORD, split_identifier, stem, term_hash, terms, terms_of_pieces, words

__all__ = [
    "BEGINNING_LETTERS",
    "Spelled",
    "SpelledPath",
    "beginning",
    "name_key",
    "spelled",
    "spelled_path",
    "without_plural",
]

REMEMBERED = 10_000
NAMELESS_STEMS = frozenset({"__init__", "index", "mod", "lib", "main", "init"})  # of files called after their folder
BEGINNING_LETTERS = 3
NO_KEY = 0  # of a name without a term; the key of no term


class Spelled(NamedTuple):
    """A chunk's name and that of what encloses it, its scope."""

    words: tuple[str, ...]
    terms: tuple[str, ...]  # each once
    scope_words: tuple[str, ...]
    scope_terms: tuple[str, ...]
    stems: tuple[str, ...]  # of scope and name, in this order
    key: int  # of the whole name in the postings of texts, as `name_key` gives it


class SpelledPath(NamedTuple):
    """A file's path, and its name: that of its folder where it says nothing."""

    folder: str
    words: tuple[str, ...]  # of the path
    stems: tuple[str, ...]
    name_words: tuple[str, ...]
    name_terms: tuple[str, ...]
    key: int  # of the whole name of the file in the postings of texts


def spelled(name: str, scope: str) -> Spelled:
    """Return what a chunk's name and its scope are made of."""
    own = _apart(name)
    around = _remembered_apart(scope)
    stems = tuple(map(stem, dict.fromkeys((*around.words, *own.words)) if around.words else own.words))
    return Spelled(own.words, own.terms, around.words, around.terms, stems, _key(name, own))


def spelled_path(path: str) -> SpelledPath:
    """Return what a file's path and name are made of."""
    found, name = _apart(path).words, _file_name(path)
    own = _apart(name)
    return SpelledPath(path.rpartition("/")[0], found, tuple(map(stem, found)), own.words, own.terms, _key(name, own))


def name_key(name: str) -> int:
    """Return the key of the term of a whole name in the postings of texts, NO_KEY where it has none."""
    split = terms(name.rpartition(" ")[2].rpartition(".")[2] or "_")
    return term_hash(split[-1]) if split and split[-1] else NO_KEY


def without_plural(word: str) -> str:
    """Return a word without the ending of a plural."""
    return word.removesuffix("s")


def beginning(word: str) -> str:
    """Return the first letters of a word: one that is like it has the same, or the same stem."""
    return without_plural(word)[:BEGINNING_LETTERS]


def _file_name(path: str) -> str:
    """Return the name of a file without its endings, or of its folder where it says nothing."""
    folder, _, filename = path.rpartition("/")
    own = filename.split(".", 1)[0]
    return folder.rpartition("/")[2] if own in NAMELESS_STEMS and folder else own


class _Apart(NamedTuple):
    """A name or path taken apart."""

    words: tuple[str, ...]  # in lower case, each once
    terms: tuple[str, ...]  # of its pieces only, or of the whole where it has one
    last: str  # the term of its last identifier as a whole, "" for none


def _apart(text: str) -> _Apart:
    if text.isalpha() and text.islower() and text.isascii() and len(text) <= MAX_WORD:
        whole = stem(text)
        return _Apart((text,), (whole,), whole)
    if len(text) <= MAX_WORD and text.isascii() and text.isidentifier():
        pieces = split_identifier(text)
        *some, whole = terms_of_pieces(text, pieces) or ("",)
        return _Apart(tuple(dict.fromkeys(pieces)), tuple(dict.fromkeys(some)) or (whole,), whole)
    found: list[str] = []
    of_words: list[str] = []
    whole = ""
    for word in words(text):
        pieces = split_identifier(word)
        found += pieces
        *some, whole = terms_of_pieces(word, pieces) or ("",)
        of_words += some or [whole]
    return _Apart(tuple(dict.fromkeys(found)), tuple(dict.fromkeys(of_words)), whole)


def _key(name: str, apart: _Apart) -> int:
    """Return what `name_key` does of a name that was taken apart."""
    if not (name.isascii() and name.isidentifier()):
        return name_key(name)
    return term_hash(apart.last) if apart.last else NO_KEY


_remembered_apart = lru_cache(maxsize=REMEMBERED)(_apart)  # many names have the same scope
