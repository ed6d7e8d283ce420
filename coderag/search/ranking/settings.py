"""What is said of a search's stages in text, to a record."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.errors import QueryError
from coderag.search.ranking.features import FAMILIES
from coderag.search.ranking.rank import BUILT_IN, CONNECTED, STANDARD
from coderag.types import Fusion, Pipeline

__all__ = ["make_pipeline"]


def make_pipeline(
    *, fusion: str = "", reranker: str = "", without: Iterable[str] = (), depth: int = 0, blend: float | None = None
) -> Pipeline:
    """Return the pipeline of some settings; what is not said is as usual. Raises QueryError, and RerankerError."""
    left_out = frozenset(without)
    if unknown := sorted(left_out - FAMILIES.keys()):
        raise QueryError(f"unknown evidence {unknown[0]!r}; known is {', '.join(FAMILIES)}")
    if fusion and fusion not in list(Fusion):
        raise QueryError(f"unknown fusion {fusion!r}; known are {', '.join(Fusion)}")
    if reranker and reranker not in BUILT_IN | {CONNECTED}:
        from coderag.search.ranking.rerank import find_reranker

        find_reranker(reranker)  # a wrong name is told before anything is searched
    return Pipeline(
        fusion=Fusion(fusion or STANDARD.fusion),
        reranker=reranker or STANDARD.reranker,
        depth=depth or STANDARD.depth,
        blend=STANDARD.blend if blend is None else blend,
        without=left_out,
    )
