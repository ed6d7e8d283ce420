"""Questions and texts to rows of sparse matrices: which pieces each has, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coderag.encoders.encoder import Array
from coderag.encoders.pieces import Pieces
from coderag.encoders.static import FieldWeights
from coderag.text.tokens import raw_words
from scripts.training.extract import Record
from scripts.training.pairs import Measured, Pair

__all__ = ["QUESTION_WAYS", "TEXT_WAYS", "Bags", "measured_bags", "pieces_of", "training_bags"]

MAX_OTHERS = 120  # pieces of a question, a name, a scope, a path
MAX_REST = 60
TEXT_WAYS = 4  # whole; without its name; with the rest of the documentation; with its first sentence
QUESTION_WAYS = 4  # first sentence; the rest; the name; a question or a subject of a commit
ATTEMPTS = 300  # questions of a package about the rest of a documentation
MIN_REST = 8  # pieces


@dataclass(frozen=True, slots=True)
class Bags:
    """Texts and questions, each in several ways: way w of pair i is row w * pairs + i. Weights are log(1 + tf)."""

    texts: sparse.csr_matrix
    questions: sparse.csr_matrix
    pairs: int


def pieces_of(lines: Sequence[str]) -> Pieces:
    """Return the pieces of a list, with all of them in memory."""
    encoded = [line.encode() for line in lines]
    found = Pieces(b"\n".join(encoded), (np.cumsum([len(line) + 1 for line in encoded]) - 1).tolist())
    found.remember_all()
    return found


def training_bags(pairs: Sequence[Pair], pieces: Pieces, weights: FieldWeights) -> Bags:
    """Return what training chooses from."""
    records = [pair.record for pair in pairs]
    name, around = _named(records, pieces, weights)
    first = _counts((record.summary for record in records), pieces)
    rest = _counts((record.rest for record in records), pieces, most=MAX_REST)
    body = _counts((record.text for record in records), pieces, most=weights.body_rows)
    bodies = (body, _without(body, name), body + rest, body + first)
    shares = (weights.name, 0.0, weights.name, weights.name)
    named = _logarithm(name, even=True)
    texts = [_logarithm(one, even=True) + share * named + around for one, share in zip(bodies, shares, strict=True)]
    styled = _counts((pair.styled for pair in pairs), pieces)
    questions = [_logarithm(one) for one in (first, rest, name, styled)]
    return Bags(sparse.vstack(texts, format="csr"), sparse.vstack(questions, format="csr"), len(pairs))


def measured_bags(package: Measured, pieces: Pieces, weights: FieldWeights) -> tuple[Bags, Array, Bags, Array]:
    """Return a corpus without documentation and its questions, one with it and questions for the rest of it.

    Each with the texts that answer the questions.
    """
    records = package.records
    name, around = _named(records, pieces, weights)
    around = around + weights.name * _logarithm(name, even=True)
    first = _counts((record.summary for record in records), pieces)
    rest = _counts((record.rest for record in records), pieces)
    body = _counts((record.text for record in records), pieces, most=weights.body_rows)
    asked = np.array(package.asked, dtype=np.int64)
    others = np.flatnonzero(np.diff(rest.indptr) >= MIN_REST)[:ATTEMPTS]
    return (
        Bags((_logarithm(body, even=True) + around).tocsr(), _logarithm(first[asked]), len(records)),
        asked,
        Bags((_logarithm(body + first, even=True) + around).tocsr(), _logarithm(rest[others]), len(records)),
        others,
    )


def _named(
    records: Sequence[Record], pieces: Pieces, weights: FieldWeights
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return the pieces of names, and of what stands around them with its weights."""
    name = _counts((record.name for record in records), pieces)
    scope = _logarithm(_counts((record.scope for record in records), pieces), even=True)
    path = _logarithm(_counts((record.path for record in records), pieces), even=True)
    return name, weights.scope * scope + weights.path * path


def _without(counts: sparse.csr_matrix, others: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return counts without the pieces that others have."""
    present = others.copy()
    present.data[:] = 1
    left = (counts - counts.multiply(present)).tocsr()
    left.eliminate_zeros()
    return left


def _counts(texts: Iterable[str], pieces: Pieces, *, most: int = MAX_OTHERS) -> sparse.csr_matrix:
    """Return how often each piece is in each text, f32[texts, pieces], among the first so many pieces."""
    found = [pieces.rows(raw_words(text.encode("utf-8", "replace"))[:most])[:most] for text in texts]
    ends = np.cumsum([0, *map(len, found)])
    rows = np.fromiter((row for one in found for row in one), dtype=np.int32, count=int(ends[-1]))
    counts = sparse.csr_matrix((np.ones(len(rows), dtype=np.float32), rows, ends), shape=(len(found), len(pieces)))
    counts.sum_duplicates()
    return counts


def _logarithm(counts: sparse.csr_matrix, *, even: bool = False) -> sparse.csr_matrix:
    """Return log(1 + count); `even`: each row of length one, as the encoder weighs the fields of a text."""
    found = counts.tocsr().astype(np.float32)
    found.data = np.log1p(found.data)
    if even:
        sizes = np.diff(found.indptr)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        lengths = np.sqrt(np.bincount(owner, weights=found.data * found.data, minlength=len(sizes)))
        found.data = (found.data / lengths[owner]).astype(np.float32)
    return found
