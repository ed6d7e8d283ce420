"""Scores of every chunk to the candidates of a hybrid search: the best by words and by vector, fused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.reader.dense_search import cosines_of, dense_search
from coderag.index.reader.order import best_chunks, place_order
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct
from coderag.index.storage.postings import top_k
from coderag.record import record
from coderag.search.retrieval.fuse import DEPTH, Listed, fuse, joined
from coderag.search.retrieval.history import NO_EVIDENCE, Evidence
from coderag.search.retrieval.lexical import Scores
from coderag.types import Fusion

__all__ = ["CANDIDATES", "Candidates", "Lists", "fuse_lists", "retrieve_lists"]

CANDIDATES = 200
NO_CHUNK = -1
FIRST_FILES = 400  # whose chunks give a lower bound of the best scores
ALMOST_NOTHING = 1e-9
ROUNDING = 1e-4


@record
class Lists:
    """The two lists of a hybrid search, each of the DEPTH best chunks, with what scores the chunks of the other."""

    lexical: Listed
    dense: Listed
    scorer: LexicalScorer
    vector: Array | None  # f32[dimensions] of the question

    @property
    def has_vector(self) -> bool:
        """Whether the question has a vector, so that cosines say something."""
        return self.vector is not None


@record
class Candidates:
    """Some chunks, by path and line, with what the lists say of them."""

    chunks: Array  # i64[n]
    fused: Array  # f32[n]: the lists' scores together, 0..1
    near: Array  # f32[n]: cosine with the question, from the least to the best of the dense list
    cosine: Array  # f32[n]: ... as it is, at least 0; 0 without vectors


def retrieve_lists(
    corpus: Corpus,
    scores: Scores,
    prior: Array,
    *,
    weights: Mapping[str, float],
    dense_weight: float,
    vector: Array | None = None,
) -> Lists:
    """Return the best chunks by words, paths and symbols, weighed as in the final score, and by the question's vector.

    Both times `prior`, f32[chunks]. `vector` is f32[dimensions]; the dense list is empty without one, and where it has
    no weight.
    """
    scorer = LexicalScorer(corpus, scores, weights)
    return Lists(
        lexical=_lexical_list(corpus, scorer, prior),
        dense=_dense_list(corpus, vector if dense_weight else None, prior),
        scorer=scorer,
        vector=vector,
    )


def fuse_lists(
    corpus: Corpus,
    lists: Lists,
    prior: Array,
    *,
    dense_weight: float,
    evidence: Evidence = NO_EVIDENCE,
    history_weight: float = 0.0,
    fusion: Fusion = Fusion.MIN_MAX,
    certain: Array | None = None,
) -> Candidates:
    """Return the CANDIDATES best chunks of two lists; the dense one counts `dense_weight`, the lexical one 1.

    A third list, of the chunks whose commits have evidence, counts `history_weight`; it adds candidates and nothing to
    `fused`. `certain`, i64[n] ascending, are candidates too, wherever they come.
    """
    best_chunks_of_history = _history_list(corpus, evidence, prior)
    ascending = joined([lists.lexical, lists.dense, best_chunks_of_history])
    if certain is not None and len(certain):
        ascending = distinct(np.concatenate([ascending, certain]))
    order = place_order(corpus, ascending)  # so that a stable sort by any score puts equal ones in this order
    chunks = ascending[order]
    of_words = lists.scorer.of(ascending)[order] * prior[chunks]
    if lists.vector is None:
        cosine = np.zeros(len(chunks), np.float32)
    else:
        cosine = cosines_of(corpus, lists.vector, ascending)[order]
    closeness = np.maximum(cosine, 0.0, out=cosine) * prior[chunks]
    two = [(lists.lexical, of_words, 1.0), (lists.dense, closeness, dense_weight)]
    total = fuse(chunks, two, fusion)
    worth = total
    if len(evidence.chunks):
        told = evidence.of(chunks) * prior[chunks]
        worth = fuse(chunks, [*two, (best_chunks_of_history, told, history_weight)], fusion)
    kept = np.sort(np.argsort(-worth, kind="stable")[:CANDIDATES])
    if certain is not None and len(certain):
        kept = distinct(np.concatenate([kept, np.flatnonzero(np.isin(chunks, certain))]))
    near = lists.dense.scaled(closeness[kept])
    return Candidates(chunks[kept], total[kept] / (1.0 + dense_weight), near, cosine[kept])


def _history_list(corpus: Corpus, evidence: Evidence, prior: Array) -> Listed:
    scores = evidence.scores * prior[evidence.chunks]
    best = best_chunks(corpus, scores, DEPTH, chunks=evidence.chunks)
    return Listed(evidence.chunks[best], scores[best])


def _dense_list(corpus: Corpus, vector: Array | None, prior: Array) -> Listed:
    if vector is None:
        return Listed(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    dense_hits = dense_search(corpus, vector, prior, k=DEPTH)
    return Listed(dense_hits.chunks, dense_hits.scores)


class LexicalScorer:
    """The score of a chunk by words, paths and symbols, with the weights that these features have in the ranking."""

    def __init__(self, corpus: Corpus, scores: Scores, weights: Mapping[str, float]) -> None:
        """Take the scores of all chunks and files, and the weights of the features."""
        self._corpus, self._scores = corpus, scores
        self._share = np.float32(weights["text"] / scores.best_text)
        self._of_file = weights["file"] / scores.best_file * scores.file_text + weights["path"] * scores.path
        # The chunks that define a symbol of the question, i64[n] ascending, and what that adds to each, f32[n].
        symbols = [(scores.symbols, weights["symbol"]), (scores.capitals, weights["capital"])]
        self.defining = np.array(sorted(scores.symbols.keys() | scores.capitals.keys()), dtype=np.int64)
        worth = [sum(exact.get(chunk, 0.0) * weight for exact, weight in symbols) for chunk in self.defining.tolist()]
        self._worth = np.array(worth, dtype=np.float32)

    def of(self, chunks: Array) -> Array:
        """Return the scores of some chunks, i64[n] ascending, before their priors: f32[n]."""
        text = self._scores.text[chunks]
        total: Array = self._share * text + self._of_file[self._corpus.file_numbers(chunks)] * (text > 0)
        places = np.searchsorted(chunks, self.defining)
        here = np.flatnonzero(np.append(chunks, NO_CHUNK)[places] == self.defining)
        total[places[here]] += self._worth[here]
        return total

    def at_most(self) -> Array:
        """Return an upper bound of the chunks of each file, definitions of the question's symbols aside: f32[files]."""
        # No chunk's text scores more than the best of its file's chunks, term by term, and no prior exceeds 1.
        most: Array = (self._share * self._scores.file_text + self._of_file) * (self._scores.file_text > 0)
        return most * np.float32(1 + ROUNDING)


def _lexical_list(corpus: Corpus, scorer: LexicalScorer, prior: Array) -> Listed:
    """Return the best by words, paths and symbols; a path alone makes no chunk a candidate.

    Only files that may hold one of the best are scored: first the most promising ones, then all whose upper bound
    exceeds the least score of these.
    """
    most = scorer.at_most()
    first = np.zeros(len(most), dtype=bool)
    first[top_k(most, FIRST_FILES)] = True
    best = _best_of(corpus, scorer, prior, first)
    promising = most >= max(best.least, ALMOST_NOTHING)
    return _best_of(corpus, scorer, prior, promising) if (promising & ~first).any() else best


def _best_of(corpus: Corpus, scorer: LexicalScorer, prior: Array, files: Array) -> Listed:
    chunks = corpus.chunks_of(files)
    outside = scorer.defining[~files[corpus.file_numbers(scorer.defining)]]
    if len(outside):
        chunks = np.sort(np.concatenate([chunks, outside]), kind="stable")
    scores = scorer.of(chunks) * prior[chunks]
    best = best_chunks(corpus, scores, DEPTH, chunks=chunks)
    return Listed(chunks[best], scores[best])
