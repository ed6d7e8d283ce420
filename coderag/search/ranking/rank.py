"""Candidates to a ranking: a weighted sum of features and the learned ranker, times a prior, spread over files.

The features are those of coderag.search.ranking.features, the priors those of coderag.search.ranking.priors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

import numpy as np

from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import run_starts
from coderag.record import record, replaced
from coderag.search.query.understand import QueryType, Question
from coderag.search.ranking.features import FEATURES, FeatureColumns
from coderag.search.ranking.priors import short_callables
from coderag.search.ranking.spelled import spelled
from coderag.search.ranking.sums import weighted_sums
from coderag.search.ranking.surroundings import CALLABLES, forms
from coderag.search.ranking.trees import Trees, read_trees, tree_scores
from coderag.search.ranking.tuning import Tuning
from coderag.search.retrieval.candidates import Candidates
from coderag.search.retrieval.history import NO_EVIDENCE, Evidence
from coderag.search.retrieval.lexical import Scores

__all__ = [
    "RANKER",
    "RANKERS",
    "Pick",
    "Ranked",
    "Ranking",
    "Rows",
    "feature_rows",
    "in_order",
    "namesakes",
    "ranked_chunks",
    "spread",
    "weigh",
    "with_documents_alone",
    "with_implementations",
    "with_namesakes",
]

DECLARED = 10  # of a ranking; further down nobody looks for what is behind a declaration
MAX_NAMED = 4  # candidates of one name; more have it for what they are all able to do
CONSTRUCTORS = frozenset("__construct __init__ constructor init initialize new".split())  # each is of its own type
ASKING_FOR_WORK = frozenset({QueryType.BEHAVIOR, QueryType.EDIT})
ANSWERED_BY_DOCUMENTS = frozenset({QueryType.TOPIC, QueryType.BEHAVIOR})
RANKER = "ranker.json"
RANKERS = {QueryType.EDIT: "ranker_of_changes.json"}  # what a change is made in is learned from commits
ALL, MUCH = 0.99, 0.4  # shares of a question's words, by rarity
NONE = np.empty(0, dtype=np.int64)
NAMESAKE = np.float32(0.4)  # of the best score, which is gained by what is called as the question says
Pick = tuple[int, float]  # the position of a candidate, and its score


@record
class Ranked:
    """A chunk of the corpus with its score and the parts of it."""

    chunk: int
    score: float
    parts: Mapping[str, float]  # the features that weigh something, "learned" and "factor"
    confidence: float = 0.0


@record
class Rows:
    """The candidates of a query, their features and their priors."""

    chunks: Array  # i64[n], by path and line
    columns: FeatureColumns
    prior: Array  # f32[n]: factor of the score
    query_type: QueryType

    @property
    def features(self) -> Array:
        """All features, f32[n, FEATURES]."""
        return self.columns.rows()


@record
class Ranking:
    """All candidates of a query, best first; equal scores are in order of path and line."""

    rows: Rows
    order: Array  # i64[n]: positions among the rows
    scores: Array  # f32[n], in this order
    weights: Array  # f32[FEATURES]
    features: Array  # f32[n, FEATURES], by row: those that weigh something, the others may be 0
    learned: Array  # f32[n], by row: what the learned ranker adds to the weighted sum
    file_decay: float  # share of its score that each further hit of a file keeps

    @property
    def chunks(self) -> Array:
        """The chunks, best first: i64[n]."""
        chunks: Array = self.rows.chunks[self.order]
        return chunks


def feature_rows(
    corpus: Corpus,
    question: Question,
    scores: Scores,
    candidates: Candidates,
    *,
    prior: Array,
    evidence: Evidence = NO_EVIDENCE,
    left_out: Set[str],
) -> Rows:
    """Return the candidates of a query with their features; those left out are 0. `prior` is of each candidate."""
    columns = FeatureColumns(corpus, question, scores, candidates, evidence=evidence, left_out=left_out)
    return Rows(candidates.chunks, columns, prior, question.query_type)


def with_documents_alone(corpus: Corpus, rows: Rows, tuning: Tuning) -> Rows:
    """Return candidates with the documents in full that have all words of a question of which no code has much.

    Documents count less, as what they say is usually done by code that has the same words. Where no code has, they are
    all that there is: "when are the snapshots taken?" in a repository that only describes them.
    """
    if rows.query_type not in ANSWERED_BY_DOCUMENTS or not corpus.documents.any():
        return rows
    is_document = corpus.documents[corpus.file_numbers(rows.chunks)]
    if not is_document.any():
        return rows
    coverage = rows.columns["coverage"]
    if coverage[~is_document].max(initial=0.0) >= MUCH:
        return rows
    telling = is_document & (coverage >= ALL)
    if not telling.any():
        return rows
    prior = rows.prior.copy()
    prior[telling] = np.minimum(prior[telling] / np.float32(tuning.priors["docs"]), np.float32(1))
    return replaced(rows, prior=prior)


def weigh(rows: Rows, tuning: Tuning, *, use_ranker: bool) -> Ranking:
    """Return candidates by their final score; with `use_ranker` the learned ranker adds its share."""
    of_feature = tuning.weights_for(rows.query_type)
    weights = np.array([of_feature.get(name, 0.0) for name in FEATURES], dtype=np.float32)
    learned_weight = tuning.ltr_weight[rows.query_type] if use_ranker else 0.0
    # What weighs nothing is not computed: it adds 0 either way, and the trees alone look at it.
    weighed = rows.columns.rows(FEATURES if learned_weight else [name for name in FEATURES if of_feature.get(name)])
    learned = _learned(weighed, learned_weight, rows.query_type)
    scores = (weighted_sums(weighed, weights) + learned) * rows.prior
    order = np.argsort(-scores, kind="stable")  # equal ones stay in order of path and line
    decay = tuning.file_decay[rows.query_type]
    return Ranking(rows, order, scores[order], weights, weighed, learned, decay)


def _learned(features: Array, weight: float, query_type: QueryType) -> Array:
    """Return what the learned ranker adds to each candidate's score, f32[n] in 0..weight."""
    if not weight or not len(features):
        return np.zeros(len(features), dtype=np.float32)
    added: Array = np.float32(weight) / (1.0 + np.exp(-tree_scores(shipped_ranker(query_type), features)))
    return added


@cache
def shipped_ranker(query_type: QueryType) -> Trees:
    """Return the ranker that comes with coderag for a type of query (scripts/train_ranker.py); raises RerankerError."""
    return read_trees(Path(__file__).with_name(RANKERS.get(query_type, RANKER)), FEATURES)


def ranked_chunks(ranking: Ranking, picks: Sequence[Pick]) -> tuple[Ranked, ...]:
    """Return the candidates picked from a ranking, with the parts of their scores."""
    rows = ranking.rows
    picked = ranking.order[np.array([position for position, _ in picks], dtype=np.int64)]
    weighing = np.flatnonzero(ranking.weights)
    names = [*(FEATURES[at] for at in weighing.tolist()), "learned", "factor"]
    columns = np.empty((len(names), len(picked)), dtype=np.float32)
    np.multiply(ranking.features.T[weighing][:, picked], ranking.weights[weighing, np.newaxis], out=columns[:-2])
    columns[-2], columns[-1] = ranking.learned[picked], rows.prior[picked]
    return tuple(
        Ranked(chunk, score, Parts(names, own))
        for (_, score), chunk, own in zip(picks, rows.chunks[picked].tolist(), columns.T.tolist(), strict=True)
    )


class Parts(Mapping[str, float]):
    """The parts of a score by name, put together when they are looked at: of forty chunks that are ranked, ten are."""

    __slots__ = ("_by_name", "_names", "_values")

    def __init__(self, names: Sequence[str], values: Sequence[float]) -> None:
        self._names, self._values = names, values
        self._by_name: dict[str, float] | None = None

    def _parts(self) -> dict[str, float]:
        if self._by_name is None:
            self._by_name = dict(zip(self._names, self._values, strict=True))
        return self._by_name

    def __getitem__(self, name: str) -> float:
        """Return a part; raises KeyError for one that is not there."""
        return self._parts()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(self._parts())


def spread(files: Array, scores: Array, *, k: int, keep: float) -> list[Pick]:
    """Pick k of some chunks, given best first; each further one of a file keeps a share of its score.

    Scores are at least 0, so none of a file has more left than the one before it, and one order of all will do.
    """
    by_file = np.argsort(files, kind="stable")
    firsts = run_starts(files[by_file])
    sizes = np.append(firsts[1:], len(files)) - firsts
    place = np.empty(len(files), dtype=np.int64)  # of each chunk among those of its file
    place[by_file] = np.arange(len(files)) - np.repeat(firsts, sizes)
    shares = np.array([keep**further for further in range(int(sizes.max(initial=0)))])
    kept = scores * shares[place]
    best = np.argsort(-kept, kind="stable")[:k]
    return list(zip(best.tolist(), kept[best].tolist(), strict=True))


def with_implementations(corpus: Corpus, ranking: Ranking) -> Ranking:
    """Return a ranking in which each short function among the first has the best longer one of its name right behind.

    A declaration has the words of a question in its documentation, and the function that does the work may have none of
    them. The graph would know more, but it may be older than the index, and the same files must rank the same. Only
    candidates come forward, and no test does so for a declaration outside of tests.
    """
    chunks = ranking.chunks
    if ranking.rows.query_type not in ASKING_FOR_WORK or not len(chunks):
        return ranking
    kinds, _ = forms(corpus, chunks)
    short = short_callables(corpus, chunks, kinds)
    if not short[:DECLARED].any():
        return ranking
    working = np.flatnonzero((CALLABLES[kinds] > 0) & ~short).tolist()
    names = [_own(name) for name, _ in corpus.names(chunks)]
    prior = ranking.rows.prior[ranking.order]
    scores = ranking.scores.copy()
    for place in np.flatnonzero(short[:DECLARED]).tolist():
        named = [other for other in working if names[other] == names[place] and prior[other] >= prior[place]]
        if names[place] not in CONSTRUCTORS and 0 < len(named) <= MAX_NAMED and named[0] > place:
            scores[named[0]] = max(scores[named[0]], scores[place])
    return in_order(ranking, scores)


def namesakes(corpus: Corpus, rows: Rows) -> Array:
    """Return which candidates are called as the question says, ForkRepository for "fork a repository": i64[n], rows.

    A name of one word says too little, and what more than a few are called is no name for one of them.
    """
    if rows.query_type is QueryType.SYMBOL or not len(rows.chunks):
        return NONE
    named = np.flatnonzero((rows.columns["name"] >= ALL) & (rows.columns["named"] >= ALL))
    if not 0 < len(named) <= MAX_NAMED * 2:
        return NONE
    names = corpus.names(rows.chunks[named])
    named = named[[len(spelled(name, "").terms) > 1 for name, _ in names]]
    return named if len(named) <= MAX_NAMED else NONE


def with_namesakes(ranking: Ranking, named: Array) -> Ranking:
    """Return a ranking in which candidates, i64[n] rows, gain a share of the best score, as far as their prior goes."""
    if not len(named):
        return ranking
    gains = np.zeros_like(ranking.scores)
    gains[named] = NAMESAKE * ranking.scores[0] * np.minimum(ranking.rows.prior[named], 1)
    return in_order(ranking, ranking.scores + gains[ranking.order])


def _own(name: str) -> str:
    """Return a name without what encloses it, in lower case."""
    return name.rpartition(".")[2].rpartition(":")[2].lower()


def in_order(ranking: Ranking, scores: Array) -> Ranking:
    """Return a ranking by other scores, f32[n] in its order; of equal ones the first stays first."""
    order = np.argsort(-scores, kind="stable")
    return replaced(ranking, order=ranking.order[order], scores=scores[order])
