"""How many of the nearest vectors are found, against comparing all: on questions that an index yields itself.

A question is the first sentence of a definition's documentation, or the words of its name where it has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np

from coderag.encoders.encoder import Encoder
from coderag.index.reader.corpus import Corpus
from coderag.index.reader.dense_search import How, dense_search, way
from coderag.index.storage.arrays.arrays import Array
from coderag.text.tokens import split_identifier, words

__all__ = ["QUESTIONS", "Recall", "measure_recall"]

QUESTIONS = 200
SEED = 1
LOOKED_AT = 4  # chunks for each question; not every one has a name of several words
LEAST_WORDS = 2  # of a question
SHORT, LONG = 10, 200  # how many nearest are looked for: as many as are shown, and as many as are ranked


@dataclass(frozen=True, slots=True)
class Recall:
    """How the nearest vectors of an index are found, and how many of them."""

    how: How
    chunks: int
    questions: int
    at_10: float  # share of the 10 nearest that are found, on average
    at_200: float
    milliseconds: float  # that looking for the 200 nearest takes; the median
    exact_milliseconds: float  # ... by comparing all


def measure_recall(corpus: Corpus, encoder: Encoder, *, questions: int = QUESTIONS) -> Recall:
    """Return the recall of an index, averaged over so many questions, or fewer where it yields no more.

    Raises EncoderError.
    """
    counts = np.ones(len(corpus), dtype=np.float32)
    for member, dead in zip(corpus.members, corpus.dead_chunks, strict=True):
        counts[member.first_chunk + dead] = 0
    how = way(corpus)
    shares: list[tuple[float, float]] = []
    spent: list[tuple[float, float]] = []
    for text in _questions(corpus, questions):
        query = encoder.encode_query(text)
        if query.any():
            found, seconds = _timed(corpus, query, counts, how)
            exact, exact_seconds = _timed(corpus, query, counts, How.ALL)
            shares.append((_share(found[:SHORT], exact[:SHORT]), _share(found, exact)))
            spent.append((1e3 * seconds, 1e3 * exact_seconds))
    at_10, at_200 = np.mean(shares, axis=0).tolist() if shares else (1.0, 1.0)
    own, exactly = (median(column) for column in zip(*spent, strict=True)) if spent else (0.0, 0.0)
    return Recall(how, corpus.live_chunks, len(shares), at_10, at_200, own, exactly)


def _timed(corpus: Corpus, query: Array, counts: Array, how: How) -> tuple[Array, float]:
    start = perf_counter()
    nearest = dense_search(corpus, query, counts, k=LONG, how=how).chunks
    return nearest, perf_counter() - start


def _share(found: Array, wanted: Array) -> float:
    return float(np.isin(wanted, found).mean()) if len(wanted) else 1.0


def _questions(corpus: Corpus, count: int) -> Iterator[str]:
    """Yield queries that chunks answer: a random sample, the same for the same chunks."""
    asked: set[str] = set()
    drawn = np.random.default_rng(SEED).permutation(len(corpus))[: LOOKED_AT * count]
    for chunk in drawn.tolist():
        member, local = corpus.member_of(chunk)
        segment = member.segment
        if not corpus.live_file[member.first_file + segment.chunk_file[local]]:
            continue
        name = " ".join(piece for word in words(segment.name(local)) for piece in split_identifier(word))
        text = segment.details(local).doc or name
        if len(words(text)) >= LEAST_WORDS and text not in asked:
            asked.add(text)
            yield text
        if len(asked) == count:
            return
