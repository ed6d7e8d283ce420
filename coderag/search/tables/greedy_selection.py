"""Scores of tables to a greedy selection, in which each pick gives a bonus to the tables that it joins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.catalog.join_graph import EVIDENCE
from coderag.index.storage.arrays.arrays import Array
from coderag.sql.records import Evidence

__all__ = ["DEFAULT", "Selection", "SelectionSettings", "select_greedily"]

CANDIDATES = 120
NEAR = 10  # tables whose neighbours gain a share of their score before the first is picked


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """The bonuses of joins, on a scale where the best table of a signal has about 1; tuned, see ARCHITECTURE.md."""

    join: Mapping[Evidence, float] = field(  # bonus of a table that joins with a pick
        default_factory=lambda: MappingProxyType(
            {Evidence.DECLARED: 0.25, Evidence.MODEL: 0.25, Evidence.QUERY: 0.15, Evidence.INFERRED: 0.15}
        )
    )
    fading: float = 0.2  # how fast the lift fades with each further table that is picked
    near: float = 0.07  # the share of its best neighbour's score that a table gains beforehand


DEFAULT = SelectionSettings()


@dataclass(frozen=True, slots=True)
class Selection:
    """A picked table."""

    table: int
    score: float  # with what joins add; never more than that of the table before
    joins: float  # what joins add
    by: int  # the table picked before that lifted it, -1: none


def select_greedily(
    catalog: Catalog, scores: Array, *, k: int, picking: SelectionSettings = DEFAULT
) -> list[Selection]:
    """Return up to k tables with positive scores, one by one the best; equal ones go by path and name."""
    near = _near(catalog, scores, picking)
    total = scores + near
    candidates = np.lexsort((catalog.tie, -total))[:CANDIDATES]
    candidates = candidates[scores[candidates] > 0]
    place = {table: position for position, table in enumerate(candidates.tolist())}
    values, lift, by = total[candidates].astype(np.float64), np.zeros(len(candidates)), [-1] * len(candidates)
    picked: list[Selection] = []
    while len(picked) < min(k, len(candidates)):
        position = int(np.argmax(values + lift))
        table, joins = int(candidates[position]), float(lift[position])
        score = float(values[position]) + joins
        if picked:
            score = min(score, picked[-1].score)
        picked.append(Selection(table, score, joins + float(near[table]), by[position]))
        values[position] = -np.inf
        strength = 1 / (1 + picking.fading * (len(picked) - 1))
        for other, evidence in catalog.neighbours(table):
            bonus = picking.join[EVIDENCE[evidence]] * strength
            at = place.get(other, -1)
            if at >= 0 and bonus > lift[at]:
                lift[at], by[at] = bonus, table
    return picked


def _near(catalog: Catalog, scores: Array, picking: SelectionSettings) -> Array:
    """Return what each table that scores at all gains from the best of its neighbours, f32[tables]."""
    trust = [picking.join[evidence] / picking.join[Evidence.DECLARED] for evidence in EVIDENCE]
    near = np.zeros(len(scores), dtype=np.float32)
    for table in np.argsort(-scores, kind="stable")[:NEAR].tolist():
        for other, evidence in catalog.neighbours(table):
            near[other] = max(near[other], trust[evidence] * scores[table])
    gained: Array = near * np.float32(picking.near) * (scores > 0)
    return gained
