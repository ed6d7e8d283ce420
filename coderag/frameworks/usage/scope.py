"""The tables and columns that a builder names as the database does, aliases resolved, to one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from coderag.frameworks.usage.conditions import columns_in, named_column
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import table_name
from coderag.sql.in_code.records import Access, Statement, TableUse
from coderag.sql.records import ColumnUse, Name

__all__ = ["Scope"]


class Scope:
    """What one statement of a builder names."""

    __slots__ = ("aliases", "columns", "has_holes", "is_open", "named", "tables", "whole")

    def __init__(self) -> None:
        self.tables: dict[str, Access] = {}
        self.aliases: dict[str, str] = {}
        self.columns: dict[tuple[str, bool], None] = {}  # as written, and whether it is written to
        self.named: set[str] = set()  # names that the statement itself gives to expressions
        self.whole: set[str] = set()
        self.has_holes = False
        self.is_open = False  # its tables are named elsewhere: what is before a column is one of them

    def table(self, written: str, access: Access = Access.READ, *, schema: str = "") -> str:
        """Note a table, `users` or `users as u`, and return its name."""
        words = written.replace('"', "").replace("`", "").split()
        if not words or not words[0].replace(".", "").replace("_", "").replace("-", "").isalnum():
            self.has_holes = True
            return ""
        name = f"{schema}.{words[0]}" if schema else words[0]
        before = self.tables.get(name)
        if before is None or before is Access.READ:
            self.tables[name] = access
        for alias in (words[-1], words[0], words[0].rpartition(".")[2]):
            self.aliases.setdefault(alias.casefold(), name)
        return name

    def column(self, written: str, *, write: bool = False) -> None:
        """Note a column as it is written: "email", "u.email as mail", "created desc"."""
        parts = written.lower().split(" as ")
        if len(parts) == 2:
            self.named.add(parts[1].strip())
        if name := named_column(written):
            self.columns.setdefault((name, write))
        elif written.endswith(".*"):
            self.all_of(written.removesuffix(".*"))

    def every(self, written: Iterable[str], *, write: bool = False) -> None:
        """Note columns."""
        for one in written:
            self.column(one, write=write)

    def condition(self, text: str) -> None:
        """Note the columns of a piece of SQL."""
        for name in columns_in(text):
            self.columns.setdefault((name, False))

    def all_of(self, alias: str) -> None:
        """Note that all columns of a table are used."""
        if table := self.aliases.get(alias.casefold()):
            self.whole.add(table)

    def statement(self, code: CodeFile, node: Node, how: str) -> Iterator[Statement]:
        """Yield the statement, where it has a table."""
        if self.is_open:
            for written, _ in self.columns:
                if (holder := written.rpartition(".")[0]) and holder.casefold() not in self.aliases:
                    self.table(holder)
        if not self.tables and not self.has_holes:
            return
        used: dict[tuple[str, tuple[Name, ...], bool], None] = {}
        for written, write in self.columns:
            holder, _, name = written.rpartition(".")
            if not holder and (name.casefold() in self.named or self.is_open):
                continue
            tables = self._tables_of(holder, write=write)
            if tables:
                used.setdefault((name, tables, write))
        yield Statement(
            node.start_point[0],
            node.end_point[0],
            code.owner(node.start_byte),
            tuple(TableUse(table_name(one), access, whole=one in self.whole) for one, access in self.tables.items()),
            tuple(ColumnUse(*one) for one in used),
            holes=self.has_holes,
            how=how,
        )

    def _tables_of(self, holder: str, *, write: bool) -> tuple[Name, ...]:
        if holder:
            table = self.aliases.get(holder.casefold()) or self.aliases.get(holder.rpartition(".")[2].casefold())
            return (table_name(table),) if table else ()
        if write:
            changed = [one for one, access in self.tables.items() if access is not Access.READ]
            return tuple(map(table_name, changed or self.tables))
        return tuple(map(table_name, self.tables))
