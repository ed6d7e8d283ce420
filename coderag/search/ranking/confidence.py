"""Ranked chunks to their confidence: a probability that depends on no other chunk (a calibrated score).

A score says which chunk is best. Confidence says whether even the best is an answer: the probability, 0..1, that a
chunk with such evidence is an answer and not the best chunk of a repository without one, if both were equally common.
It is a logistic regression on the features that `EVIDENCE` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from coderag.index.reader.corpus import Corpus, path_keys, text_keys
from coderag.index.storage.arrays.arrays import Array
from coderag.record import record
from coderag.search.query.understand import Question
from coderag.search.query.vocabulary import STOP_WORDS, WEAK_WORDS
from coderag.search.ranking.features import known_terms
from coderag.search.ranking.sums import weighted_sums
from coderag.text.tokens import words

__all__ = ["EVIDENCE", "confidence", "evidence"]

# Words are the content words of the question, all with the same weight. Weighted by rarity they would say less: a word
# that no chunk has would weigh most, and people use words that a repository does not.
EVIDENCE = (
    "coverage",  # share of the words that the chunk holds
    "full",  # ... by how often it does, saturated as in BM25F
    "path",  # share of the words in the path
    "named",  # share of the chunk's name that the question names
    "symbol",  # how exactly it defines a symbol of the question
    "known",  # share of the words that the corpus knows at all
    "file",  # share of the words that the file holds
    "words",  # log(1 + number of words): no chunk holds all of many
    "cosine_scaled",  # cosine of the chunk's vector with the question's
)
# Fitted to 921 questions, each searched in its own repository and in four others, which have no answer.
BY_WORDS = (2.44, 3.0, 7.25, 1.43, 2.81, 6.43, 3.03, 2.28, 0.0)
BY_WORDS_START = -15.48
BY_VECTORS = (2.83, 0.0, 5.8, 0.84, 2.39, 5.54, 2.75, 1.91, 8.19)  # with those of the shipped encoder
BY_VECTORS_START = -14.77
WEAK_WEIGHT = 0.4  # of a word such as "function", as in understand
PIECES_SHARE = 0.6  # of an identifier whose pieces are there and which itself is not


@record
class _Word:
    """A content word of a question: its own term and its pieces, as positions among the terms."""

    whole: int
    pieces: tuple[int, ...]
    weight: float


@record
class _Terms:
    """The terms of a question in some chunks, in their files and paths, and in the corpus."""

    shares: Array  # f32[chunks, terms]: how often in a chunk, saturated
    paths: Array  # f32[chunks, terms]: the same of the file's path
    files: Array  # bool[chunks, terms]: in the chunk's file
    known: Array  # bool[terms]: in some chunk


def confidence(
    corpus: Corpus, question: Question, chunks: Array, *, symbols: Mapping[int, float], cosines: Array | None = None
) -> Array:
    """Return the probability that each of some chunks (i64[chunks]) answers a question: f32[chunks].

    `symbols` is how exactly a chunk defines a symbol of the question, 0..1, for those that do. `cosines` (f32[chunks])
    are those of the shipped encoder; those of another have another scale and are left out.
    """
    rows = evidence(corpus, question, chunks, symbols=symbols, cosines=cosines)
    weights, start = (BY_WORDS, BY_WORDS_START) if cosines is None else (BY_VECTORS, BY_VECTORS_START)
    sure: Array = 1 / (1 + np.exp(-(weighted_sums(rows, np.array(weights, dtype=np.float32)) + np.float32(start))))
    return np.where(rows.any(axis=1), sure, np.float32(0))


def evidence(
    corpus: Corpus, question: Question, chunks: Array, *, symbols: Mapping[int, float], cosines: Array | None = None
) -> Array:
    """Return the evidence for some chunks, f32[chunks, EVIDENCE]; zeros where a question has no content words."""
    terms, content = _content(question)
    rows = np.zeros((len(chunks), len(EVIDENCE)), dtype=np.float32)
    if not content or not len(chunks):
        return rows
    found = _found(corpus, terms, chunks)
    rows[:, 0] = _share(content, found.shares > 0)
    rows[:, 1] = _share(content, found.shares)
    rows[:, 2] = _share(content, found.paths)
    names = [_name_terms(name) for name, _ in corpus.names(chunks)]
    rows[:, 3] = [len(name & terms.keys()) / len(name) if name else 0.0 for name in names]
    rows[:, 4] = [symbols.get(chunk, 0.0) for chunk in chunks.tolist()]
    rows[:, 5] = _share(content, found.known[np.newaxis])
    rows[:, 6] = _share(content, found.files)
    rows[:, 7] = np.log1p(len(content))
    if cosines is not None:
        rows[:, 8] = np.maximum(cosines, 0)
    return rows


def _content(question: Question) -> tuple[dict[str, int], list[_Word]]:
    """Return the terms of a question's content words with their positions, and the words.

    A stop word counts as content where it is a symbol and the question has no other word: `get`.
    """
    found = {word.lower(): terms for word in words(question.text) if (terms := known_terms(word))}
    content = {word: terms for word, terms in found.items() if word not in STOP_WORDS}
    if not content and question.symbols:
        content = found
    position = {term: at for at, term in enumerate(dict.fromkeys(term for terms in content.values() for term in terms))}
    return position, [
        _Word(position[whole], tuple(position[piece] for piece in pieces), WEAK_WEIGHT if word in WEAK_WORDS else 1.0)
        for word, (*pieces, whole) in content.items()
    ]


def _share(content: list[_Word], present: Array) -> Array:
    """Return the share of the words that is present, f32[rows] in 0..1, given that of their terms: [rows, terms]."""
    total = np.zeros(len(present), dtype=np.float32)
    for word in content:
        own = present[:, word.whole].astype(np.float32)
        if word.pieces:
            own = np.maximum(own, PIECES_SHARE * present[:, word.pieces].mean(axis=1))
        total += np.float32(word.weight) * own
    share: Array = total / np.float32(sum(word.weight for word in content))
    return share


def _found(corpus: Corpus, terms: Mapping[str, int], chunks: Array) -> _Terms:
    shape = len(chunks), len(terms)
    found = _Terms(
        np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, bool), np.zeros(len(terms), bool)
    )
    in_text, in_path = text_keys(terms), path_keys(terms)
    held = {member.first_chunk: (rows, local) for member, rows, local in corpus.by_member(chunks)}
    for member, dead in zip(corpus.members, corpus.dead_chunks, strict=True):
        segment = member.segment
        at_text = segment.text_postings.find(in_text)
        has_text = np.flatnonzero(at_text >= 0)
        found.known[has_text] |= segment.text_postings.frequencies(at_text[has_text], without=dead) > 0
        if member.first_chunk not in held:
            continue
        rows, local = held[member.first_chunk]
        files = segment.chunk_file[local]
        rows = np.arange(len(chunks))[rows]
        found.shares[np.ix_(rows, has_text)] = segment.text_postings.weights_of(at_text[has_text], local).T
        # A file holds a term if the term's postings have a chunk between the file's first and last.
        first, end = member.chunk_bounds(files)
        for term in has_text.tolist():
            found.files[rows, term] = _between(segment.text_postings.docs_of(int(at_text[term])), first, end - 1)
        at_path = segment.path_postings.find(in_path)
        has_path = np.flatnonzero(at_path >= 0)
        found.paths[np.ix_(rows, has_path)] = segment.path_postings.weights_of(at_path[has_path], files).T
    return found


def _between(docs: Array, first: Array, last: Array) -> Array:
    """Return which pairs of bounds, both inclusive, have a document between them: bool[pairs]."""
    # Of the postings' own type, or numpy would copy them all to compare.
    found: Array = docs.searchsorted(first.astype(docs.dtype)) < docs.searchsorted(last.astype(docs.dtype), "right")
    return found


@lru_cache(maxsize=10_000)
def _name_terms(name: str) -> frozenset[str]:
    """Return the terms of a name: of its pieces only, or of the whole where it has one."""
    split = [known_terms(word) for word in words(name)]
    return frozenset(term for terms in split for term in terms[:-1] or terms)
