"""A corpus to the rows of `files`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import LABELS
from coderag.relational.rows.arrays import Columns, joined, labelled, texts

__all__ = ["FileNumbers", "file_columns"]


class FileNumbers:
    """The files that are indexed now, numbered from 1 by repository and path."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    @cached_property
    def repositories(self) -> list[str]:
        """The repository of each file of the corpus."""
        return [member.repository for member in self.corpus.members for _ in range(len(member.segment.paths))]

    @cached_property
    def order(self) -> Array:
        """The files of the corpus in the order of their numbers, i64[files]."""
        paths, repositories = self.corpus.paths, self.repositories
        live = np.flatnonzero(self.corpus.live_file).tolist()
        return np.array(sorted(live, key=lambda file: (repositories[file], paths[file])), np.int64)

    @cached_property
    def of_corpus(self) -> Array:
        """The number of each file of the corpus, 0 for one that changed or went since."""
        numbers = np.zeros(self.corpus.files, np.int32)
        numbers[self.order] = np.arange(1, len(self.order) + 1)
        return numbers

    @cached_property
    def by_place(self) -> dict[tuple[str, str], int]:
        """The numbers by repository and path."""
        paths, repositories = self.corpus.paths, self.repositories
        return {(repositories[file], paths[file]): at for at, file in enumerate(self.order.tolist(), start=1)}

    def of_paths(self, repository: str, paths: list[str]) -> Array:
        """Return the number of each path of a repository, and behind them 0 for none: i32[paths + 1]."""
        numbers = [self.by_place.get((repository, path), 0) for path in paths]
        return np.array([*numbers, 0], np.int32)


def file_columns(numbers: FileNumbers) -> Columns:
    """Return the columns of `files`."""
    corpus, order = numbers.corpus, numbers.order
    paths = [corpus.paths[file] for file in order.tolist()]
    sizes = joined([member.segment.arrays["file_size"] for member in corpus.members], np.int64)
    lines = np.zeros(corpus.files, np.int32)
    last = joined([member.segment.last_row for member in corpus.members], np.int32)
    np.maximum.at(lines, corpus.chunk_file, last + 1)
    languages = {name: content for member in corpus.members for name, content in member.segment.languages.items()}
    codes = corpus.file_language[order].astype(np.int64)
    problems = {
        member.first_file + file: problem
        for member in corpus.members
        for file, problem in member.segment.problems.items()
    }
    return {
        "repository": texts([numbers.repositories[file] for file in order.tolist()]),
        "file_id": np.arange(1, len(order) + 1, dtype=np.int32),
        "path": texts(paths),
        "folder": texts([path.rpartition("/")[0] for path in paths]),
        "language": labelled(corpus.languages, codes),
        "content": labelled([languages[name] for name in corpus.languages], codes),
        "bytes": sizes[order],
        "lines": lines[order],
        **{f"is_{label}": corpus.with_label(label)[order] for label in LABELS},
        "problem": texts([problems.get(file) for file in order.tolist()]),
    }
