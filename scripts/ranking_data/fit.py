"""Rows to a ranker: LambdaMART over what the question itself decides, with every kind of question counting alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from coderag.index.storage.arrays.arrays import Array
from coderag.search.ranking.features import FEATURES
from scripts.ranking_data.records import TrainingError
from scripts.ranking_data.rows import Rows

if TYPE_CHECKING:
    from lightgbm import Booster

__all__ = ["Plan", "cross_fitted", "grow"]

FOLDS = 5
# Features that match nothing of the question: what a candidate is, and what type of query it is a candidate of.
EITHER_WAY = frozenset(
    {
        "frame",
        "callable",
        "first",
        "lines",
        "mentions",
        "file_mentions",
        "asks_edit",
        "asks_behavior",
        "asks_topic",
        "asked_words",
    }
)
SEED = 20261122
# Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", 2010. Few leaves and many questions in each: what
# holds for one package only is noise.
SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "objective": "lambdarank",
        "num_leaves": 8,
        "learning_rate": 0.1,
        "min_data_in_leaf": 100,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "feature_fraction": 0.5,
        "lambda_l2": 5.0,
        "lambdarank_truncation_level": 20,
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "seed": SEED,
        "verbose": -1,
    }
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to grow."""

    columns: tuple[int, ...]  # of the rows' features
    rounds: int
    shares: Mapping[str, float]  # what each kind of question counts; one that is not there is not learned from
    depth: int = 60  # candidates of a question that are learned from


def grow(rows: Rows, plan: Plan, chosen: Array) -> Booster:
    """Return a ranker grown on those of the chosen questions, bool[questions], whose kinds are planned for.

    Raises TrainingError when there are none.
    """
    import lightgbm

    place = np.concatenate([np.arange(size) for size in rows.sizes.tolist()])
    relevant = rows.tight > 0
    starts = np.cumsum(rows.sizes) - rows.sizes
    near = place < plan.depth
    chosen = chosen & np.isin(rows.kind, list(plan.shares))
    chosen = chosen & (np.add.reduceat((relevant & near).astype(np.int64), starts) > 0)
    if not chosen.any():
        raise TrainingError("there is no question to learn from")
    weights = _weights(rows, plan, chosen)
    kept = np.repeat(chosen, rows.sizes) & near
    data = lightgbm.Dataset(
        rows.features[kept][:, list(plan.columns)],
        relevant[kept].astype(np.int8),
        group=np.minimum(rows.sizes, plan.depth)[chosen],
        weight=np.repeat(weights, rows.sizes)[kept],
    )
    # What matches the question never counts against a candidate: what a tree concludes from few questions is held
    # within bounds.
    bounds = [0 if FEATURES[column] in EITHER_WAY else 1 for column in plan.columns]
    settings = {**SETTINGS, "monotone_constraints": bounds}
    return lightgbm.train(settings, data, num_boost_round=plan.rounds)


def cross_fitted(rows: Rows, plan: Plan) -> Array:
    """Return f32[candidates]: each one's score by a ranker that saw nothing of its package or repository."""
    groups = sorted(set(rows.group.tolist()))
    shuffled = np.random.default_rng(SEED).permutation(len(groups))
    fold_of = {group: int(number) % FOLDS for group, number in zip(groups, shuffled, strict=True)}
    fold = np.array([fold_of[group] for group in rows.group.tolist()])
    scores = np.zeros(len(rows.tight), dtype=np.float32)
    for number in range(FOLDS):
        booster = grow(rows, plan, fold != number)
        held_out = np.repeat(fold == number, rows.sizes)
        scores[held_out] = booster.predict(rows.features[held_out][:, list(plan.columns)])
    return scores


def _weights(rows: Rows, plan: Plan, chosen: Array) -> Array:
    """Return f64[questions]: what each question counts, so that a kind counts its share however many there are.

    A group counts by the square root of its questions, so that no long history outweighs the others.
    """
    weights = np.zeros(len(chosen))
    for kind in set(rows.kind[chosen].tolist()):
        of_kind = chosen & (rows.kind == kind)
        _, group, count = np.unique(rows.group[of_kind], return_inverse=True, return_counts=True)
        counts = 1 / np.sqrt(count[group])
        weights[of_kind] = plan.shares[kind] * counts / counts.sum()
    weights[chosen] /= weights[chosen].mean()
    return weights
