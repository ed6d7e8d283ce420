"""Ranked databases to those that a context shows: the leading one, its rivals, and the others by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coderag.index.catalog.catalog import Catalog
from coderag.search.tables.databases import RankedDatabase
from coderag.search.tables.tables import TableRanking
from coderag.types import OtherDatabases

__all__ = ["NamedDatabase", "Scope", "chosen_scope", "named_databases"]

# Of the best score: a database with a table above RIVAL is one that the question may be about, and its tables above
# RIVAL_TABLE are shown; of other databases only those above ALIKE. Chosen on questions over 11 to 166 databases, where
# 96 to 100 % of the questions then have all tables that they need.
RIVAL, RIVAL_TABLE, ALIKE = 0.6, 0.25, 0.5
MAX_RIVALS = 8
MAX_NAMED = 10  # databases that are named


@dataclass(frozen=True, slots=True)
class NamedDatabase:
    """A database that is known and not shown, and the tables that come nearest to the question."""

    name: str
    size: int  # tables
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Databases by their numbers in the catalog."""

    leading: int  # -1: no table is found
    least: Mapping[int, float]  # of others that may be meant: the least score of a table to be shown
    behind: tuple[RankedDatabase, ...]  # all but the leading one, the best first

    def shows(self, database: int, score: float) -> bool:
        """Tell whether a table with a score is shown, given its database."""
        return database == self.leading or score >= self.least.get(database, math.inf)


def chosen_scope(catalog: Catalog, ranking: TableRanking, others: OtherDatabases) -> Scope:
    """Return the databases to show: that of the best table, and those with a table that comes near it."""
    if not ranking.tables and len(ranking.databases) != 1:
        return Scope(-1, {}, ranking.databases)
    first = ranking.tables[0] if ranking.tables else None
    leading = int(catalog.group[first.table]) if first else ranking.databases[0].database
    behind = tuple(database for database in ranking.databases if database.database != leading)
    if first is None or others is OtherDatabases.DETAIL:
        return Scope(leading, dict.fromkeys((ranked_database.database for ranked_database in behind), 0.0), behind)
    strong = RIVAL * max(database.score for database in ranking.databases)
    least = {
        ranked_database.database: first.score * (RIVAL_TABLE if ranked_database.score >= strong else ALIKE)
        for ranked_database in behind[:MAX_RIVALS]
    }
    return Scope(leading, least, behind)


def named_databases(catalog: Catalog, databases: Sequence[RankedDatabase]) -> tuple[NamedDatabase, ...]:
    """Return the first of some databases with the names of their best tables."""
    return tuple(_named(catalog, databases[:MAX_NAMED]))


def _named(catalog: Catalog, databases: Sequence[RankedDatabase]) -> Iterable[NamedDatabase]:
    for database in databases:
        tables = tuple(catalog.names[table] for table in database.tables)
        yield NamedDatabase(catalog.groups[database.database], database.size, tables)
