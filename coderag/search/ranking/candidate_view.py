"""Candidates as their features see them: numbered by name and file, with what one feature takes from another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import Question
from coderag.search.ranking.name_columns import NameColumns, NameTable, name_columns
from coderag.search.ranking.numbered import Runs
from coderag.search.retrieval.candidates import Candidates
from coderag.search.retrieval.lexical import Scores

__all__ = ["CandidateView"]


class CandidateView:
    """The candidates of a question; what only some features need of them is looked up by the first that does."""

    def __init__(
        self, corpus: Corpus, question: Question, scores: Scores, found: Candidates, *, columns: Mapping[str, Array]
    ) -> None:
        """Take the candidates; `columns` are the features that are computed by now, f32[n] each."""
        self.corpus, self.question, self.scores, self.found = corpus, question, scores, found
        self.columns = columns
        self.chunks = found.chunks
        # The files of the candidates, i64[files] ascending, and of each candidate the position among them, i64[n].
        self.files, self.own_file = np.unique_inverse(corpus.file_numbers(found.chunks))

    def __len__(self) -> int:
        """Return how many candidates there are."""
        return len(self.chunks)

    @cached_property
    def _columns(self) -> NameColumns:
        return name_columns(self.corpus)

    @property
    def table(self) -> NameTable:
        """What names and paths are made of."""
        return self._columns.table

    @cached_property
    def names(self) -> Array:
        """The name of each candidate in the table, i64[n]."""
        return self._columns.names(self.corpus, self.chunks)

    @cached_property
    def paths(self) -> Array:
        """The path of each file in the table, i64[files]."""
        return self._columns.paths(self.corpus, self.files)

    @cached_property
    def name_words(self) -> Runs:
        """The words of each candidate's name."""
        return self.table.name_words.of(self.names)

    @cached_property
    def file_words(self) -> Runs:
        """The words of each file's name."""
        return self.table.file_words.of(self.paths)

    def name_mentions(self, shares: Callable[[Array], Array]) -> Array:
        """Return what `shares` says of the terms (u64[...]) of the candidates' names, f32[n]."""
        return self._columns.name_mentions(self.corpus, self.chunks, shares)

    def file_mentions(self, shares: Callable[[Array], Array]) -> Array:
        """Return what `shares` says of the terms (u64[...]) of the files' names, f32[files]."""
        return self._columns.file_mentions(self.corpus, self.files, shares)

    def best_of_file(self, values: Array) -> Array:
        """Return of each candidate the best of some values, f32[n], among the candidates of its file: f32[n]."""
        best = np.zeros(max(len(self.files), 1), dtype=np.float32)
        np.maximum.at(best, self.own_file, values)
        of_candidate: Array = best[self.own_file]
        return of_candidate
