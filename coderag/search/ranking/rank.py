"""Scores to a ranking: weigh the features of the best candidates, spread them over files, cut.

A chunk's score is the weighted sum of its features (coderag.search.ranking.features), times a factor below one for
tests, examples, generated, vendored and legacy code unless the question asks for them, for documents beside code, and
for chunks that are no definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heapify, heappop, heapreplace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from coderag.encoders.static import shipped_encoder
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.columns import CONTINUES, DEFINES, KINDS, LABELS
from coderag.search.query.filter import scores_within
from coderag.search.query.understand import QueryType, Question
from coderag.search.ranking.confidence import confidence
from coderag.search.ranking.diversify import diverse
from coderag.search.ranking.features import FAMILIES, FEATURES, features
from coderag.search.ranking.sums import weighted_sums
from coderag.search.ranking.trees import Trees, read_trees, tree_scores
from coderag.search.retrieval.candidates import find_candidates
from coderag.search.retrieval.maxsim import name_words
from coderag.search.retrieval.retrieve import retrieve
from coderag.types import Kind, Pipeline

__all__ = ["BUILT_IN", "CONNECTED", "DEFAULT", "STANDARD", "Ranked", "Rows", "Tuning", "candidate_rows", "rank"]


@dataclass(frozen=True, slots=True)
class Tuning:
    """The weights of a ranking; tuned on two public suites, see ARCHITECTURE.md."""

    weights: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType(
            {
                "text": 1.5,
                "file": 0.5,
                "file_support": 0.15,
                "path": 2.0,
                "filename_match": 0.4,
                "name": 0.12,
                "named": 0.12,
                "scope": 0.1,
                "symbol": 0.7,
                "exact_symbol": 1.5,
                "type": 0.15,
                "definition_file": 0.45,
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
    dense: Mapping[QueryType, float] = field(  # weight of the dense list; the lexical list has weight 1
        default_factory=lambda: MappingProxyType(
            {QueryType.SYMBOL: 0.0, QueryType.TOPIC: 0.5, QueryType.EDIT: 0.5, QueryType.BEHAVIOR: 1.0}
        )
    )
    # Weights that a type of query has besides, or instead.
    weights_by_query_type: Mapping[QueryType, Mapping[str, float]] = field(
        default_factory=lambda: MappingProxyType(
            {
                QueryType.SYMBOL: {},
                QueryType.TOPIC: {"file_cosine": 0.9, "soft_coverage": 0.4},
                QueryType.EDIT: {"cosine_scaled": 0.15, "soft_coverage": 1.5},
                QueryType.BEHAVIOR: {"cosine_scaled": 2.0, "soft_coverage": 0.5},
            }
        )
    )
    ltr_weight: Mapping[QueryType, float] = field(  # weight of the learned ranker beside the weighted sum
        default_factory=lambda: MappingProxyType(
            {QueryType.SYMBOL: 0.0, QueryType.TOPIC: 0.0, QueryType.EDIT: 3.0, QueryType.BEHAVIOR: 30.0}
        )
    )
    file_decay: Mapping[QueryType, float] = field(  # share of its score that each further hit of a file keeps
        default_factory=lambda: MappingProxyType(
            {QueryType.SYMBOL: 0.4, QueryType.TOPIC: 0.68, QueryType.EDIT: 0.95, QueryType.BEHAVIOR: 0.95}
        )
    )


DEFAULT = Tuning()
STANDARD = Pipeline()
WITHOUT_RANKER = frozenset({"linear", "none"})  # the weights alone rank
FLAGS = (DEFINES | CONTINUES) + 1  # combinations of a chunk's flags
CONNECTED = "graph"  # the built-in ranking, and what the graph says of its hits (coderag.search.ranking.graph_rerank)
BUILT_IN = WITHOUT_RANKER | {"learned"}  # what ranks by features; any other reranker comes on top of the former


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk of the corpus with its score and the parts of it."""

    chunk: int
    score: float
    parts: dict[str, float]
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Rows:
    """The candidates of a question and what speaks for each."""

    chunks: Array  # i64[n], by path and line
    features: Array  # f32[n, FEATURES]
    factor: Array  # f32[n]: what multiplies the score
    symbols: Mapping[int, float]  # chunk that defines a symbol of the question -> how exactly, 0..1
    query_type: QueryType  # of the question, given what was found


def rank(
    corpus: Corpus,
    question: Question,
    *,
    k: int,
    vector: Array | None = None,
    allowed: Array | None = None,
    tuning: Tuning = DEFAULT,
    pipeline: Pipeline = STANDARD,
    diversity: float = 0.0,
    calibrated: bool = False,
) -> list[Ranked]:
    """Return the k best chunks of those allowed (bool[chunks]), best first; equal scores go by path and line.

    `vector` is the question's, f32[dimensions]; without it words alone decide. It tells of confidence too where it is
    `calibrated`: by the encoder that is shipped.
    """
    rows = candidate_rows(corpus, question, vector=vector, allowed=allowed, tuning=tuning, pipeline=pipeline)
    weights = _weights(rows.query_type, tuning)
    with_vectors = vector is not None and "vectors" not in pipeline.without
    # The ranker learned from questions with vectors, and is no judge without.
    share = tuning.ltr_weight[rows.query_type] if with_vectors and pipeline.reranker not in WITHOUT_RANKER else 0.0
    learned = _learned(rows, share)
    final = (weighted_sums(rows.features, weights) + learned) * rows.factor
    order = np.argsort(-final, kind="stable")  # equal ones stay in order of path and line
    chunks, keep = rows.chunks[order], tuning.file_decay[rows.query_type]
    if diversity:
        picked = diverse(corpus, chunks, final[order], k=k, diversity=diversity, keep=keep)
    else:
        picked = spread(corpus.file_numbers(chunks), final[order], k=k, keep=keep)
    shown = order[[position for position, _ in picked]]
    cosines = rows.features[shown, FEATURES.index("cosine")] if calibrated and with_vectors else None
    sure = confidence(corpus, question, rows.chunks[shown], symbols=rows.symbols, cosines=cosines).tolist()
    ranked = []
    for (position, score), certainty in zip(picked, sure, strict=True):
        row = int(order[position])
        parts = dict(zip(FEATURES, (rows.features[row] * weights).tolist(), strict=True))
        parts |= {"learned": float(learned[row]), "factor": float(rows.factor[row])}
        ranked.append(Ranked(int(rows.chunks[row]), score, parts, certainty))
    return ranked


def candidate_rows(
    corpus: Corpus,
    question: Question,
    *,
    vector: Array | None = None,
    allowed: Array | None = None,
    tuning: Tuning = DEFAULT,
    pipeline: Pipeline = STANDARD,
) -> Rows:
    """Return the candidates of a question with their features: what a ranking weighs, and a ranker is trained on."""
    if "vectors" in pipeline.without:
        vector = None
    scores = retrieve(corpus, question)
    if allowed is not None:
        scores = scores_within(corpus, scores, allowed)
    if question.query_type is QueryType.SYMBOL and not scores.symbols and _is_plain(question):
        question = replace(question, query_type=QueryType.TOPIC)
    factor = factors(corpus, question, tuning)
    if allowed is not None:
        factor = factor * allowed
    left_out = [name for family in pipeline.without for name in FAMILIES[family]]
    weights = {name: 0.0 if name in left_out else tuning.weights.get(name, 0.0) for name in FEATURES}
    dense = tuning.dense[question.query_type] if vector is not None else 0.0
    candidates = find_candidates(
        corpus, scores, factor, weights=weights, dense=dense, vector=vector, fusion=pipeline.fusion
    )
    rows = features(corpus, question, scores, candidates)
    rows[:, [FEATURES.index(name) for name in left_out]] = 0.0
    return Rows(candidates.chunks, rows, factor[candidates.chunks], scores.symbols, question.query_type)


def _is_plain(question: Question) -> bool:
    """Tell whether a question is of words that the shipped model knows, rather than of invented names."""
    return all(shipped_encoder().row_of(word) >= 0 for word in name_words(question.text))


def _weights(query_type: QueryType, tuning: Tuning) -> Array:
    """Return what each feature counts, f32[FEATURES]."""
    shaped = {**tuning.weights, **tuning.weights_by_query_type[query_type]}
    return np.array([shaped.get(name, 0.0) for name in FEATURES], dtype=np.float32)


def _learned(rows: Rows, share: float) -> Array:
    """Return what the learned ranker adds to each candidate's score, f32[n] in 0..share."""
    if not share or not len(rows.chunks):
        return np.zeros(len(rows.chunks), dtype=np.float32)
    told: Array = np.float32(share) / (1.0 + np.exp(-tree_scores(shipped_ranker(), rows.features)))
    return told


@cache
def shipped_ranker() -> Trees:
    """Return the ranker that comes with coderag (scripts/train_ranker.py); raises RerankerError."""
    return read_trees(Path(__file__).with_name("ranker.json"), FEATURES)


def factors(corpus: Corpus, question: Question, tuning: Tuning) -> Array:
    """Return what multiplies each chunk's score, f32[chunks]; 0 for chunks of files that changed or went."""
    key = "factors", question.wants, *tuning.factors.items()
    return corpus.remembered(key, lambda: _factors(corpus, question.wants, tuning.factors))


def _factors(corpus: Corpus, wants: Set[str], worth: Mapping[str, float]) -> Array:
    of_file = corpus.live_file.astype(np.float32)
    for label in LABELS:
        if label not in wants:
            of_file[corpus.with_label(label)] *= worth[label]
    if "docs" not in wants:
        of_file[corpus.documents] *= worth["docs"]
    of_standing = _standing_factors(wants, worth)
    factor = np.empty(len(corpus), dtype=np.float32)
    for member in corpus.members:  # one by one, as what they take stays near the processor
        segment = member.segment
        standing = of_standing.take(segment.chunk_kind * np.uint8(FLAGS) + segment.chunk_flags)
        own = of_file[member.first_file : member.first_file + len(segment.paths)][segment.chunk_file]
        np.multiply(own, standing, out=factor[member.first_chunk : member.first_chunk + len(segment)])
    return factor


def _standing_factors(wants: Set[str], worth: Mapping[str, float]) -> Array:
    """Return what multiplies the score of a chunk of each kind and with each flags, f32[kinds * FLAGS]."""
    found = np.ones((len(KINDS), FLAGS), dtype=np.float32)
    flags = np.arange(FLAGS)
    found[:, (flags & CONTINUES) > 0] *= worth["continues"]
    found[np.ix_([KINDS.index(kind) for kind in (Kind.MODULE, Kind.BLOCK)], (flags & DEFINES) == 0)] *= worth["module"]
    if "query" not in wants:
        found[KINDS.index(Kind.QUERY)] *= worth["query"]
    return found.ravel()


def spread(files: Array, scores: Array, *, k: int, keep: float) -> list[tuple[int, float]]:
    """Pick k of some chunks, given best first, as (position, score); each further one of a file keeps a share.

    The best of what is left is always the first unpicked chunk of some file, so a heap of the files' heads does.
    """
    queues: dict[int, list[int]] = {}
    for position, file in enumerate(files.tolist()):
        queues.setdefault(file, []).append(position)
    values = scores.tolist()
    heads = [(-values[queue[0]], queue[0], 0, queue) for queue in queues.values()]
    heapify(heads)
    picked: list[tuple[int, float]] = []
    while heads and len(picked) < k:
        score, position, taken, queue = heads[0]
        picked.append((position, -score))
        if taken + 1 < len(queue):
            following = queue[taken + 1]
            heapreplace(heads, (-(values[following] * keep ** (taken + 1)), following, taken + 1, queue))
        else:
            heappop(heads)
    return picked
