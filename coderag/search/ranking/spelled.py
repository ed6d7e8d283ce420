"""Names and paths to what features of words need of them: it is the same whatever the question."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from coderag.text.tokens import split_identifier, stem, term_hash, terms, terms_of_pieces, words

__all__ = [
    "BEGINNING_LETTERS",
    "Spelled",
    "SpelledPath",
    "beginning",
    "file_key",
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


class SpelledPath(NamedTuple):
    """A file's path, and its name: that of its folder where it says nothing."""

    folder: str
    words: tuple[str, ...]  # of the path
    stems: tuple[str, ...]
    name_words: tuple[str, ...]
    name_terms: tuple[str, ...]


def spelled(name: str, scope: str) -> Spelled:
    """Return what a chunk's name and its scope are made of."""
    own, own_terms = _apart(name)
    around, scope_terms = _remembered_apart(scope)
    stems = tuple(map(stem, dict.fromkeys((*around, *own)) if around else own))
    return Spelled(own, own_terms, around, scope_terms, stems)


def spelled_path(path: str) -> SpelledPath:
    """Return what a file's path and name are made of."""
    found, _ = _apart(path)
    words, terms = _apart(_file_name(path))
    return SpelledPath(path.rpartition("/")[0], found, tuple(map(stem, found)), words, terms)


def name_key(name: str) -> int:
    """Return the key of the term of a whole name in the postings of texts, NO_KEY where it has none."""
    split = terms(name.rpartition(" ")[2].rpartition(".")[2] or "_")
    return term_hash(split[-1]) if split and split[-1] else NO_KEY


def file_key(path: str) -> int:
    """Return the same of a file's name."""
    return name_key(_file_name(path))


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


def _apart(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a name or path in lower case, each once, and its terms.

    The terms are those of its pieces only, or of the whole where it has one.
    """
    found: list[str] = []
    of_words: list[str] = []
    for word in words(text):
        pieces = split_identifier(word)
        found += pieces
        *some, whole = terms_of_pieces(word, pieces) or ("",)
        of_words += some or [whole]
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(of_words))


_remembered_apart = lru_cache(maxsize=REMEMBERED)(_apart)  # many names have the same scope
