"""Hits of a question and of what the conversation adds: its other reading, and the files that are pinned."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.ask.searching import rank_scores
from coderag.files.globs import path_test
from coderag.types import Hit

__all__ = ["fused", "with_pinned"]

PINNED_SHARE = 0.5  # of the best hit's confidence that puts a hit of a pinned file in front


def fused(rankings: Sequence[Sequence[Hit]], *, k: int) -> list[Hit]:
    """Return the k best hits of several readings of a question, each of which weighs the same."""
    scores = rank_scores((1.0, ranking) for ranking in rankings)
    hits: dict[str, Hit] = {}
    for ranking in rankings:
        for hit in ranking:
            known = hits.setdefault(hit.chunk.id, hit)
            hits[hit.chunk.id] = max(known, hit, key=lambda one: one.confidence)
    return sorted(hits.values(), key=lambda hit: (-scores[hit.chunk.id], hit.chunk.id))[:k]


def with_pinned(hits: list[Hit], pinned: list[Hit], *, paths: Sequence[str], k: int) -> list[Hit]:
    """Return hits with those of pinned files in front that are nearly as sure, and in files that `paths` allows."""
    best = max((hit.confidence for hit in hits), default=0.0)
    is_allowed = path_test(paths) if paths else lambda _: True
    front = [hit for hit in pinned if hit.confidence >= PINNED_SHARE * best and is_allowed(hit.chunk.path)]
    known = {hit.chunk.id for hit in front}
    return [*front, *(hit for hit in hits if hit.chunk.id not in known)][:k]
