"""A query to its hits: a search is a tuple of stages, each a plain function that adds what it knows to a state.

    hits = search(query, sources)
    plain = search(query, sources, stages=tuple(stage for stage in STAGES if stage is not diversify))

The second never diversifies, whatever the query says. A stage of one's own goes where its input is there:

    def only_documented(state: SearchState) -> SearchState:
        return replace(state, found=tuple(pair for pair in state.found if pair[1].chunk.doc))

    at = STAGES.index(relate)
    hits = search(query, sources, stages=(*STAGES[:at], only_documented, *STAGES[at:]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from coderag.encoders.static import shipped_encoder
from coderag.errors import QueryError, RerankerError
from coderag.record import replaced
from coderag.search.query.embed import question_vector
from coderag.search.query.filter import allowed_chunks, scores_within
from coderag.search.query.pasted import pasted
from coderag.search.query.relation_question import relation_question
from coderag.search.query.understand import QueryType, Question
from coderag.search.query.understand import understand as question_of
from coderag.search.ranking.confidence import confidence
from coderag.search.ranking.evidence import Competition
from coderag.search.ranking.features import FEATURES
from coderag.search.ranking.priors import candidate_priors, priors
from coderag.search.ranking.promote import least_confidence, promoted
from coderag.search.ranking.rank import (
    Ranked,
    feature_rows,
    namesakes,
    ranked_chunks,
    spread,
    weigh,
    with_documents_alone,
    with_implementations,
    with_namesakes,
)
from coderag.search.ranking.settings import BUILT_IN, CONNECTED, GRAPH, WITHOUT_RANKER, left_out_features
from coderag.search.results.explain import hits_of
from coderag.search.retrieval.candidates import fuse_lists, retrieve_lists
from coderag.search.retrieval.history import NO_EVIDENCE, history_evidence
from coderag.search.retrieval.lexical import lexical_scores, member_chunks
from coderag.search.retrieval.maxsim import name_words
from coderag.search.retrieval.verbatim import NONE, beside_namesakes, verbatim_matches
from coderag.search.state import SearchState, Sources, made_by
from coderag.types import Hit, Query, TestPolicy

__all__ = [
    "EXACT_STAGES",
    "STAGES",
    "Stage",
    "answer_by_graph",
    "calibrate",
    "competition",
    "cut_off",
    "diversify",
    "expand",
    "explain",
    "extract_features",
    "filter_chunks",
    "fuse",
    "list_matches",
    "match",
    "promote",
    "rank",
    "relate",
    "rerank",
    "retrieve",
    "run_stages",
    "search",
    "search_state",
    "understand",
]

MAX_VERBS = 1  # words of a change beside the names that it is about
MAX_COPIES = 30  # hits that may turn out to have the text of a better one


class Stage(Protocol):
    """A step of a search.

    It returns the state with its own part filled in or replaced (`coderag.record.replaced`, `dataclasses.replace`),
    changes nothing in place, and returns the state as it is where the query asks nothing of it. It reads the index by
    `state.sources` alone, and what earlier stages made by `made_by`, which raises ValueError where they are missing.
    The same state gives the same.
    """

    def __call__(self, state: SearchState, /) -> SearchState:
        """Return the state after this stage."""


def search(query: Query, sources: Sources, *, stages: Sequence[Stage] | None = None) -> list[Hit]:
    """Return the hits of a query, best first; `stages` are STAGES where none are given.

    Raises QueryError for a repository, database, environment or language that the index does not know, and for a query
    with `groups`: access rules are the part of whoever makes the sources. Raises ValueError for stages in an order in
    which one lacks what it needs.
    """
    return search_state(query, sources, stages=stages).hits


def search_state(query: Query, sources: Sources, *, stages: Sequence[Stage] | None = None) -> SearchState:
    """Return the state after a search, which knows more than the hits; raises like `search`.

    A query without a question has EXACT_STAGES where none are given.
    """
    if query.groups is not None:
        raise QueryError("the query has groups; search what these may see, Index.as_seen_by(groups)")
    usual = STAGES if query.text.strip() else EXACT_STAGES
    return run_stages(SearchState(query, sources), usual if stages is None else stages)


def run_stages(state: SearchState, stages: Sequence[Stage]) -> SearchState:
    """Return a state after some stages, one after the other."""
    for stage in stages:
        state = stage(state)
    return state


def understand(state: SearchState) -> SearchState:
    """Read the question: its weighted terms, symbols and query type, and the sorts of files that it asks for."""
    question = question_of(state.query.text)
    if state.query.tests is TestPolicy.INCLUDE:
        question = replaced(question, wants=question.wants | {"test"})
    return replaced(state, question=question)


def filter_chunks(state: SearchState) -> SearchState:
    """Find the chunks that meet the query's conditions, before anything is scored."""
    sources = state.sources
    allowed = allowed_chunks(sources.corpus, state.query, sources.catalogs)
    if not state.query.clauses:
        return replaced(state, allowed=allowed)
    from coderag.search.exact.locate import locate  # most queries have no patterns

    located = locate(sources.corpus, state.query.clauses, allowed)
    return replaced(state, allowed=located.allowed, located=located)


def retrieve(state: SearchState) -> SearchState:
    """Score every chunk by words and by vector, and list the best of each."""
    corpus, tuning, pipeline = state.sources.corpus, state.tuning, state.query.pipeline
    question = made_by("understand", state.question)
    vector = question_vector(state.sources.encoder(), state.query.text)
    if "vectors" in pipeline.without:
        vector = None
    scores = lexical_scores(corpus, question)
    if state.allowed is not None:
        scores = scores_within(corpus, scores, state.allowed)
    if question.query_type is QueryType.SYMBOL and not scores.symbols and _is_plain(question):
        question = replaced(question, query_type=QueryType.TOPIC)
    elif member_chunks(corpus, question):
        question = replaced(question, query_type=QueryType.SYMBOL)
    prior = priors(corpus, question, tuning)
    if state.allowed is not None:
        prior = prior * state.allowed
    left_out = left_out_features(pipeline)
    lists = retrieve_lists(
        corpus,
        scores,
        prior,
        weights={name: 0.0 if name in left_out else tuning.weights.get(name, 0.0) for name in FEATURES},
        dense_weight=tuning.dense_weight[question.query_type],
        vector=vector,
    )
    evidence = NO_EVIDENCE
    if tuning.history_weight[question.query_type] and "history" not in left_out:
        evidence = history_evidence(corpus, question, state.sources.histories())
    return replaced(state, question=question, scores=scores, prior=prior, lists=lists, evidence=evidence)


def _is_plain(question: Question) -> bool:
    """Tell whether a question is of words that the shipped encoder knows, rather than of invented names."""
    return all(shipped_encoder().row_of(word) >= 0 for word in name_words(question.text))


def match(state: SearchState) -> SearchState:
    """Find the chunks in which the question stands as it is written, or a name of it that few files have."""
    if "verbatim" in state.query.pipeline.without:
        return replaced(state, verbatim=NONE)
    scores, text = made_by("retrieve", state.scores), pasted(state.query.text)
    if made_by("understand", state.question).query_type is QueryType.EDIT and text.others > MAX_VERBS:
        text = replaced(text, names=())  # it wants a change near what it names
    found = verbatim_matches(state.sources.corpus, text, scores, made_by("retrieve", state.prior))
    return replaced(state, verbatim=found)


def fuse(state: SearchState) -> SearchState:
    """Fuse the lexical and the dense list (hybrid search); the best of both are the candidates."""
    question, lists = made_by("understand", state.question), made_by("retrieve", state.lists)
    candidates = fuse_lists(
        state.sources.corpus,
        lists,
        made_by("retrieve", state.prior),
        dense_weight=state.tuning.dense_weight[question.query_type] if lists.has_vector else 0.0,
        evidence=made_by("retrieve", state.evidence),
        history_weight=state.tuning.history_weight[question.query_type],
        fusion=state.query.pipeline.fusion,
        certain=None if state.verbatim is None else state.verbatim.chunks,
    )
    return replaced(state, candidates=candidates)


def extract_features(state: SearchState) -> SearchState:
    """Compute the features of each candidate: what the ranking weighs, and the learned ranker is trained on."""
    question, prior = made_by("understand", state.question), made_by("retrieve", state.prior)
    corpus, candidates = state.sources.corpus, made_by("fuse", state.candidates)
    rows = feature_rows(
        corpus,
        question,
        made_by("retrieve", state.scores),
        candidates,
        prior=candidate_priors(corpus, question, prior, candidates.chunks, state.tuning),
        evidence=made_by("retrieve", state.evidence),
        left_out=left_out_features(state.query.pipeline),
    )
    return replaced(state, rows=with_documents_alone(corpus, rows, state.tuning))


def rank(state: SearchState) -> SearchState:
    """Order the candidates by their weighted features and the learned ranker, and spread the best over files."""
    # The ranker learned from questions with vectors, and is no judge without; nor of direct questions, as it learned
    # from sentences of documentation and from commits.
    use_ranker = (
        made_by("retrieve", state.lists).has_vector
        and state.query.pipeline.reranker not in WITHOUT_RANKER
        and not made_by("understand", state.question).is_direct
    )
    ranking = weigh(made_by("extract_features", state.rows), state.tuning, use_ranker=use_ranker)
    if ranking.rows.query_type is QueryType.EDIT:
        from coderag.search.ranking.callers import with_callers  # most questions want no change

        ranking = with_callers(state.sources.corpus, ranking)
    named = namesakes(state.sources.corpus, ranking.rows)
    ranking = with_implementations(state.sources.corpus, with_namesakes(ranking, named))
    files = state.sources.corpus.file_numbers(ranking.chunks)
    picks = spread(files, ranking.scores, k=_needed(state.query), keep=ranking.file_decay)
    verbatim = state.verbatim
    if verbatim is not None and verbatim.messages and len(named):
        verbatim = beside_namesakes(state.sources.corpus, verbatim, ranking.rows.chunks[named], text=state.query.text)
    return replaced(state, ranking=ranking, ranked=ranked_chunks(ranking, picks), verbatim=verbatim)


def _needed(query: Query) -> int:
    """Return how many chunks are ranked: more than the hits, as some may turn out to be copies."""
    return query.k + MAX_COPIES


def diversify(state: SearchState) -> SearchState:
    """Pick the best again by maximal marginal relevance (MMR), for a query with diversity."""
    query = state.query
    if not query.diversity:
        return state
    from coderag.search.ranking.diversify import diverse  # most queries want none

    ranking = made_by("rank", state.ranking)
    picks = diverse(
        state.sources.corpus,
        ranking.chunks,
        ranking.scores,
        k=_needed(query),
        diversity=query.diversity,
        keep=ranking.file_decay,
    )
    return replaced(state, ranked=ranked_chunks(ranking, picks))


def promote(state: SearchState) -> SearchState:
    """Put first what has the question as it is written, then what has rare names of it."""
    if state.verbatim is None or not len(state.verbatim.chunks):
        return state
    best = promoted(made_by("rank", state.ranking), state.ranked, state.verbatim)
    return replaced(state, ranked=best)


def calibrate(state: SearchState) -> SearchState:
    """Give each ranked chunk its confidence: its own evidence, and how it stands among the candidates."""
    chunks = np.array([ranked.chunk for ranked in state.ranked], dtype=np.int64)
    sure = confidence(state.sources.corpus, made_by("understand", state.question), chunks, among=competition(state))
    if state.verbatim is not None:
        sure = np.maximum(sure, least_confidence(chunks, state.verbatim))
    pairs = zip(state.ranked, sure.tolist(), strict=True)
    return replaced(
        state,
        ranked=tuple(
            Ranked(candidate.chunk, candidate.score, candidate.parts, certainty) for candidate, certainty in pairs
        ),
    )


def competition(state: SearchState) -> Competition:
    """Return what the stages up to `rank` know of the candidates, of which a confidence is made."""
    return Competition(
        ranking=made_by("rank", state.ranking),
        lists=made_by("retrieve", state.lists),
        scores=made_by("retrieve", state.scores),
        has_cosines=_has_calibrated_cosines(state),
    )


def _has_calibrated_cosines(state: SearchState) -> bool:
    """Tell whether the cosines are those of the shipped encoder, to which the confidence was fitted."""
    encoder = state.sources.encoder()
    return encoder is not None and encoder.identity.kind == "static" and made_by("retrieve", state.lists).has_vector


def rerank(state: SearchState) -> SearchState:
    """Reorder the best by the reranker of the query's pipeline; one that fails leaves them, with a RetrievalWarning."""
    pipeline, corpus = state.query.pipeline, state.sources.corpus
    if pipeline.reranker in BUILT_IN:
        return state
    if pipeline.reranker == CONNECTED:
        from coderag.search.ranking.graph_rerank import graph_rerank

        return replaced(state, ranked=tuple(graph_rerank(corpus, state.ranked, state.sources.graphs())))
    from coderag.search.ranking.rerank import find_reranker, reranked

    try:
        reranker = find_reranker(pipeline.reranker)
        best: Sequence[Ranked] = reranked(
            corpus, state.query.text, state.ranked, reranker=reranker, depth=pipeline.depth, blend=pipeline.blend
        )
    except RerankerError as error:
        from coderag.degraded import warn_degraded

        warn_degraded(f"the hits are not reranked: {error}", stacklevel=2)
        return state
    return replaced(state, ranked=tuple(best))


def cut_off(state: SearchState) -> SearchState:
    """Drop the ranked chunks whose confidence is below the query's threshold."""
    sure = tuple(ranked for ranked in state.ranked if ranked.confidence >= state.query.threshold)
    return replaced(state, ranked=sure)


def explain(state: SearchState) -> SearchState:
    """Read the text of the k best, say why they matched, and collapse copies into the best of them."""
    question, query = made_by("understand", state.question), state.query
    found = hits_of(state.sources.corpus, question, state.ranked, k=query.k, collapse=query.collapse)
    return replaced(state, found=_with_matches(state, found))


def list_matches(state: SearchState) -> SearchState:
    """Make hits of the chunks that hold the most of what is looked for, for a query without a question."""
    from coderag.search.exact.hits import exact_hits

    located = made_by("filter_chunks", state.located)
    found = exact_hits(state.sources.corpus, state.query, located)
    return replaced(state, found=_with_matches(state, found))


def _with_matches(state: SearchState, found: Sequence[tuple[int, Hit]]) -> tuple[tuple[int, Hit], ...]:
    """Return hits with the matches of the query's patterns in them."""
    if state.located is None:
        return tuple(found)
    from coderag.search.exact.hits import with_matches

    return tuple((chunk, with_matches(state.sources.corpus, chunk, hit, state.located)) for chunk, hit in found)


def relate(state: SearchState) -> SearchState:
    """Add to each hit its relations in the graph, and behind the hits the neighbours that the query wants."""
    query, corpus = state.query, state.sources.corpus
    graphs = state.sources.graphs() if state.found else {}
    if not graphs:
        return state
    from coderag.search.results.related import related_hits, with_relations

    found = with_relations(corpus, state.found, graphs)
    related = (
        related_hits(corpus, query.text, found, graphs=graphs, count=query.related, allowed=state.allowed)
        if query.related
        else []
    )
    return replaced(state, found=tuple(found), related=tuple(related))


def answer_by_graph(state: SearchState) -> SearchState:
    """Give what the graph knows in place of the hits, for a question for relations: "who calls X".

    Behind that the other hits stay where the question names an ordinary word, so that it may mean something else.
    """
    query = state.query
    question = relation_question(query.text)
    graphs = state.sources.graphs() if question is not None and GRAPH not in query.pipeline.without else {}
    if question is None or not graphs:
        return state
    from coderag.search.results.graph_answers import graph_answers

    answers = graph_answers(state.sources.corpus, question, graphs, k=query.k, allowed=state.allowed)
    sure = [(chunk, hit) for chunk, hit in answers if hit.confidence >= query.threshold]
    if not sure:
        return state
    if question.is_exact:
        return replaced(state, found=tuple(sure), related=())
    sure_chunks = {chunk for chunk, _ in sure}
    others = [(chunk, hit) for chunk, hit in state.found if chunk not in sure_chunks]
    return replaced(state, found=tuple((*sure, *others)[: query.k]))


def expand(state: SearchState) -> SearchState:
    """Replace the hits by their surroundings, for a query that wants these."""
    if not state.query.expand:
        return state
    from coderag.search.results.expand import expand as expand_hits  # most queries want no more than the hits

    return replaced(state, expanded=tuple(expand_hits(state.sources.corpus, state.found, state.query.expand)))


STAGES: tuple[Stage, ...] = (
    understand,
    filter_chunks,
    retrieve,
    match,
    fuse,
    extract_features,
    rank,
    diversify,
    promote,
    calibrate,
    rerank,
    cut_off,
    explain,
    relate,
    answer_by_graph,
    expand,
)
EXACT_STAGES: tuple[Stage, ...] = (filter_chunks, list_matches, relate, expand)  # of a query without a question
