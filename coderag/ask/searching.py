"""Texts to hits: each text is searched once in a turn; a part and its variants become one ranking (RAG fusion)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from coderag.ask.turn import Evidence, Turn
from coderag.search.query.query import make_query
from coderag.types import Hit, Kind, Query, TestPolicy

__all__ = ["DEPTH", "HITS", "MOST_OF_VARIANTS", "first_hits", "fuse", "fused_hits", "rank_scores", "searched"]

HITS = 8  # of each search
DEPTH = 20  # hits of each ranking that is fused
RRF_K = 60.0  # the k of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)
MOST_OF_VARIANTS = 1.0  # the weight of all variants together; the part itself has 1, so it keeps at least half


def searched(
    turn: Turn,
    text: str,
    *,
    k: int = HITS,
    tests: TestPolicy | None = None,
    kinds: frozenset[Kind] = frozenset(),
    languages: frozenset[str] = frozenset(),
    repositories: frozenset[str] = frozenset(),
) -> list[Hit]:
    """Return the hits of a text as it is: quotes and colons in a question are no conditions.

    Kinds and languages are those among what the question is limited to; [] if none of them is.
    """
    within = turn.options.within
    of_kinds, of_languages = _common(within.kinds, kinds), _common(within.languages, languages)
    if of_kinds is None or of_languages is None:
        return []
    query = make_query(
        text,
        k=k,
        kinds=of_kinds,
        tests=tests or within.tests,
        languages=of_languages,
        repositories=repositories,
        paths=within.paths,
        databases=within.databases,
    )
    return list(_once(turn, query))


def _common(chosen: Sequence[str], wanted: frozenset[str]) -> frozenset[str] | None:
    """Return what is both chosen and wanted, of which an empty one is everything; None if nothing is."""
    if not chosen or not wanted:
        return frozenset(chosen) or wanted
    return wanted.intersection(chosen) or None


def first_hits(turn: Turn, part: Evidence) -> list[Hit]:
    """Return what the wording of a part finds by itself, as deep as rankings are fused; stages are gated by it."""
    return searched(turn, part.text, k=DEPTH)


def fused_hits(turn: Turn, part: Evidence, *, k: int = HITS) -> list[Hit]:
    """Return the hits of a part, fused with those of its variants where it has any."""
    if not part.variants:
        return searched(turn, part.text, k=k)
    others = [(variant.weight, searched(turn, variant.text, k=DEPTH)) for variant in part.variants]
    return fuse(first_hits(turn, part), others)[:k]


def fuse(own: Sequence[Hit], others: Sequence[tuple[float, Sequence[Hit]]]) -> list[Hit]:
    """Return the hits of several rankings by weighted reciprocal rank fusion, each once; `own` keeps half the weight.

    Ties keep the order in which hits are given. What only others found is as sure as they are, by their weight, so
    that no variant alone makes a question answerable.
    """
    total = sum(weight for weight, _ in others)
    scale = min(1.0, MOST_OF_VARIANTS / total) if total > 0 else 0.0
    rankings = [(1.0, own), *((weight * scale, ranking) for weight, ranking in others)]
    scores = rank_scores(rankings)
    hits: dict[str, Hit] = {}
    for weight, ranking in rankings:
        for hit in ranking:
            hits.setdefault(hit.chunk.id, replace(hit, confidence=hit.confidence * weight))
    return sorted(hits.values(), key=lambda hit: -scores[hit.chunk.id])


def rank_scores(rankings: Iterable[tuple[float, Sequence[Hit]]]) -> dict[str, float]:
    """Return the sums of the weighted reciprocal ranks of chunks, by their ids."""
    scores: defaultdict[str, float] = defaultdict(float)
    for weight, ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.chunk.id] += weight / (RRF_K + rank)
    return scores


def _once(turn: Turn, query: Query) -> list[Hit]:
    """Return the hits of a query, of an earlier and deeper one where there is one."""
    deep = replace(query, k=DEPTH)
    if deep in turn.memo:
        return turn.memo[deep][: query.k]
    if query not in turn.memo:
        turn.memo[query] = turn.index.search(query)
    return turn.memo[query]
