"""Which databases that files declare are databases that were asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coderag.catalog.databases.declared import SIDE_LABELS
from coderag.catalog.databases.grouping import Group
from coderag.catalog.merge.model_merge import BOOKKEEPING
from coderag.catalog.replay.mutable import MutableTable
from coderag.catalog.replay.state import State
from coderag.sql.statements.dialect import GENERIC, dialects

__all__ = ["DatabasePart", "main_database", "paired"]

MIN_SHARE = 0.6  # of the tables of the side that has fewer, by their names
MIN_TABLES = 2  # if the side has as many

Score = tuple[bool, float, int]  # the greater, the better


@dataclass(frozen=True, slots=True)
class DatabasePart:
    """A group, the schema of its files, and what its database says where it was introspected."""

    group: Group
    files: State
    live: State | None


@dataclass(frozen=True, slots=True)
class _LivePart:
    """The number of the part of a database that was asked, and the names of its tables."""

    number: int
    part: DatabasePart
    dialect: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Declared:
    """The number of a part, and one of the databases in it."""

    number: int
    part: DatabasePart
    database: str
    dialect: str
    names: frozenset[str]


def paired(parts: Sequence[DatabasePart]) -> dict[int, tuple[int, str]]:
    """Return the databases that were asked, by number, with the number of the part of files that declare each.

    The files' name of that database, folded, comes with it. Files go with the database that they fit best, which takes
    those that fit it best; where several do so equally, none.
    """
    asked = list(_live_parts(parts))
    if not asked:
        return {}
    having: dict[str, list[_LivePart]] = {}
    for live in asked:
        for name in live.names:
            having.setdefault(name, []).append(live)
    chosen: dict[int, list[tuple[Score, _Declared]]] = {}
    for declared in _declared(parts):
        common = Counter(live.number for name in declared.names for live in having.get(name, ()))
        fitting = [
            (_score(declared, live, common[live.number]), live)
            for live in asked
            if _fits(declared, live, common[live.number])
        ]
        if fitting:
            best = max(score for score, _ in fitting)
            live = min((live for score, live in fitting if score == best), key=lambda live: live.part.group.name)
            chosen.setdefault(live.number, []).append((best, declared))
    found: dict[int, tuple[int, str]] = {}
    for number, scored in chosen.items():
        best = max(score for score, _ in scored)
        winners = [declared for score, declared in scored if score == best]
        if len(winners) == 1:
            found[number] = winners[0].number, winners[0].database
    return found


def main_database(state: State) -> str:
    """Return what files call the database of most of their tables, folded; "" if they do not name it."""
    counts = Counter(key[0] for key in state.tables)
    return min(counts, key=lambda name: (-counts[name], name), default="")


def _live_parts(parts: Sequence[DatabasePart]) -> Iterator[_LivePart]:
    for number, part in enumerate(parts):
        if part.live is not None:
            dialect = _dialect(schema_file.facts.dialect for schema_file in part.group.live)
            yield _LivePart(number, part, dialect, _names(part.live.tables.values()))


def _declared(parts: Sequence[DatabasePart]) -> Iterator[_Declared]:
    for number, part in enumerate(parts):
        if part.live is not None:
            continue
        databases: dict[str, list[MutableTable]] = {}
        for key, table in part.files.tables.items():
            databases.setdefault(key[0], []).append(table)
        for database, tables in sorted(databases.items()):
            paths = (table.declared.path for table in tables)
            dialect = _dialect(part.files.files[path].facts.dialect for path in paths if path in part.files.files)
            yield _Declared(number, part, database, dialect, _names(tables))


def _names(tables: Iterable[MutableTable]) -> frozenset[str]:
    return frozenset(
        name
        for table in tables
        if not table.record.temporary and not table.record.partition
        if (name := table.name.name.casefold()) not in BOOKKEEPING
    )


def _dialect(names: Iterable[str]) -> str:
    """Return the most frequent dialect, or the one that it inherits from; "" if none is known."""
    known: Mapping[str, int] = Counter(name for name in names if name and name != GENERIC)
    most = min(known, key=lambda name: (-known[name], name), default="")
    dialect = dialects().get(most)
    return (dialect.inherits or dialect.name) if dialect is not None else ""


def _fits(declared: _Declared, live: _LivePart, common: int) -> bool:
    """Tell whether files may declare a database."""
    smaller = min(len(declared.names), len(live.names))
    if not common or common < min(smaller, MIN_TABLES) or common < smaller * MIN_SHARE:
        return False
    return declared.dialect == live.dialect or not declared.dialect or not live.dialect


def _score(declared: _Declared, live: _LivePart, common: int) -> Score:
    """Return how well files fit a database: the product's own first, then by tables, then by what they are called."""
    files, own = declared.part.group, live.part.group
    paths = (*files.files, *files.snapshot, *files.models)
    aside = any(not SIDE_LABELS.isdisjoint(file.labels) for file in paths)
    called = {declared.database, files.name.rpartition("/")[2].casefold()}
    alike = (own.told.casefold() in called) + (bool(own.environment) and own.environment == files.environment)
    return not aside, common / len(declared.names | live.names), alike
