"""The best of a ranking in a better order, by a model that reads the question and each candidate together."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from coderag.encoders.encoder import Passage
from coderag.errors import RetrievalWarning
from coderag.index.build.embed import passage_of
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.rerankers.opening import open_reranker
from coderag.rerankers.reranker import Reranker
from coderag.rerankers.spec import parse_reranker, reranker_warning
from coderag.search.query.vocabulary import STOP_WORDS
from coderag.search.ranking.rank import Ranked
from coderag.search.retrieval.maxsim import likeness, name_words

__all__ = ["LateInteraction", "find_reranker", "reranked"]

MAX_CHARACTERS = 4_000  # of a passage; the beginning of a function says what it is about


class LateInteraction:
    """Each word of the question against the most similar word of the passage, by the shipped word vectors.

    The method is MaxSim (Khattab and Zaharia, "ColBERT", 2020), here without context; it needs no other model.
    """

    name = "maxsim"

    def scores(self, question: str, passages: Sequence[Passage]) -> Array:
        """Return f32[passages] in 0..1, higher is better."""
        weights: Mapping[str, float] = {word: 1.0 for word in name_words(question) if word not in STOP_WORDS}
        texts = [
            name_words(f"{passage.path} {passage.scope} {passage.name} {passage.text[:MAX_CHARACTERS]}")
            for passage in passages
        ]
        return likeness(weights, texts)


@lru_cache(maxsize=4)
def find_reranker(line: str) -> Reranker:
    """Return the reranker of a line: "maxsim", or a model (coderag.rerankers.spec); raises RerankerError."""
    if line == LateInteraction.name:
        return LateInteraction()
    spec = parse_reranker(line)
    if warning := reranker_warning(spec):
        warnings.warn(warning, RetrievalWarning, stacklevel=3)
    return open_reranker(spec)


def reranked(
    corpus: Corpus, question: str, ranked: Sequence[Ranked], *, reranker: Reranker, depth: int, blend: float
) -> list[Ranked]:
    """Return a ranking whose first `depth` are in a new order: `blend` of it the reranker's, the rest as it was.

    Both scores are scaled to 0..1 over these before they are mixed; the scores stay within the range that they had.
    Raises RerankerError.
    """
    first = list(ranked[:depth])
    if len(first) < 2 or not blend:
        return list(ranked)
    passages = [_passage(corpus, hit.chunk) for hit in first]
    new = _scaled(np.asarray(reranker.scores(question, passages), dtype=np.float32))
    before = np.array([hit.score for hit in first], dtype=np.float32)
    mixed = np.float32(blend) * new + np.float32(1.0 - blend) * _scaled(before)
    order = np.argsort(-mixed, kind="stable").tolist()
    low, reach = float(before.min()), float(np.ptp(before))
    changed = [
        replace(first[at], score=low + reach * float(mixed[at]), parts={**first[at].parts, "rerank": float(new[at])})
        for at in order
    ]
    return [*changed, *ranked[depth:]]


def _passage(corpus: Corpus, chunk: int) -> Passage:
    member, local = corpus.member_of(chunk)
    return passage_of(member.segment, local)


def _scaled(scores: Array) -> Array:
    """Return scores between their least and their greatest, 0..1; all 1 where they are equal."""
    reach = float(np.ptp(scores))
    scaled: Array = (scores - scores.min()) / np.float32(reach) if reach > 0 else np.ones_like(scores)
    return scaled
