"""Ranked tables to those that a context is packed from: with the columns that matter, and with what connects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.search.context.pack import ContextTable, key_columns
from coderag.search.context.scope import Scope
from coderag.search.tables.joins import JoinPath, join_paths
from coderag.search.tables.tables import COMMON, RankedTable, TableRanking
from coderag.sql.records import Column, Table

__all__ = ["Candidates", "candidates"]

# Share of the best score, COMMON signals aside, above which a question is about a table.
CORE_SHARE = 0.4
MAX_CORE = 6
CONNECTING = ("connects tables of the answer",)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Tables, each list best first, and how the best of them are joined."""

    leading: tuple[ContextTable, ...]  # of the leading database
    rivals: tuple[ContextTable, ...]  # of other databases that the question may be about
    rest: tuple[ContextTable, ...]  # of the leading database, not ranked, in full
    paths: tuple[JoinPath, ...]

    @property
    def ranked(self) -> tuple[ContextTable, ...]:
        """Those that were ranked, the leading database first."""
        return self.leading + self.rivals

    @property
    def tables(self) -> list[Table]:
        """The records of all."""
        return [context_table.table for context_table in (*self.ranked, *self.rest)]


def candidates(catalog: Catalog, ranking: TableRanking, scope: Scope, allowed: Array | None) -> Candidates:
    """Return the tables of the databases to show: those that are ranked, and all others of the leading one."""
    shown = [
        ranked_table
        for ranked_table in ranking.tables
        if scope.shows(int(catalog.group[ranked_table.table]), ranked_table.score)
    ]
    core = _core(shown)
    paths = join_paths(catalog, core)
    matching: dict[int, set[str]] = {}
    for column in ranking.columns:
        matching.setdefault(column.table, set()).add(column.column)
    tables = [_candidate(catalog, ranked_table, matching.get(ranked_table.table, set())) for ranked_table in shown]
    connecting = dict.fromkeys(number for path in paths for number in path.connecting)
    for number in sorted(connecting.keys() - {ranked_table.table for ranked_table in shown}):
        table, score = catalog.tables[number], tables[len(core) - 1].score
        tables.insert(
            len(core),
            ContextTable(table, _shown(table, set()), score, reasons=CONNECTING, connecting=True, number=number),
        )
    leads = [int(catalog.group[context_table.number]) == scope.leading for context_table in tables]
    known = {context_table.number for context_table in tables}
    own = catalog.group == scope.leading if allowed is None else allowed & (catalog.group == scope.leading)
    rest = [number for number in np.flatnonzero(own).tolist() if number not in known]
    return Candidates(
        tuple(table for table, leading in zip(tables, leads, strict=True) if leading),
        tuple(table for table, leading in zip(tables, leads, strict=True) if not leading),
        tuple(ContextTable(catalog.tables[at], catalog.tables[at].columns, number=at) for at in rest),
        tuple(paths),
    )


def _candidate(catalog: Catalog, best: RankedTable, matching: set[str]) -> ContextTable:
    table = catalog.tables[best.table]
    shown = _shown(table, matching)
    return ContextTable(
        table, shown, best.score, best.parts, best.reasons, number=best.table, matching=frozenset(matching)
    )


def _shown(table: Table, matching: set[str]) -> tuple[Column, ...]:
    keys = key_columns(table)
    return tuple(column for column in table.columns if column.name in keys or column.name in matching)


def _core(ranked: Sequence[RankedTable]) -> list[int]:
    own = [
        ranked_table.score - sum(ranked_table.parts.get(signal, 0.0) for signal in COMMON)
        for ranked_table in ranked[:MAX_CORE]
    ]
    return [best.table for best, score in zip(ranked, own, strict=False) if score >= CORE_SHARE * max(own)]
