"""Scores to a ranking: weigh the features of the best candidates, spread them over files, cut.

A chunk's score is the weighted sum of its features (coderag.ranking.features), times a factor below one for tests,
examples, generated, vendored and legacy code unless the question asks for them, for documents beside code, and for
chunks that are no definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from coderag.index.arrays import Array
from coderag.index.columns import LABELS
from coderag.index.corpus import PIECE, REMAINDER, Corpus
from coderag.index.sparse import top_k
from coderag.ranking.features import FEATURES, features
from coderag.ranking.retrieve import Scores, retrieve
from coderag.ranking.understand import Question, Shape

__all__ = ["DEFAULT", "Ranked", "Tuning", "rank"]

CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Tuning:
    """The weights of a ranking; tuned on two public suites, see ARCHITECTURE.md."""

    weights: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType(
            {
                "text": 1.5,
                "file": 0.5,
                "company": 0.15,
                "path": 2.0,
                "stem": 0.4,
                "name": 0.12,
                "named": 0.12,
                "scope": 0.1,
                "symbol": 0.7,
                "alone": 1.5,
                "type": 0.15,
                "home": 0.45,
                "capital": 0.1,
            }
        )
    )
    factors: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType(
            {
                "test": 0.4,
                "example": 0.5,
                "generated": 0.6,
                "vendored": 0.5,
                "legacy": 0.6,
                "docs": 0.35,
                "continues": 0.95,
                "query": 0.45,  # an example query, whose name is a question
                "module": 0.7,  # what is left of a file beside its definitions
            }
        )
    )
    again: Mapping[Shape, float] = field(  # what each further hit of a file keeps of its score
        default_factory=lambda: MappingProxyType({Shape.SYMBOL: 0.4, Shape.TOPIC: 0.68, Shape.CHANGE: 0.95})
    )


DEFAULT = Tuning()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk of the corpus with its score and the parts of it."""

    chunk: int
    score: float
    parts: dict[str, float]


def rank(
    corpus: Corpus, question: Question, *, k: int, allowed: Array | None = None, tuning: Tuning = DEFAULT
) -> list[Ranked]:
    """Return the k best chunks of those allowed (bool[chunks]), best first; equal scores go by path and line."""
    scores = retrieve(corpus, question)
    factor = factors(corpus, question, tuning)
    if allowed is not None:
        factor = factor * allowed
    candidates = _candidates(corpus, scores, factor, tuning)
    rows = features(corpus, question, scores, candidates)
    weights = np.array([tuning.weights[name] for name in FEATURES], dtype=np.float32)
    final = rows @ weights * factor[candidates]
    order = _in_order(corpus, candidates, final)
    picked = spread(corpus.chunk_file[candidates][order], final[order], k=k, keep=tuning.again[question.shape])
    ranked = []
    for position, score in picked:
        row = int(order[position])
        parts = dict(zip(FEATURES, (rows[row] * weights).tolist(), strict=True))
        ranked.append(Ranked(int(candidates[row]), score, parts | {"factor": float(factor[candidates[row]])}))
    return ranked


def _in_order(corpus: Corpus, candidates: Array, scores: Array) -> Array:
    """Return the positions of the candidates, best first; equal scores go by path and line, whatever their numbers."""
    if len(np.unique(scores)) == len(scores):
        return np.argsort(-scores)
    places = map(corpus.place, candidates.tolist())
    keys = [(-score, *place) for score, place in zip(scores.tolist(), places, strict=True)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _candidates(corpus: Corpus, scores: Scores, factor: Array, tuning: Tuning) -> Array:
    """Return the chunks worth a closer look: the best by what is known of every chunk."""
    weights = tuning.weights
    best_text = max(float(scores.text.max(initial=0.0)), 1e-6)
    best_file = max(float(scores.file_text.max(initial=0.0)), 1e-6)
    of_file = weights["file"] / best_file * scores.file_text + weights["path"] * scores.path
    first = weights["text"] / best_text * scores.text + of_file[corpus.chunk_file] * (scores.text > 0)
    for found, name in ((scores.symbols, "symbol"), (scores.capitals, "capital")):
        for chunk, exactness in found.items():
            first[chunk] += weights[name] * exactness
    return top_k(first * factor, CANDIDATES)


def factors(corpus: Corpus, question: Question, tuning: Tuning) -> Array:
    """Return what multiplies each chunk's score, f32[chunks]; 0 for chunks of files that changed or went."""
    of_file = corpus.live_file.astype(np.float32)
    for label in LABELS:
        if label not in question.wants:
            of_file[corpus.with_label(label)] *= tuning.factors[label]
    if "docs" not in question.wants:
        of_file[corpus.documents] *= tuning.factors["docs"]
    of_standing = np.ones(PIECE + REMAINDER + 1, dtype=np.float32)
    of_standing[[PIECE, PIECE + REMAINDER]] *= tuning.factors["continues"]
    of_standing[[REMAINDER, PIECE + REMAINDER]] *= tuning.factors["module"]
    factor: Array = of_file[corpus.chunk_file] * of_standing[corpus.standing]
    if "query" not in question.wants:
        factor[corpus.queries] *= tuning.factors["query"]
    return factor


def spread(files: Array, scores: Array, *, k: int, keep: float) -> list[tuple[int, float]]:
    """Pick k of some chunks, given best first, as (position, score); each further one of a file keeps a share.

    The best of what is left is always the first unpicked chunk of some file, so one pass over the files' heads does.
    """
    queues: dict[int, list[int]] = {}
    for position, file in enumerate(files.tolist()):
        queues.setdefault(file, []).append(position)
    heads = dict.fromkeys(queues, 0)
    values = scores.tolist()
    picked: list[tuple[int, float]] = []
    while heads and len(picked) < k:
        file = max(
            heads, key=lambda one: (values[queues[one][heads[one]]] * keep ** heads[one], -queues[one][heads[one]])
        )
        taken = heads[file]
        position = queues[file][taken]
        picked.append((position, values[position] * keep**taken))
        if taken + 1 < len(queues[file]):
            heads[file] = taken + 1
        else:
            del heads[file]
    return picked
