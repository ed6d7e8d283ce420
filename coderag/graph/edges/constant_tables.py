"""Tables that statements name by a constant, `Task.TABLE`, to what the constant holds, in whichever file it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from coderag.graph.files import LinkedFile
from coderag.graph.queries.data_access import Names
from coderag.sql.in_code.records import Statement
from coderag.sql.records import Name

__all__ = ["ConstantTables"]


class ConstantTables:
    """The words that the constants of all files hold."""

    def __init__(self, files: Sequence[LinkedFile], names: Names) -> None:
        self._names = names
        self._texts = {
            (number, constant.owner): constant.text
            for number, file in enumerate(files)
            for constant in file.links.uses.texts
        }
        self._known: dict[tuple[int, int, str], Name | None] = {}

    def named(self, file: int, statement: Statement) -> Statement:
        """Return a statement with the names that its constants hold; a table by an unknown one is a hole."""
        if not statement.constants:
            return statement
        names = {
            Name(*reversed(constant.rpartition(".")[::2])): self._table(file, statement.owner, constant)
            for constant in statement.constants
        }
        tables = tuple(
            replace(use, table=table)
            for use in statement.tables
            if (table := names.get(use.table, use.table)) is not None
        )
        return replace(
            statement,
            tables=tables,
            columns=tuple(replace(use, tables=held) for use in statement.columns if (held := _held(use.tables, names))),
            holes=statement.holes or (statement.sure and len(tables) < len(statement.tables)),
        )

    def _table(self, file: int, owner: int, constant: str) -> Name | None:
        """Return the table that a constant holds; None where that is unknown, or one of several."""
        key = file, owner, constant
        if key not in self._known:
            found = self._names.definitions_of(file, owner, constant)
            texts = {self._texts.get(definition, "") for definition in found.definitions}
            text = texts.pop() if len(texts) == 1 and not found.candidates else ""
            self._known[key] = Name(*reversed(text.rpartition(".")[::2])) if text else None
        return self._known[key]


def _held(tables: Sequence[Name], names: Mapping[Name, Name | None]) -> tuple[Name, ...]:
    return tuple(table for name in tables if (table := names.get(name, name)) is not None)
