"""Ranked tables to their best columns for a question: those that match, and the keys to join by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from coderag.index.catalog.arrays import PRIMARY
from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.text.tokens import terms, words

__all__ = ["RankedColumn", "rank_columns"]

COLUMNS = 26
MIN_SHARE = 0.05  # of the best table's score; columns of tables below it are left out
KEYED = 5  # tables whose keys are always there
LOOKED_AT = 6  # tables whose columns may be chosen
HINT_WEIGHT, PLAIN_WEIGHT = 0.3, 0.15  # of what the question hints at; of any column of a good table
VOTE_WEIGHT = 0.6  # of similar queries
USE_WEIGHT, USUAL_USES = 0.2, 3.0  # of being used by example queries at all, and how often that is usual


class RankedColumn(NamedTuple):
    """A column, how well it fits, and whether it is there as a key of its table or of a join."""

    table: int
    column: str
    score: float
    key: bool


def rank_columns(
    catalog: Catalog,
    chosen: Sequence[tuple[int, float]],
    *,
    matching: Array,
    voted: Array,
    hints: Mapping[str, float],
    k: int = COLUMNS,
) -> list[RankedColumn]:
    """Return k columns of chosen tables, given best first with their scores: what fits best, and keys.

    `matching` and `voted` are scores of all columns.
    """
    if not chosen:
        return []
    best_table = max(chosen[0][1], 1e-6)
    chosen = [(table, score) for table, score in chosen if score >= MIN_SHARE * best_table]
    best_match = max(float(matching.max(initial=0.0)), 1e-6)
    looked_at = [(catalog.columns_of(table), score / best_table) for table, score in chosen[:LOOKED_AT]]
    places = np.concatenate([np.arange(own.start, own.stop) for own, _ in looked_at])
    share = np.repeat([share for _, share in looked_at], [len(own) for own, _ in looked_at])
    uses = catalog.arrays["column_used"][places].astype(np.float32)
    fit = matching[places] / best_match + PLAIN_WEIGHT + VOTE_WEIGHT * voted[places]
    fit = fit + USE_WEIGHT * uses / (uses + USUAL_USES) + HINT_WEIGHT * _hinted(catalog, places, hints)
    fit = share * fit
    order = np.lexsort((places, -fit))
    ordered = places[order].tolist()
    scores = dict(zip(ordered, fit[order].tolist(), strict=True))
    keys = _keys(catalog, [table for table, _ in chosen[:KEYED]])
    # Keys come first, but leave room for columns that match.
    picked = dict.fromkeys(chain(ordered[: k // 2], keys, ordered[:k]))
    kept = sorted(list(picked)[:k], key=lambda column: (-scores[column], column))
    owner = catalog.column_table
    return [
        RankedColumn(int(owner[column]), catalog.column_names[column], scores[column], column in keys)
        for column in kept
    ]


def _keys(catalog: Catalog, tables: Sequence[int]) -> dict[int, None]:
    """Return the columns that rows of some tables are found by, and those by which the tables are joined."""
    found: dict[int, None] = {}
    for table in tables:
        first = int(catalog.column_starts[table])
        flags = catalog.column_flags[first : int(catalog.column_starts[table + 1])]
        found.update((first + int(place), None) for place in np.flatnonzero(flags & PRIMARY))
    among = np.zeros(len(catalog), dtype=bool)
    among[list(tables)] = True
    among = among[catalog.arrays["relation_left_table"]] & among[catalog.arrays["relation_right_table"]]
    for relation in np.flatnonzero(among).tolist():
        for end in ("relation_left", "relation_right"):
            found.update((int(column), None) for column in catalog.listed(end, relation))
    return found


def _hinted(catalog: Catalog, places: Array, hints: Mapping[str, float]) -> Array:
    """Return how far a question hints at each of some columns, f32[places]."""
    found = np.zeros(len(places), dtype=np.float32)
    if not hints:
        return found
    hinted, names = frozenset(hints), catalog.column_names
    for at, place in enumerate(places.tolist()):
        of_name = _terms_of(names[place])
        if not hinted.isdisjoint(of_name):
            found[at] = max(hints.get(term, 0.0) for term in of_name)
    return found


@lru_cache(maxsize=1 << 15)
def _terms_of(name: str) -> tuple[str, ...]:
    return tuple(term for word in words(name) for term in terms(word))
