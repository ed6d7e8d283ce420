"""A query and documents to these in the order of a reranker: a model, a function of scores, or one of an order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

from coderag.adapters.documents import Document
from coderag.adapters.trees import rerank_by_trees
from coderag.errors import RerankerError
from coderag.rerankers.reranker import Reranker
from coderag.search.ranking.rerank import find_reranker

__all__ = ["AnyReranker", "RerankFunction", "opened_reranker"]

TREES = "trees"
RerankFunction = Callable[[str, Sequence[Document]], Sequence[Any]]
AnyReranker = str | Reranker | RerankFunction
Order = list[tuple[int, float]]  # the number of a document and its score, best first


def opened_reranker(reranker: AnyReranker) -> Callable[[str, Sequence[Document]], Order]:
    """Return a function that orders documents, best first: each one's number and its score.

    "trees" is the learned ranker (coderag.adapters.trees); another line names a model ("maxsim", "cross:ID", ...:
    coderag.rerankers.spec). A function gets the query and the documents, and returns a score for each, or ids or
    documents in its order: then the score is 1 / rank, and what it leaves out comes behind. Raises RerankerError, and
    so does the function that is returned.
    """
    if reranker == TREES:
        return lambda query, documents: _ordered(rerank_by_trees(query, documents), documents)
    if isinstance(reranker, str):
        reranker = find_reranker(reranker)
    if hasattr(reranker, "scores"):
        model = reranker
        return lambda query, documents: _by_score(
            model.scores(query, [document.passage for document in documents]), documents
        )
    if not callable(reranker):
        raise TypeError(f"the reranker is of type {type(reranker).__name__}; give a name, a Reranker or a function")
    function = reranker
    return lambda query, documents: _ordered(function(query, documents), documents)


def _ordered(answer: Sequence[Any], documents: Sequence[Document]) -> Order:
    """Return the order that a function's answer gives."""
    answer = list(answer)
    if answer and not all(isinstance(one, str | Document) for one in answer):
        return _by_score(answer, documents)
    numbers = {document.id: number for number, document in enumerate(documents)}
    ids = [one.id if isinstance(one, Document) else one for one in answer]
    if unknown := [one for one in ids if one not in numbers]:
        raise RerankerError(f"the reranker names {unknown[0]!r:.60}, which is the id of no document that it was given")
    order = list(dict.fromkeys([*(numbers[one] for one in ids), *range(len(documents))]))
    return [(number, 1 / rank) for rank, number in enumerate(order, start=1)]


def _by_score(scores: Iterable[Any], documents: Sequence[Document]) -> Order:
    """Return documents by their scores; equal ones stay in their order."""
    ranking = list(scores)
    if len(ranking) != len(documents):
        raise RerankerError(f"the reranker returned {len(ranking)} scores for {len(documents)} documents")
    for score in ranking:
        if not isinstance(score, Real) or math.isnan(score):
            raise RerankerError(
                f"the reranker returned {score!r:.60}; give a number for each document, or ids in order"
            )
    order = sorted(range(len(ranking)), key=lambda number: -float(ranking[number]))
    return [(number, float(ranking[number])) for number in order]
