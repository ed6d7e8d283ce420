"""Names of columns, as statements and keys write them, to the columns of some tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coderag.sql.records import Table

__all__ = ["ColumnLookup"]


class ColumnLookup:
    """The columns of some tables by their names; they are numbered over all tables, in order."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._names: list[str] = []
        self._exact: dict[tuple[int, str], int] = {}
        self._folded: dict[tuple[int, str], int] = {}
        for table, record in enumerate(tables):
            for column in record.columns:
                # In a database that tells cases apart a table may have `id`, `ID` and, read twice, another `id`.
                self._exact.setdefault((table, column.name), len(self._names))
                self._folded.setdefault((table, column.name.casefold()), len(self._names))
                self._names.append(column.name)

    def __len__(self) -> int:
        """Return how many columns there are."""
        return len(self._names)

    def find(self, table: int, name: str) -> int | None:
        """Return the number of a table's column of a name: spelled so, else the first that is in any case."""
        number = self._exact.get((table, name))
        return self._folded.get((table, name.casefold())) if number is None else number

    def found(self, table: int, names: Iterable[str]) -> list[int]:
        """Return the numbers of a table's columns of some names, without those that it lacks."""
        numbers = (self.find(table, name) for name in names)
        return [number for number in numbers if number is not None]

    def spelled(self, table: int, name: str) -> str | None:
        """Return a column's name as its table has it, None if the table lacks it."""
        number = self.find(table, name)
        return None if number is None else self._names[number]
