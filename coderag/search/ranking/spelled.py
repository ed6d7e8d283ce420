"""Names and paths to what features of words need of them, remembered: it is the same whatever the question."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from coderag.record import record
from coderag.search.retrieval.maxsim import name_words
from coderag.text.tokens import stem, term_hash, terms, words

__all__ = ["BEGINNING_LETTERS", "Spelled", "SpelledPath", "spelled", "spelled_path", "without_plural"]

REMEMBERED = 10_000  # several times what one search asks about; in a server it stays so much
NAMELESS_STEMS = frozenset({"__init__", "index", "mod", "lib", "main", "init"})  # of files called after their folder
BEGINNING_LETTERS = 3
NO_KEY = 0  # of a name without a term; the key of no term


@record
class Spelled:
    """A chunk's name and that of what encloses it, its scope."""

    words: tuple[str, ...]
    hints: frozenset[str]  # stems and beginnings of these: a word that is like one of them shares a hint
    terms: frozenset[str]
    key: int  # of the term of the whole name
    scope_words: tuple[str, ...]
    scope_terms: frozenset[str]
    stems: tuple[str, ...]  # of scope and name, in this order
    pairs: frozenset[tuple[str, str]]  # of these, those that follow each other


@record
class SpelledPath:
    """A file's path, and its name: that of its folder where it says nothing."""

    folder: str
    words: tuple[str, ...]  # of the path
    stems: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]  # of these, those that follow each other
    name_words: tuple[str, ...]
    name_hints: frozenset[str]
    name_terms: frozenset[str]
    name_key: int  # of the term of the whole name


@lru_cache(maxsize=REMEMBERED)
def spelled(name: str, scope: str) -> Spelled:
    """Return what a chunk's name and its scope are made of."""
    own, around = name_words(name), name_words(scope)
    stems = tuple(map(stem, dict.fromkeys((*around, *own))))
    return Spelled(
        words=own,
        hints=_hints(own),
        terms=_terms_of(name),
        key=_key(name),
        scope_words=around,
        scope_terms=_terms_of(scope),
        stems=stems,
        pairs=frozenset(pairwise(stems)),
    )


@lru_cache(maxsize=REMEMBERED)
def spelled_path(path: str) -> SpelledPath:
    """Return what a file's path and name are made of."""
    folder, _, filename = path.rpartition("/")
    own = filename.split(".", 1)[0]
    name = folder.rpartition("/")[2] if own in NAMELESS_STEMS and folder else own
    found = name_words(path)
    stems = tuple(map(stem, found))
    return SpelledPath(
        folder=folder,
        words=found,
        stems=stems,
        pairs=frozenset(pairwise(stems)),
        name_words=name_words(name),
        name_hints=_hints(name_words(name)),
        name_terms=_terms_of(name),
        name_key=_key(name),
    )


def without_plural(word: str) -> str:
    """Return a word without the ending of a plural."""
    return word.removesuffix("s")


def _hints(found: Iterable[str]) -> frozenset[str]:
    return frozenset(hint for word in found for hint in (stem(word), without_plural(word)[:BEGINNING_LETTERS]))


@lru_cache(maxsize=REMEMBERED)
def _terms_of(text: str) -> frozenset[str]:
    """Return the terms of a name: of its pieces only, or of the whole where it has one."""
    found: set[str] = set()
    for word in words(text):
        *pieces, whole = terms(word) or ("",)
        found.update(pieces or [whole])
    return frozenset(found)


def _key(name: str) -> int:
    """Return the key of the term of a whole name in the postings of texts, NO_KEY where it has none."""
    split = terms(name.rpartition(" ")[2].rpartition(".")[2] or "_")
    return term_hash(split[-1]) if split and split[-1] else NO_KEY
