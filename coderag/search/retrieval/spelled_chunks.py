"""The words of a name and an expression for it to the chunks that have it as it is spelled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np

from coderag.index.reader.corpus import Corpus, Member, path_keys, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.search.retrieval.lexical import Scores
from coderag.text.tokens import terms, words

__all__ = ["names_a_file", "spelled_chunks", "whole_terms"]

MAX_CHUNKS = 800  # in which the words of a name meet; of more, the best by words are looked at


def whole_terms(name: str) -> list[str]:
    """Return the terms of the words of a name, each as a whole."""
    return [split[-1] for word in words(name) if (split := terms(word))]


def spelled_chunks(
    corpus: Corpus,
    name: str,
    pattern: re.Pattern[str],
    *,
    scores: Scores,
    allowed: Array,
    within: str = "",
    accept: Callable[[int], bool] | None = None,
) -> Iterator[tuple[int, int]]:
    """Yield the chunks that have the words of a name, as an expression has it, each with its file.

    `allowed`, f32[chunks], is above 0 for what may be found. With `within`, paths have its words; `accept` says of a
    chunk whether its text is worth reading.
    """
    meeting = [
        member.first_chunk + (_of_files(member, chunks, whole_terms(within)) if within else chunks)
        for member, chunks in _meeting(corpus, whole_terms(name))
    ]
    chunks = np.concatenate([np.empty(0, dtype=np.int64), *meeting])
    chunks = chunks[allowed[chunks] > 0]
    if accept is not None:
        chunks = chunks[[accept(chunk) for chunk in chunks.tolist()]]
    if len(chunks) > MAX_CHUNKS:
        chunks = chunks[np.argsort(-scores.text[chunks], kind="stable")[:MAX_CHUNKS]]
    for chunk in chunks.tolist():
        member, local = corpus.member_of(chunk)
        if pattern.search(member.segment.chunk_text(local)):
            yield chunk, member.first_file + int(member.segment.chunk_file[local])


def names_a_file(corpus: Corpus, found: Sequence[str]) -> bool:
    """Tell whether the path of a file has all of some terms."""
    return any(len(_files_named(member, found)) for member in corpus.members)


def _of_files(member: Member, chunks: Array, found: Sequence[str]) -> Array:
    """Return those of some chunks of a segment whose file's path has all of some terms."""
    within: Array = chunks[np.isin(member.segment.chunk_file[chunks], _files_named(member, found))]
    return within


def _files_named(member: Member, found: Sequence[str]) -> Array:
    """Return the files of a segment whose path has all of some terms."""
    postings = member.segment.path_postings
    positions = postings.find(path_keys(found))
    if not len(positions) or (positions < 0).any():
        return np.empty(0, dtype=np.int64)
    return reduce(np.intersect1d, [postings.docs_of(position) for position in positions.tolist()])


def _meeting(corpus: Corpus, found: Sequence[str]) -> Iterator[tuple[Member, Array]]:
    """Yield each segment with the chunks of it that have all of some terms."""
    keys = text_keys(found)
    for member in corpus.members:
        postings = member.segment.text_postings
        positions = postings.find(keys)
        if len(positions) and (positions >= 0).all():
            lists = sorted((postings.docs_of(position) for position in positions.tolist()), key=len)
            yield member, reduce(np.intersect1d, lists).astype(np.int64)
