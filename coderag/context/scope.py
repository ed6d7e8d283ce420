"""Ranked databases to those that a context shows: the one that leads, those that rival it, and the others by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coderag.index.catalog import Catalog
from coderag.ranking.databases import RankedDatabase
from coderag.ranking.tables import TableRanking
from coderag.types import OtherDatabases

__all__ = ["NamedDatabase", "Scope", "chosen_scope", "named_databases"]

# Of the best table's score: where a database has a table above the first, the question may be about that, and those of
# its tables that are above the second are shown. Over 11 databases 99 to 100 % of the questions have what they need.
RIVAL_SHARE, RIVAL_TABLE_SHARE = 0.5, 0.3
MAX_RIVALS = 5
MAX_NAMED = 8  # databases that are named


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
    rivals: frozenset[int]
    others: tuple[RankedDatabase, ...]  # the best first
    least: float = 0.0  # score of a rival's table to be shown

    def shows(self, database: int, score: float) -> bool:
        """Tell whether a table of a database is shown that has a score."""
        return database == self.leading or (database in self.rivals and score >= self.least)


def chosen_scope(catalog: Catalog, ranking: TableRanking, others: OtherDatabases) -> Scope:
    """Return the databases to show: that of the best table, and those with a table that comes near it."""
    if not ranking.tables and len(ranking.databases) != 1:
        return Scope(-1, frozenset(), ranking.databases)
    first = ranking.tables[0] if ranking.tables else None
    leading = int(catalog.group[first.table]) if first else ranking.databases[0].database
    behind = [one for one in ranking.databases if one.database != leading]
    if others is OtherDatabases.DETAIL:
        return Scope(leading, frozenset(one.database for one in behind), ())
    best = max(one.score for one in ranking.databases)
    rivals = frozenset(one.database for one in behind[:MAX_RIVALS] if one.score >= RIVAL_SHARE * best > 0)
    named = tuple(one for one in behind if one.database not in rivals)
    return Scope(leading, rivals, named, RIVAL_TABLE_SHARE * (first.score if first else 0.0))


def named_databases(catalog: Catalog, databases: Sequence[RankedDatabase]) -> tuple[NamedDatabase, ...]:
    """Return the first of some databases with the names of their best tables."""
    return tuple(_named(catalog, databases[:MAX_NAMED]))


def _named(catalog: Catalog, databases: Sequence[RankedDatabase]) -> Iterable[NamedDatabase]:
    for one in databases:
        tables = tuple(catalog.names[table] for table in one.tables)
        yield NamedDatabase(catalog.groups[one.database], one.size, tables)
