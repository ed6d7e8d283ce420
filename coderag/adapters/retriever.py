"""Several indexes as one: their results fused by reciprocal rank, and reranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from coderag.adapters.documents import AnyDocument, Document, documents_of
from coderag.adapters.protocols import Searchable, SearchIndex, SearchResult
from coderag.adapters.repository import retrieved, searchable
from coderag.adapters.reranking import AnyReranker, opened_reranker
from coderag.errors import QueryError
from coderag.limits import BLEND, RERANKED, RRF_K, K, check_number
from coderag.search.query.query import check_question
from coderag.search.retrieval.fuse import RANK_DAMPING

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["Retriever", "fuse_ranks"]

DEPTH = 30  # of the best that a reranker sees
CANDIDATES = 5  # of each index, for each result that is asked for: one that is low on two lists may be the best of both


class Retriever:
    """Indexes of documents and of repositories that are searched together; itself such an index."""

    def __init__(
        self,
        *indexes: Searchable | Index,
        k_rrf: float = RANK_DAMPING,
        reranker: AnyReranker | None = None,
        depth: int = DEPTH,
        blend: float = 1.0,
    ) -> None:
        """Search indexes together: BM25Index, VectorIndex, coderag.Index, or any class with such a `search`.

        Of `k_rrf`, a larger one makes the first ranks of a list count less. `reranker` orders the `depth` best: a name,
        a Reranker, or a function (coderag.adapters.reranking). With a `blend` below 1 its order is fused with the one
        before, by rank, and is that share of it. Raises QueryError without an index, and RerankerError.
        """
        check_number(RRF_K, k_rrf)
        check_number(RERANKED, depth)
        check_number(BLEND, blend)
        if not indexes:
            raise QueryError("a retriever has no index; give one, such as BM25Index()")
        self._indexes = tuple(map(searchable, indexes))
        self._k_rrf = k_rrf
        self._rerank = None if reranker is None else opened_reranker(reranker)
        self._depth, self._blend = depth, blend

    def add_document(self, document: AnyDocument) -> None:
        """Add a document to every index that takes documents; as `add_documents`."""
        self.add_documents([document])

    def add_documents(self, documents: Iterable[AnyDocument]) -> None:
        """Add documents to every index that takes documents; raises QueryError where none does, else as they do."""
        taking = [index for index in self._indexes if isinstance(index, SearchIndex)]
        if not taking:
            raise QueryError("no index of this retriever takes documents; add a BM25Index or a VectorIndex to it")
        found = documents_of(documents)
        for index in taking:
            index.add_documents(found)

    def search(self, query: str, k: int = 10) -> list[SearchResult]:
        """Return the k best documents, best first; a score is the sum of 1 / (k_rrf + rank), or the reranker's.

        Raises QueryError for an empty query and for what exceeds a limit, RerankerError, and as the indexes do.
        """
        check_question(query, k=k)
        depth = k if self._rerank is None else max(k, self._depth)
        each = min(max(CANDIDATES * k, depth), int(K.most))
        lists = [[one.document for one in retrieved(index, query, k=each)] for index in self._indexes]
        fused = fuse_ranks(lists, k_rrf=self._k_rrf)
        if self._rerank is None or not fused:
            return fused[:k]
        documents = [document for document, _ in fused[:depth]]
        reranked = [SearchResult(documents[number], score) for number, score in self._rerank(query, documents)]
        if self._blend < 1:
            both = [documents, [one.document for one in reranked]]
            reranked = fuse_ranks(both, k_rrf=self._k_rrf, weights=(1 - self._blend, self._blend))
        return reranked[:k]


def fuse_ranks(
    rankings: Sequence[Sequence[Document]], *, k_rrf: float = RANK_DAMPING, weights: Sequence[float] = ()
) -> list[SearchResult]:
    """Return the documents of several rankings by reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).

    Each ranking has a weight, 1 without `weights`. Documents of one id are one. Those of equal scores come in the order
    of the rankings, the first one first.
    """
    documents: dict[str, Document] = {}
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, document in enumerate({one.id: one for one in ranking}.values(), start=1):
            documents.setdefault(document.id, document)
            scores[document.id] = scores.get(document.id, 0.0) + weight / (k_rrf + rank)
    order = sorted(scores, key=lambda identity: -scores[identity])
    return [SearchResult(documents[identity], scores[identity]) for identity in order]
