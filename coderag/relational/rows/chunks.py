"""A corpus to the rows of `chunks` and `documentation`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.strings import last_bytes
from coderag.index.storage.columns import CONTINUES, DEFINES, KINDS
from coderag.relational.rows.arrays import Columns, joined, labelled, lists, nullable, texts
from coderag.relational.rows.files import FileNumbers

__all__ = ["ChunkNumbers", "chunk_columns", "documentation_columns"]


class ChunkNumbers:
    """The chunks of the files that are indexed now, numbered from 1 by file and line."""

    def __init__(self, files: FileNumbers) -> None:
        self.files = files
        self.corpus: Corpus = files.corpus

    @cached_property
    def first_row(self) -> Array:
        """The first row of each chunk of the corpus."""
        return joined([member.segment.first_row for member in self.corpus.members], np.int64)

    @cached_property
    def last_row(self) -> Array:
        """The last row of each chunk of the corpus."""
        return joined([member.segment.last_row for member in self.corpus.members], np.int64)

    @cached_property
    def file_id(self) -> Array:
        """The number of each chunk's file, 0 for one that is not indexed any more."""
        found: Array = self.files.of_corpus[self.corpus.chunk_file]
        return found

    @cached_property
    def defines(self) -> Array:
        """Which chunks of the corpus are definitions, and the first piece of theirs."""
        flags = joined([member.segment.chunk_flags for member in self.corpus.members], np.uint8)
        found: Array = (flags & (DEFINES | CONTINUES)) == DEFINES
        return found

    @cached_property
    def order(self) -> Array:
        """The chunks of the corpus in the order of their numbers, i64[chunks]."""
        live = np.flatnonzero(self.file_id)
        found: Array = live[np.lexsort((self.first_row[live], self.file_id[live]))]
        return found

    @cached_property
    def of_corpus(self) -> Array:
        """The number of each chunk of the corpus, 0 for one that is not indexed any more."""
        numbers = np.zeros(len(self.corpus), np.int32)
        numbers[self.order] = np.arange(1, len(self.order) + 1)
        return numbers


def chunk_columns(numbers: ChunkNumbers) -> Columns:
    """Return the columns of `chunks`."""
    corpus, order = numbers.corpus, numbers.order
    files = corpus.chunk_file[order]
    qualified = [name for member in corpus.members for name in member.segment.names.all()]
    sizes = joined([member.segment.name_bytes for member in corpus.members], np.int64)[order].tolist()
    names = [qualified[chunk] for chunk in order.tolist()]
    first, last = numbers.first_row[order], numbers.last_row[order]
    parents = joined(
        [
            np.where(
                member.segment.chunk_parent < 0, -1, member.segment.chunk_parent.astype(np.int64) + member.first_chunk
            )
            for member in corpus.members
        ],
        np.int64,
    )[order]
    parent_ids = np.append(numbers.of_corpus, 0)[parents]
    return {
        "repository": texts(numbers.files.repositories)[files],
        "chunk_id": np.arange(1, len(order) + 1, dtype=np.int32),
        "file_id": numbers.file_id[order],
        "path": texts(corpus.paths)[files],
        "language": labelled(corpus.languages, corpus.file_language[files].astype(np.int64)),
        "kind": labelled([str(kind) for kind in KINDS], corpus.chunk_kind[order].astype(np.int64)),
        "name": texts([last_bytes(name, size) for name, size in zip(names, sizes, strict=True)]),
        "qualified_name": texts(names),
        "parent_id": nullable(parent_ids, parent_ids == 0),
        "start_line": first + 1,
        "end_line": last + 1,
        "lines": last - first + 1,
        "is_definition": numbers.defines[order],
        "is_test": corpus.with_label("test")[files] | corpus.of_tests(order),
    }


def documentation_columns(numbers: ChunkNumbers) -> Columns:
    """Return the columns of `documentation`."""
    corpus = numbers.corpus
    order = numbers.order[numbers.defines[numbers.order]]
    details = [
        member.segment.details(number) for member, number in (corpus.member_of(chunk) for chunk in order.tolist())
    ]
    return {
        "chunk_id": numbers.of_corpus[order],
        "signature": texts([detail.signature for detail in details]),
        "doc": texts([detail.doc for detail in details]),
        "decorators": lists([detail.decorators for detail in details]),
    }
