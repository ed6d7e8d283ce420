"""A table while operations change it, and the record that it becomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from coderag.catalog.replay.renames import renaming
from coderag.sql.records import AlterColumn, Change, Column, ForeignKey, Name, Source, Table

__all__ = ["MutableTable", "altered", "joined_comment", "same_columns", "same_key"]

Columns = tuple[str, ...]


def joined_comment(first: str, second: str) -> str:
    """Return two comments as one; what one says already is not said twice."""
    if not first or first in second:
        return second
    return first if not second or second in first else f"{first}\n{second}"


def same_columns(first: Iterable[Column], second: Iterable[Column]) -> bool:
    """Tell whether two lists of columns have the same names, in any order."""
    return {column.name.casefold() for column in first} == {column.name.casefold() for column in second}


class MutableTable:
    """A table or view in the making; columns are found without regard to case."""

    __slots__ = (
        "alias",
        "checks",
        "columns",
        "comment",
        "constraints",
        "declared",
        "folded",
        "foreign_keys",
        "history",
        "name",
        "primary_key",
        "record",
        "sources",
        "unique",
    )

    def __init__(self, table: Table, name: Name, declared: Source) -> None:
        self.name = name
        self.record = table  # what no operation changes one by one
        self.declared = declared
        self.columns: dict[str, Column] = {}
        self.folded: dict[str, str] = {}
        for column in table.columns:
            self.columns.setdefault(column.name, column)
            self.folded.setdefault(column.name.casefold(), column.name)
        self.primary_key = table.primary_key
        self.unique = list(dict.fromkeys(table.unique))
        self.foreign_keys: list[ForeignKey] = []
        for key in table.foreign_keys:
            self.add_foreign_key(key)
        self.checks = list(table.checks)
        self.comment = table.comment
        self.alias = table.alias
        self.constraints: dict[str, tuple[str, Columns]] = {}  # name -> kind and columns, or the check's text
        self.sources: dict[Source, None] = {declared: None}
        self.history: list[Change] = []

    def column(self, name: str) -> Column | None:
        """Return the column of a name, None if there is none."""
        found = self.columns.get(name)
        if found is None and (exact := self.folded.get(name.casefold())) is not None:
            return self.columns[exact]
        return found

    def add(self, column: Column, after: str | None = None) -> None:
        """Add a column: at the end, at the front ("") or behind another."""
        self.folded.setdefault(column.name.casefold(), column.name)
        before = self.column(after) if after else None
        if after is None or (after and before is None):
            self.columns[column.name] = column
            return
        columns: dict[str, Column] = {} if before else {column.name: column}
        for name, one in self.columns.items():
            columns[name] = one
            if one is before:
                columns[column.name] = column
        self.columns = columns

    def put(self, column: Column) -> None:
        """Put a changed column in the place of the one of its name."""
        self.columns[column.name] = column

    def drop(self, column: Column) -> None:
        """Drop a column, and the keys and checks that need it."""
        del self.columns[column.name]
        self._forget(column.name)
        dropped = column.name.casefold()

        def keeps(columns: Sequence[str]) -> bool:
            return dropped not in map(str.casefold, columns)

        self.primary_key = tuple(one for one in self.primary_key if one.casefold() != dropped)
        self.unique = [one for one in self.unique if keeps(one)]
        self.foreign_keys = [foreign_key for foreign_key in self.foreign_keys if keeps(foreign_key.columns)]
        if self.checks:
            word = _word(column.name)
            self.checks = [check for check in self.checks if not word.search(check)]

    def rename(self, column: Column, to: str) -> None:
        """Rename a column, in the keys and checks too."""
        self.columns = {to if name == column.name else name: one for name, one in self.columns.items()}
        self.columns[to] = replace(column, name=to)
        self._forget(column.name)
        self.folded.setdefault(to.casefold(), to)
        renamed = renaming(column.name, to)
        self.primary_key = renamed(self.primary_key)
        self.unique = [renamed(one) for one in self.unique]
        self.foreign_keys = [
            replace(foreign_key, columns=renamed(foreign_key.columns)) for foreign_key in self.foreign_keys
        ]
        word = _word(column.name)
        self.checks = [word.sub(lambda _: to, check) for check in self.checks]
        self.constraints = {
            name: (kind, key if kind == "check" else renamed(key)) for name, (kind, key) in self.constraints.items()
        }

    def _forget(self, name: str) -> None:
        if self.folded.get(name.casefold()) == name:
            del self.folded[name.casefold()]

    def take_over(self, other: MutableTable) -> None:
        """Take the history of a table that this one replaces, and comments that are not given again."""
        self.history = [*other.history, *self.history]
        self.sources = {**self.sources, **other.sources}
        self.comment = self.comment or other.comment
        for column in other.columns.values():
            mine = self.column(column.name)
            if mine is not None and column.comment and not mine.comment:
                self.put(replace(mine, comment=column.comment))

    def set_primary_key(self, columns: Columns) -> None:
        """Make columns the primary key, so that they may not be null."""
        self.primary_key = columns
        for name in columns:
            column = self.column(name)
            if column is not None and column.nullable:
                self.put(replace(column, nullable=False))

    def take_index(self, name: str) -> Columns:
        """Return the columns of a unique index, which is no longer one by itself; none where it is not known."""
        known = next((constraint for constraint in self.constraints if constraint.casefold() == name.casefold()), None)
        if known is None or self.constraints[known][0] != "unique":
            return ()
        _, columns = self.constraints.pop(known)
        self.unique = [one for one in self.unique if one != columns]
        return columns

    def add_unique(self, columns: Columns) -> None:
        """Add a unique key that is not there yet."""
        if columns not in self.unique:
            self.unique.append(columns)

    def add_foreign_key(self, key: ForeignKey) -> None:
        """Add a foreign key; one that is known without its name or columns is replaced."""
        for position, foreign_key in enumerate(self.foreign_keys):
            if same_key(foreign_key, key):
                known = foreign_key if foreign_key.referenced or not key.referenced else key
                self.foreign_keys[position] = replace(known, name=foreign_key.name or key.name)
                return
        self.foreign_keys.append(key)

    def drop_constraint(self, name: str, *, stated: bool = False) -> bool:
        """Drop the constraint of a name, also one that a database names so by itself; tell whether it was known.

        With `stated` it has to be one that was given this name.
        """
        folded = name.casefold()
        known = next((constraint for constraint in self.constraints if constraint.casefold() == folded), None)
        if known is not None:
            return self._drop(*self.constraints.pop(known))
        if stated:
            return False
        for position, key in enumerate(self.foreign_keys):
            if key.name.casefold() == folded:
                del self.foreign_keys[position]
                return True
        return self._drop_by_default_name(folded)

    def _drop_by_default_name(self, folded: str) -> bool:
        """Drop what PostgreSQL or MySQL would have given that name: shop_pkey, shop_email_key, shop_owner_fkey.

        The name of a table that is renamed later stays in the names of its constraints.
        """
        if (folded.endswith("_pkey") or folded.startswith("pk_") or folded == "primary") and self.primary_key:
            return self._drop("primary key", ())
        for columns in self.unique:
            joined = "_".join(columns).casefold()
            if folded.endswith((f"_{joined}_key", f"_{joined}")) or folded == columns[0].casefold():
                return self._drop("unique", columns)
        for key in self.foreign_keys:
            joined = "_".join(key.columns).casefold()
            if not key.name and folded.endswith((f"_{joined}_fkey", f"_{joined}")):
                self.foreign_keys.remove(key)
                return True
        for check in self.checks:
            words = {word.casefold() for word in re.findall(r"\w+", check)}
            if any(
                folded.endswith(f"_{column.casefold()}_check") for column in self.columns if column.casefold() in words
            ):
                return self._drop("check", (check,))
        return False

    def drop_key(self, columns: Sequence[str]) -> bool:
        """Drop the foreign keys and unique keys of exactly these columns; tell whether there was one."""
        wanted = [column.casefold() for column in columns]
        before = len(self.foreign_keys) + len(self.unique)
        self.foreign_keys = [
            foreign_key for foreign_key in self.foreign_keys if [*map(str.casefold, foreign_key.columns)] != wanted
        ]
        self.unique = [one for one in self.unique if [*map(str.casefold, one)] != wanted]
        return len(self.foreign_keys) + len(self.unique) < before

    def _drop(self, kind: str, key: Columns) -> bool:
        match kind:
            case "primary key":
                self.primary_key = ()
            case "unique":
                self.unique = [one for one in self.unique if one != key]
            case "check":
                self.checks = [check for check in self.checks if check != key[0]]
            case _:
                self.drop_key(key)
        return True

    def to_record(self, changes: Callable[[MutableTable], dict[str, object]] | None = None) -> Table:
        """Return the table as a record; `changes` gives fields that are to differ."""
        fields: dict[str, object] = {
            "name": self.name,
            "columns": tuple(self.columns.values()),
            "primary_key": self.primary_key,
            "unique": tuple(self.unique),
            "foreign_keys": tuple(self.foreign_keys),
            "checks": tuple(self.checks),
            "comment": self.comment,
            "alias": self.alias,
            "sources": tuple(self.sources),
            "history": tuple(self.history),
        }
        return replace(self.record, **fields | (changes(self) if changes else {}))


def same_key(first: ForeignKey, second: ForeignKey) -> bool:
    """Tell whether two foreign keys say the same."""
    return (
        [*map(str.casefold, first.columns)] == [*map(str.casefold, second.columns)]
        and first.table.name.casefold() == second.table.name.casefold()
        and (
            not first.referenced
            or not second.referenced
            or [*map(str.casefold, first.referenced)] == [*map(str.casefold, second.referenced)]
        )
    )


def altered(column: Column, operation: AlterColumn) -> tuple[Column, str]:
    """Return a column after a change, and the change in words; known values alone are not a change."""
    fields = {
        field: value
        for field in ("type", "nullable", "default", "comment", "values", "identity")
        if (value := getattr(operation, field)) is not None
    }
    words = []
    if operation.type is not None:
        words.append(f"type {operation.type}")
    if operation.nullable is not None:
        words.append("may be null" if operation.nullable else "not null")
    if operation.default is not None:
        words.append(f"default {operation.default}" if operation.default else "no default")
    if operation.identity is not None:
        words.append("numbers itself" if operation.identity else "no longer numbers itself")
    if operation.comment is not None:
        words.append("comment")
    return replace(column, **fields), ", ".join(words)


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w){re.escape(name)}(?!\w)")
