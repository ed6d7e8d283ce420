"""The settings of a ranking, given as text, to a record."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.errors import QueryError
from coderag.search.ranking.features import FAMILIES
from coderag.types import Fusion, Pipeline

__all__ = ["BUILT_IN", "CONNECTED", "GRAPH", "STANDARD", "WITHOUT_RANKER", "left_out_features", "make_pipeline"]

STANDARD = Pipeline()
WITHOUT_RANKER = frozenset({"linear", "none"})  # the weighted sum of features alone
BUILT_IN = WITHOUT_RANKER | {"learned"}  # rank by features; any other reranker works on top of "learned"
CONNECTED = "graph"  # on top too: hits that other hits use come forward (coderag.search.ranking.graph_rerank)
GRAPH = "graph"  # the evidence that answers questions for relations


def make_pipeline(
    *, fusion: str = "", reranker: str = "", without: Iterable[str] = (), depth: int = 0, blend: float | None = None
) -> Pipeline:
    """Return the pipeline of some settings; one that is not given is as usual. Raises QueryError and RerankerError."""
    left_out = frozenset(without)
    if unknown := sorted(left_out - FAMILIES.keys()):
        raise QueryError(f"unknown evidence {unknown[0]!r}; known is {', '.join(FAMILIES)}")
    if fusion and fusion not in list(Fusion):
        raise QueryError(f"unknown fusion {fusion!r}; known are {', '.join(Fusion)}")
    if reranker and reranker not in BUILT_IN | {CONNECTED}:
        from coderag.search.ranking.rerank import find_reranker

        find_reranker(reranker)  # a wrong name is an error before anything is searched
    return Pipeline(
        fusion=Fusion(fusion or STANDARD.fusion),
        reranker=reranker or STANDARD.reranker,
        depth=depth or STANDARD.depth,
        blend=STANDARD.blend if blend is None else blend,
        without=left_out,
    )


def left_out_features(pipeline: Pipeline) -> frozenset[str]:
    """Return the features that a pipeline ranks without."""
    return frozenset(name for family in pipeline.without for name in FAMILIES[family])
