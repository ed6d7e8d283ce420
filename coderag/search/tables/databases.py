"""Scores of tables to scores of databases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array

__all__ = ["BEST_TABLES", "RankedDatabase", "rank_databases"]

BEST_TABLES = 2  # of a database that are named for it


@dataclass(frozen=True, slots=True)
class RankedDatabase:
    """A database of the catalog, by its number in `Catalog.groups`, with the score of its best table."""

    database: int
    score: float
    size: int  # tables of it that are allowed
    tables: tuple[int, ...]  # the best of them; of equal ones those that most others can be joined with


def rank_databases(catalog: Catalog, scores: Array, allowed: Array) -> list[RankedDatabase]:
    """Return the databases that have a table allowed (bool[tables]), by their best scores (f32[tables])."""
    if not len(catalog):
        return []
    sizes = np.add.reduceat(allowed.astype(np.int64), catalog.group_starts)
    best = np.maximum.reduceat(np.where(allowed, scores, np.float32(0)), catalog.group_starts)
    order = [group for group in np.argsort(-best, kind="stable").tolist() if sizes[group]]
    joins = np.diff(catalog.arrays["link_starts"].astype(np.int64))
    by_rank = np.lexsort((catalog.tie, -joins, -scores, ~allowed, catalog.group)).tolist()
    starts = catalog.group_starts.tolist()
    ranked_databases = []
    for group in order:
        first = by_rank[starts[group] : starts[group] + min(BEST_TABLES, int(sizes[group]))]
        ranked_databases.append(RankedDatabase(group, float(best[group]), int(sizes[group]), tuple(first)))
    return ranked_databases
