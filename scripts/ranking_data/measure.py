"""Scores of candidates to figures: how early the answers come, kind by kind, and whether a difference is noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import QueryType
from coderag.search.ranking.rank import spread
from scripts.ranking_data.rows import Rows

__all__ = ["Figures", "by_kind", "difference", "measure"]

K = 10
RESAMPLED = 2000
DISCOUNT = 1 / np.log2(np.arange(K) + 2)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a ranking gives for each question."""

    ndcg: Array  # f64[questions]: NDCG@10 by targets, the first candidate that overlaps each counts
    tight: Array  # ... by candidates that are mostly about the target
    reciprocal: Array  # 1 / rank of the first tight answer, 0 beyond ten
    found: Array  # share of the targets with a tight answer among ten


def measure(rows: Rows, scores: Array, again: Mapping[QueryType, float]) -> Figures:
    """Return the figures of a ranking by scores of all candidates, spread over files as the engine does."""
    ends = np.cumsum(rows.sizes)
    figures = np.zeros((4, len(ends)))
    for number, (start, end) in enumerate(zip((ends - rows.sizes).tolist(), ends.tolist(), strict=True)):
        order = start + np.argsort(-scores[start:end], kind="stable")
        keep = again[QueryType(rows.shape[number])]
        picked = spread(rows.files[order], scores[order], k=K, keep=keep)
        top = order[[position for position, _ in picked]]
        targets = int(rows.targets[number])
        loose, tight = _ranks(rows.loose[top], targets), _ranks(rows.tight[top], targets)
        ideal = DISCOUNT[: min(targets, K)].sum()
        figures[0, number] = DISCOUNT[loose].sum() / ideal
        figures[1, number] = DISCOUNT[tight].sum() / ideal
        figures[2, number] = 1 / (min(tight) + 1) if tight else 0.0
        figures[3, number] = len(tight) / targets
    return Figures(*figures)


def _ranks(masks: Array, targets: int) -> list[int]:
    """Return the ranks at which targets are first found, from 0; two that one candidate answers count once there."""
    found: set[int] = set()
    for bit in range(targets):
        if len(ranks := np.flatnonzero(masks >> np.uint16(bit) & np.uint16(1))):
            found.add(int(ranks[0]))
    return sorted(found)


def by_kind(rows: Rows, values: Array) -> dict[str, float]:
    """Return the mean over groups of the mean over questions, for each kind of question and each suite as a whole."""
    found: dict[str, float] = {}
    suites = np.array([kind.partition(":")[0] for kind in rows.kind.tolist()])
    for labels in (suites, rows.kind):
        for kind in sorted(set(labels.tolist()) - found.keys()):
            of_kind = labels == kind
            groups = sorted(set(rows.group[of_kind].tolist()))
            found[kind] = float(np.mean([values[of_kind & (rows.group == group)].mean() for group in groups]))
    return found


def difference(new: Array, old: Array, *, seed: int = 1) -> tuple[float, float, float]:
    """Return the mean gain of paired figures and the bounds of its 95 % interval by bootstrap over questions."""
    gains = new - old
    chosen = np.random.default_rng(seed).integers(0, len(gains), size=(RESAMPLED, len(gains)))
    low, high = np.quantile(gains[chosen].mean(axis=1), [0.025, 0.975])
    return float(gains.mean()), float(low), float(high)
