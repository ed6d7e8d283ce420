"""The names and paths of a corpus as columns of numbers, each taken apart when it is first a candidate.

What a name is made of is remembered for the process, so an index that was updated knows the names of the one before;
which of its chunks has which name, and in how many chunks that is written, is remembered for the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, count
from threading import Lock
from typing import NamedTuple, Self

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.numbered import Grown, Numbering, Ragged
from coderag.search.ranking.spelled import Spelled, SpelledPath, beginning, spelled, spelled_path
from coderag.text.tokens import stem

__all__ = ["NameColumns", "NameTable", "name_columns"]

MAX_REMEMBERED = 60_000  # names and paths, of some 500 bytes each


class NameTable:
    """Names and paths that were taken apart, by number; words and terms have numbers, too."""

    def __init__(self) -> None:
        self.words, self.terms = Numbering(), Numbering()
        self.word_stem, self.word_beginning = Grown(np.int32), Grown(np.int32)  # terms, by word
        self.name_words, self.scope_words = Ragged(), Ragged()
        self.name_terms, self.scope_terms, self.name_stems = Ragged(), Ragged(), Ragged()
        self.path_words, self.file_words = Ragged(), Ragged()  # of the path; of the file's name
        self.path_stems, self.file_terms = Ragged(), Ragged()
        self.folder = Grown(np.int64)
        self.name_key, self.file_key = Grown(np.uint64), Grown(np.uint64)  # of whole names in the postings of texts
        self._names: dict[tuple[str, str], int] = {}
        self._paths: dict[str, int] = {}
        self._folders = Numbering()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return how many names and paths there are."""
        return len(self._names) + len(self._paths)

    def names(self, wanted: Sequence[tuple[str, str]]) -> list[int]:
        """Return the numbers of names, each given with its scope."""
        with self._lock:
            fresh = [name for name in dict.fromkeys(wanted) if name not in self._names]
            if fresh:
                self._add_names([spelled(*name) for name in fresh])
                self._names.update(zip(fresh, count(len(self._names))))
            return [self._names[name] for name in wanted]

    def paths(self, wanted: Sequence[str]) -> list[int]:
        """Return the numbers of paths."""
        with self._lock:
            fresh = [path for path in dict.fromkeys(wanted) if path not in self._paths]
            if fresh:
                self._add_paths([spelled_path(path) for path in fresh])
                self._paths.update(zip(fresh, count(len(self._paths))))
            return [self._paths[path] for path in wanted]

    def _add_names(self, found: Sequence[Spelled]) -> None:
        _append(self.name_words, self.words, [name.words for name in found])
        _append(self.scope_words, self.words, [name.scope_words for name in found])
        _append(self.name_terms, self.terms, [name.terms for name in found])
        _append(self.scope_terms, self.terms, [name.scope_terms for name in found])
        _append(self.name_stems, self.terms, [name.stems for name in found])
        self.name_key.extend([name.key for name in found])
        self._note_words()

    def _add_paths(self, found: Sequence[SpelledPath]) -> None:
        _append(self.path_words, self.words, [path.words for path in found])
        _append(self.file_words, self.words, [path.name_words for path in found])
        _append(self.path_stems, self.terms, [path.stems for path in found])
        _append(self.file_terms, self.terms, [path.name_terms for path in found])
        self.folder.extend(self._folders.numbers([path.folder for path in found]))
        self.file_key.extend([path.key for path in found])
        self._note_words()

    def _note_words(self) -> None:
        fresh = self.words.texts[len(self.word_stem.values) :]
        self.word_stem.extend(self.terms.numbers(map(stem, fresh)))
        self.word_beginning.extend(self.terms.numbers(map(beginning, fresh)))


def _append(rows: Ragged, numbering: Numbering, texts: Sequence[Sequence[str]]) -> None:
    """Add rows of strings by their numbers."""
    rows.append(numbering.numbers(chain.from_iterable(texts)), map(len, texts))


class _Noted(NamedTuple):
    """What is known of each chunk or file; room that is never touched takes no memory."""

    number: Array  # i32[n]: that of its name or path, and 1; 0 while it is not known
    mentions: Array  # f32[n]
    has_mentions: Array  # bool[n]

    @classmethod
    def none(cls, count: int) -> Self:
        """Return what is known of so many before they are looked at."""
        return cls(np.zeros(count, np.int32), np.zeros(count, np.float32), np.zeros(count, bool))


class NameColumns:
    """The names of the chunks of a corpus, and the paths of its files, by their numbers in a table.

    The corpus keeps it and comes with each call: what refers back to it would live on until Python looks for cycles.
    """

    def __init__(self, corpus: Corpus, table: NameTable) -> None:
        self.table = table
        self._chunks, self._files = _Noted.none(len(corpus)), _Noted.none(corpus.files)

    def names(self, corpus: Corpus, chunks: Array) -> Array:
        """Return the names of some chunks, i64[n]."""
        return _known(self._chunks, chunks, lambda missing: self.table.names(corpus.names(missing)))

    def paths(self, corpus: Corpus, files: Array) -> Array:
        """Return the paths of some files, i64[n] ascending."""
        return _known(self._files, files, lambda missing: self.table.paths(corpus.paths_of(missing)))

    def name_mentions(self, corpus: Corpus, chunks: Array, shares: Callable[[Array], Array]) -> Array:
        """Return what `shares` says of the terms (u64[n]) of the names of some chunks, f32[n]."""
        keys = self.table.name_key
        return _mentions(self._chunks, chunks, lambda missing: shares(keys.values[self.names(corpus, missing)]))

    def file_mentions(self, corpus: Corpus, files: Array, shares: Callable[[Array], Array]) -> Array:
        """Return what `shares` says of the terms (u64[n]) of the names of some files, i64[n] ascending: f32[n]."""
        keys = self.table.file_key
        return _mentions(self._files, files, lambda missing: shares(keys.values[self.paths(corpus, missing)]))


def _known(noted: _Noted, rows: Array, number: Callable[[Array], list[int]]) -> Array:
    found = noted.number[rows]
    missing = rows[found == 0]
    if len(missing):
        noted.number[missing] = np.array(number(missing), dtype=np.int32) + 1
        found = noted.number[rows]
    return found.astype(np.int64) - 1


def _mentions(noted: _Noted, rows: Array, shares: Callable[[Array], Array]) -> Array:
    missing = rows[~noted.has_mentions[rows]]
    if len(missing):
        noted.mentions[missing] = shares(missing)
        noted.has_mentions[missing] = True
    found: Array = noted.mentions[rows]
    return found


_table = NameTable()


def name_columns(corpus: Corpus) -> NameColumns:
    """Return the columns of a corpus."""
    global _table
    if len(_table) > MAX_REMEMBERED:
        _table = NameTable()
    table = _table
    found = corpus.companion(NameColumns, lambda: NameColumns(corpus, table))
    return (
        found if found.table is table else corpus.companion(NameColumns, lambda: NameColumns(corpus, table), anew=True)
    )
