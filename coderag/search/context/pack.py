"""Tables of a question to what a budget holds of them: the leading database whole, else the best tables in full.

When the whole leading database fits, if necessary with comments that are cut short, all of it is given: language models
write better SQL from a whole schema than from any selection of it. Above the budget tables are chosen by rank, first
with the columns that matter and their keys, then in full as far as there is room; those that are left are named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from coderag.search.context.ddl import FULL_COMMENTS, Comments, Spelling, table_ddl
from coderag.sql.records import Column, Name, Table
from coderag.text.budget import tokens_of

__all__ = ["NAMED", "ContextJoin", "ContextTable", "Packable", "Packed", "fitting", "key_columns", "pack"]

Unit = TypeVar("Unit")

NAMED = 40  # further tables, of the same databases, that are only named
# What is left of comments, and the share of a budget that the whole database may take so: what the question is about
# is said in full, and the rest of a large schema briefly.
LEVELS = ((FULL_COMMENTS, 0.25), (Comments(other=100), 1.0), (Comments(matching=100, other=40), 1.0))
CUT = Comments(matching=100, other=40)  # where not all tables have room
JOIN_TOKENS = 20  # of a line that says how two tables are joined
RIVAL_SHARE = 0.25  # of a budget that is kept for tables of other databases that a question may be about
NAMES_SHARE = 0.08  # of a budget that is kept for names where not all tables have room


@dataclass(frozen=True, slots=True)
class ContextTable:
    """A table of a context, with the columns to write out."""

    table: Table
    columns: tuple[Column, ...]
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    connecting: bool = False  # it is there because others are joined through it
    number: int = -1  # in the catalog
    matching: frozenset[str] = frozenset()  # columns that the question is about

    @property
    def whole(self) -> bool:
        """Whether all its columns are written out."""
        return len(self.columns) == len(self.table.columns)


@dataclass(frozen=True, slots=True)
class ContextJoin:
    """How two tables of a context are joined."""

    left: Name
    left_columns: tuple[str, ...]
    right: Name
    right_columns: tuple[str, ...]
    evidence: str
    where: str = ""  # path:line of the foreign key
    asked: bool = False  # it ties tables that the question is about
    shared: str = ""  # both refer to this column of a third table, as `customers.id`; neither refers to the other


class Packable(Protocol):
    """What there is to pack, each list best first."""

    @property
    def leading(self) -> Sequence[ContextTable]:
        """Ranked tables of the leading database."""

    @property
    def rivals(self) -> Sequence[ContextTable]:
        """Ranked tables of other databases that the question may be about."""

    @property
    def rest(self) -> Sequence[ContextTable]:
        """The other tables of the leading database."""


Neighbours = Callable[[int], frozenset[int]]  # of a table those that it can be joined with, by their numbers


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits a budget."""

    tables: tuple[ContextTable, ...]
    named: tuple[Table, ...]  # known, and left out for want of room
    whole: bool  # every table of the leading database is there in full
    comments: Comments = FULL_COMMENTS


def fitting(found: Iterable[Unit], text: Callable[[Unit], str], *, budget: float) -> tuple[Unit, ...]:
    """Return the first of some units that fit a budget of tokens together."""
    chosen: list[Unit] = []
    for unit in found:
        budget -= tokens_of(text(unit)) + 1
        if budget < 0:
            break
        chosen.append(unit)
    return tuple(chosen)


def key_columns(table: Table) -> frozenset[str]:
    """Return the names of a table's columns that rows are found or joined by."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return frozenset(keys)


def pack(units: Packable, neighbours: Neighbours, spelling: Spelling, *, budget: float, values: bool = True) -> Packed:
    """Return which tables fit a budget of tokens, with the lines that say how they are joined.

    The columns of a ranked table are those that matter: they are written out even when not all are.
    """
    whole = [_full(context_table) for context_table in (*units.leading, *units.rest)]
    for comments, share in LEVELS if whole else ():
        sizes = _Sizes(spelling, values, neighbours, comments)
        kept = min(sum(sizes.of(rival) for rival in units.rivals), RIVAL_SHARE * budget)
        room = min(share * budget, budget - kept)
        taken = sizes.together(whole, room=room)
        if taken <= room:
            rivals = _chosen(units.rivals, sizes, room=budget - taken, first=whole)
            return Packed((*whole, *_by_database(rivals)), (), whole=True, comments=comments)
    sizes = _Sizes(spelling, values, neighbours, CUT)
    # Tables of rivals are chosen by rank too, and shown behind those of the leading database.
    by_rank = sorted((*units.leading, *units.rivals), key=lambda context_table: -context_table.score)
    chosen = {
        context_table.number: context_table
        for context_table in _chosen(by_rank, sizes, room=(1 - NAMES_SHARE) * budget)
    }
    shown = [chosen[context_table.number] for context_table in units.leading if context_table.number in chosen]
    shown += _by_database([chosen[rival.number] for rival in units.rivals if rival.number in chosen])
    named = [
        context_table.table for context_table in (*units.leading, *units.rest) if context_table.number not in chosen
    ]
    return Packed(tuple(shown), tuple(named[:NAMED]), whole=False, comments=CUT)


def _by_database(tables: Sequence[ContextTable]) -> list[ContextTable]:
    """Return tables database by database, that of the best first."""
    order = {name: place for place, name in enumerate(dict.fromkeys(table.table.name.database for table in tables))}
    return sorted(tables, key=lambda table: order[table.table.name.database])


class _Sizes:
    """The tokens that tables take, each with the lines that join it with others."""

    def __init__(self, spelling: Spelling, values: bool, neighbours: Neighbours, comments: Comments) -> None:
        self._spelling, self._values, self._neighbours = spelling, values, neighbours
        self._comments = comments
        self._known: dict[tuple[int, int], int] = {}

    def of(self, shown: ContextTable) -> int:
        """Return the tokens of a table with its columns."""
        key = shown.number, len(shown.columns)
        if key not in self._known:
            text = table_ddl(
                shown.table,
                self._spelling,
                columns=shown.columns,
                values=self._values,
                comments=self._comments,
                matching=shown.matching,
            )
            self._known[key] = tokens_of(text) + 1
        return self._known[key]

    def joins(self, table: ContextTable, others: Collection[int]) -> int:
        """Return the tokens of the joins between a table and others."""
        return JOIN_TOKENS * len(self._neighbours(table.number).intersection(others))

    def together(self, tables: Sequence[ContextTable], *, room: float) -> float:
        """Return the tokens of some tables and their joins; above the room, some number above it."""
        taken, numbers = 0.0, set[int]()
        for table in tables:
            taken += self.of(table) + self.joins(table, numbers)
            numbers.add(table.number)
            if taken > room:
                break
        return taken


def _full(table: ContextTable) -> ContextTable:
    return table if table.whole else replace(table, columns=table.table.columns)


def _chosen(
    ranked: Sequence[ContextTable], sizes: _Sizes, *, room: float, first: Sequence[ContextTable] = ()
) -> list[ContextTable]:
    """Return the first of some tables that have room behind those before them, in full where that has room too."""
    chosen: list[ContextTable] = []
    numbers = {context_table.number for context_table in first}
    for context_table in ranked:
        cost = sizes.of(context_table) + sizes.joins(context_table, numbers)
        if cost > room and chosen:
            break
        if cost <= room:
            chosen.append(context_table)
            numbers.add(context_table.number)
            room -= cost
    for position, context_table in enumerate(chosen):
        more = sizes.of(_full(context_table)) - sizes.of(context_table)
        if more <= room:
            chosen[position] = _full(context_table)
            room -= more
    return chosen
