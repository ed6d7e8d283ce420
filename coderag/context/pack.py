"""A ranking of tables to the context for a question: as much as a budget holds, the best in full.

When the whole schema fits, all of it is given: language models write better SQL from a whole schema than from any
selection of it. Above the budget tables are written out by rank, first with the columns that matter and their keys,
then in full as far as there is room; those that are left are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from coderag.context.ddl import Spelling, table_ddl
from coderag.sql.model import Column, Name, Table
from coderag.text.budget import tokens_of

__all__ = ["ContextJoin", "ContextTable", "Packed", "fitting", "key_columns", "pack"]

Unit = TypeVar("Unit")

NAMED = 40  # further tables, of the same databases, that are only named


@dataclass(frozen=True, slots=True)
class ContextTable:
    """A table of a context, with the columns to write out."""

    table: Table
    columns: tuple[Column, ...]
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    connecting: bool = False  # it is there because others are joined through it

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


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits a budget."""

    tables: tuple[ContextTable, ...]
    named: tuple[Table, ...]  # known, and left out for want of room
    left_out: int  # further tables, not even named
    complete: bool  # every table is there in full


def fitting(found: Iterable[Unit], text: Callable[[Unit], str], *, budget: float) -> tuple[Unit, ...]:
    """Return the first of some units that fit a budget of tokens together."""
    chosen: list[Unit] = []
    for one in found:
        budget -= tokens_of(text(one)) + 1
        if budget < 0:
            break
        chosen.append(one)
    return tuple(chosen)


def key_columns(table: Table) -> frozenset[str]:
    """Return the names of a table's columns that rows are found or joined by."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return frozenset(keys)


def pack(
    ranked: Sequence[ContextTable], others: Iterator[Table], spelling: Spelling, *, budget: int, values: bool = True
) -> Packed:
    """Return what of some ranked tables and of all the others, in this order, fits a budget of tokens.

    The columns of a ranked table are those that matter: they are written out even when not all are.
    """

    def size(table: Table, columns: Sequence[Column] | None = None) -> int:
        return tokens_of(table_ddl(table, spelling, columns=columns, values=values)) + 1

    rest: list[Table] = []
    total = sum(size(one.table) for one in ranked)
    for table in others:
        rest.append(table)
        if total <= budget:
            total += size(table)
    if total <= budget:
        whole = [replace(one, columns=one.table.columns) for one in ranked]
        whole += [ContextTable(table, table.columns) for table in rest]
        return Packed(tuple(whole), (), 0, complete=True)
    room = budget
    chosen: list[ContextTable] = []
    for one in ranked:
        cost = size(one.table, one.columns)
        if cost > room and chosen:
            break
        chosen.append(one)
        room -= cost
    for position, one in enumerate(chosen):
        more = size(one.table) - size(one.table, one.columns)
        if more <= room:
            chosen[position] = replace(one, columns=one.table.columns)
            room -= more
    left = [one.table for one in ranked[len(chosen) :]] + rest
    databases = {one.table.name.database for one in chosen}
    named = [table for table in left if table.name.database in databases][:NAMED]
    return Packed(tuple(chosen), tuple(named), len(left) - len(named), complete=False)
