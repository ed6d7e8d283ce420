"""A new name of a table or column to everything that is known to use the old one."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from coderag.sql.records import ColumnUse, Join, Name, Table
from coderag.sql.statements.names import key_of

__all__ = ["renamed_to", "renaming", "same_as", "with_renamed_column", "with_renamed_table"]


def renaming(name: str, to: str) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    """Return a function that renames a column in a key."""
    folded = name.casefold()
    return lambda key: tuple(to if one.casefold() == folded else one for one in key) if key else key


def same_as(name: Name) -> Callable[[Name], bool]:
    """Return whether a name written elsewhere means this table."""
    database, schema, folded = key_of(name)

    def same(other: Name) -> bool:
        if other.name.casefold() != folded:
            return False
        other_database, other_schema, _ = key_of(other)
        return other_schema in (schema, "") and other_database in (database, "")

    return same


def renamed_to(written: Name, to: Name) -> Name:
    """Return a table's new name with as many parts as the old one was written with."""
    return Name(to.name, to.schema if written.schema else "", to.database if written.database else "")


def with_renamed_table(view: Table, same: Callable[[Name], bool], to: Name) -> Table:
    """Return a view with another name for a table that it reads."""

    def renamed(name: Name) -> Name:
        return renamed_to(name, to) if same(name) else name

    def of_column(use: ColumnUse) -> ColumnUse:
        return replace(use, tables=tuple(map(renamed, use.tables)))

    usage = replace(
        view.usage,
        reads=tuple(map(renamed, view.usage.reads)),
        writes=tuple(map(renamed, view.usage.writes)),
        columns=tuple(map(of_column, view.usage.columns)),
        joins=tuple(replace(join, left=renamed(join.left), right=renamed(join.right)) for join in view.usage.joins),
    )
    lineage = tuple(replace(line, sources=tuple(map(of_column, line.sources))) for line in view.lineage)
    return replace(view, usage=usage, lineage=lineage)


def with_renamed_column(view: Table, same: Callable[[Name], bool], column: str, to: str) -> Table:
    """Return a view with another name for a column of a table that it reads."""
    renamed = renaming(column, to)
    folded = column.casefold()

    def of_column(use: ColumnUse) -> ColumnUse:
        return replace(use, column=to) if use.column.casefold() == folded and any(map(same, use.tables)) else use

    def of_join(join: Join) -> Join:
        left = renamed(join.left_columns) if same(join.left) else join.left_columns
        right = renamed(join.right_columns) if same(join.right) else join.right_columns
        return replace(join, left_columns=left, right_columns=right)

    usage = replace(
        view.usage,
        columns=tuple(map(of_column, view.usage.columns)),
        joins=tuple(map(of_join, view.usage.joins)),
    )
    lineage = tuple(replace(line, sources=tuple(map(of_column, line.sources))) for line in view.lineage)
    return replace(view, usage=usage, lineage=lineage)
