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
    undeclared: float = 0.2  # that of names alone in a database that declares no key
    bridge: float = 0.1  # of a table that joins two picks which nothing joins directly, by declared keys
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
    values, lifts = total[candidates].astype(np.float64), _Lifts(catalog, candidates.tolist(), picking)
    picked: list[Selection] = []
    while len(picked) < min(k, len(candidates)):
        position = int(np.argmax(values + lifts.total))
        table, joins = int(candidates[position]), float(lifts.total[position])
        score = float(values[position]) + joins
        if picked:
            score = min(score, picked[-1].score)
        picked.append(Selection(table, score, joins + float(near[table]), lifts.by[position]))
        values[position] = -np.inf
        lifts.pick(table)
    return picked


class _Lifts:
    """What candidates gain from the tables that were picked before."""

    def __init__(self, catalog: Catalog, candidates: list[int], picking: SelectionSettings) -> None:
        self.total = np.zeros(len(candidates))
        self.by = [-1] * len(candidates)  # the pick that lifts each most by a join
        self._catalog = catalog
        self._place = {table: position for position, table in enumerate(candidates)}
        self._picking = picking
        self._join = np.zeros(len(candidates))
        self._bridge = np.zeros(len(candidates))
        self._picked: dict[int, dict[int, float]] = {}  # of each pick: its neighbours with the bonus of the join

    def pick(self, table: int) -> None:
        """Lift what joins with a table; a bridge between it and a table picked before gains once more."""
        picking = self._picking
        strength = 1 / (1 + picking.fading * len(self._picked))
        around = self._bonuses(table)
        apart = [others for other, others in self._picked.items() if other not in around]
        for other, bonus in around.items():
            at = self._place.get(other, -1)
            if at < 0 or other in self._picked:
                continue
            if bonus * strength > self._join[at]:
                self._join[at], self.by[at] = bonus * strength, table
            if (far := max((others.get(other, 0.0) for others in apart), default=0.0)) > 0:
                sure = bonus * far / picking.join[Evidence.DECLARED] ** 2
                self._bridge[at] = max(self._bridge[at], picking.bridge * sure * strength)
            self.total[at] = self._join[at] + self._bridge[at]
        self._picked[table] = around

    def _bonuses(self, table: int) -> dict[int, float]:
        declares = self._catalog.declares_keys[self._catalog.group[table]]
        guessed = self._picking.join[Evidence.INFERRED] if declares else self._picking.undeclared
        found: dict[int, float] = {}
        for other, evidence in self._catalog.neighbours(table):
            sure = EVIDENCE[evidence]
            found[other] = guessed if sure is Evidence.INFERRED else self._picking.join[sure]
        return found


def _near(catalog: Catalog, scores: Array, picking: SelectionSettings) -> Array:
    """Return what each table that scores at all gains from the best of its neighbours, f32[tables]."""
    trust = [picking.join[evidence] / picking.join[Evidence.DECLARED] for evidence in EVIDENCE]
    near = np.zeros(len(scores), dtype=np.float32)
    for table in np.argsort(-scores, kind="stable")[:NEAR].tolist():
        for other, evidence in catalog.neighbours(table):
            near[other] = max(near[other], trust[evidence] * scores[table])
    gained: Array = near * np.float32(picking.near) * (scores > 0)
    return gained
