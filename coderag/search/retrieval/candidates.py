"""The lists of scores to the chunks that are worth a closer look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.reader.dense_search import cosines_of, dense_search
from coderag.index.reader.order import best_chunks, place_order
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.postings import top_k
from coderag.search.retrieval.fuse import DEPTH, Listed, fuse, joined
from coderag.search.retrieval.retrieve import Scores
from coderag.types import Fusion

__all__ = ["CANDIDATES", "Candidates", "find_candidates"]

CANDIDATES = 200
NO_CHUNK = -1
FIRST_FILES = 400  # whose chunks tell how good the best are at least
ALMOST_NOTHING = 1e-9
ROUNDING = 1e-4


@dataclass(frozen=True, slots=True)
class Candidates:
    """Some chunks, by path and line, with what the lists say of them."""

    chunks: Array  # i64[n]
    fused: Array  # f32[n]: the lists' scores together, 0..1
    near: Array  # f32[n]: cosine with the question, from the least to the best of the dense list
    cosine: Array  # f32[n]: ... as it is, at least 0; 0 without vectors


def find_candidates(
    corpus: Corpus,
    scores: Scores,
    factor: Array,
    *,
    weights: Mapping[str, float],
    dense: float,
    vector: Array | None = None,
    fusion: Fusion = Fusion.MIN_MAX,
) -> Candidates:
    """Return the best chunks by what is known of every chunk.

    Two lists meet: words, paths and symbols weighed as in the final score, and the nearest to the question's vector,
    f32[dimensions], which count `dense`.
    """
    lexical = _Lexical(corpus, scores, weights)
    words = _by_words(corpus, lexical, factor)
    near = _by_vectors(corpus, vector if dense else None, factor)
    ascending = joined([words, near])
    order = place_order(corpus, ascending)  # so that a stable sort by any score puts equal ones in this order
    chunks = ascending[order]
    of_words = lexical.of(ascending)[order] * factor[chunks]
    cosine = np.zeros(len(chunks), np.float32) if vector is None else cosines_of(corpus, vector, ascending)[order]
    closeness = np.maximum(cosine, 0.0, out=cosine) * factor[chunks]
    total = fuse(chunks, [(words, of_words, 1.0), (near, closeness, dense)], fusion)
    kept = np.sort(np.argsort(-total, kind="stable")[:CANDIDATES])
    return Candidates(chunks[kept], total[kept] / (1.0 + dense), near.scaled(closeness[kept]), cosine[kept])


def _by_vectors(corpus: Corpus, vector: Array | None, factor: Array) -> Listed:
    if vector is None:
        return Listed(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    dense_hits = dense_search(corpus, vector, factor, k=DEPTH)
    return Listed(dense_hits.chunks, dense_hits.scores)


class _Lexical:
    """Words, paths and symbols, weighed like the features that are looked at later."""

    def __init__(self, corpus: Corpus, scores: Scores, weights: Mapping[str, float]) -> None:
        self._corpus, self._scores = corpus, scores
        self._share = np.float32(weights["text"] / scores.best_text)
        self._of_file = weights["file"] / scores.best_file * scores.file_text + weights["path"] * scores.path
        # Of chunks that define what is asked for: i64[n] ascending, and what that adds, f32[n].
        told = [(scores.symbols, weights["symbol"]), (scores.capitals, weights["capital"])]
        self.defining = np.array(sorted(scores.symbols.keys() | scores.capitals.keys()), dtype=np.int64)
        worth = [sum(found.get(chunk, 0.0) * weight for found, weight in told) for chunk in self.defining.tolist()]
        self._worth = np.array(worth, dtype=np.float32)

    def of(self, chunks: Array) -> Array:
        """Return the scores of some chunks, i64[n] ascending, before anything demotes them: f32[n]."""
        text = self._scores.text[chunks]
        found: Array = self._share * text + self._of_file[self._corpus.file_numbers(chunks)] * (text > 0)
        places = np.searchsorted(chunks, self.defining)
        here = np.flatnonzero(np.append(chunks, NO_CHUNK)[places] == self.defining)
        found[places[here]] += self._worth[here]
        return found

    def at_most(self) -> Array:
        """Return what no chunk of a file exceeds without a definition that is asked for, f32[files]."""
        # No chunk's text is worth more than the best of its file's chunks are, term by term, and no factor exceeds 1.
        most: Array = (self._share * self._scores.file_text + self._of_file) * (self._scores.file_text > 0)
        return most * np.float32(1 + ROUNDING)


def _by_words(corpus: Corpus, lexical: _Lexical, factor: Array) -> Listed:
    """Return the best by words, paths and symbols; a path alone makes no chunk worth a look.

    Only files are looked into that may hold one of the best: first the most promising ones, and with what they hold
    all that may hold better.
    """
    most = lexical.at_most()
    first = np.zeros(len(most), dtype=bool)
    first[top_k(most, FIRST_FILES)] = True
    best = _best_of(corpus, lexical, factor, first)
    promising = most >= max(best.least, ALMOST_NOTHING)
    return _best_of(corpus, lexical, factor, promising) if (promising & ~first).any() else best


def _best_of(corpus: Corpus, lexical: _Lexical, factor: Array, files: Array) -> Listed:
    chunks = corpus.chunks_of(files)
    outside = lexical.defining[~files[corpus.file_numbers(lexical.defining)]]
    if len(outside):
        chunks = np.sort(np.concatenate([chunks, outside]), kind="stable")
    scores = lexical.of(chunks) * factor[chunks]
    best = best_chunks(corpus, scores, DEPTH, chunks=chunks)
    return Listed(chunks[best], scores[best])
