"""The schema context for a question, as a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coderag.search.context.ddl import FULL_COMMENTS, Comments, Spelling
from coderag.search.context.pack import ContextJoin, ContextTable
from coderag.search.context.scope import NamedDatabase
from coderag.sql.records import Definition, ExampleQuery, Table
from coderag.sql.statements.dialect import Dialect

__all__ = ["Context"]


@dataclass(frozen=True, slots=True)
class Context:
    """The tables of a question with all that a program needs to write SQL for it, the best first."""

    question: str
    sql_dialect: Dialect
    tables: tuple[ContextTable, ...]
    pitfalls: tuple[str, ...] = ()  # of this dialect
    joins: tuple[ContextJoin, ...] = ()  # between these tables
    queries: tuple[ExampleQuery, ...] = ()
    definitions: tuple[Definition, ...] = ()
    named: tuple[Table, ...] = ()  # further tables of the same databases, for which there was no room
    brief: bool = False  # their names alone, without their labels
    left_out: int = 0  # further ones, not even named
    complete: bool = False  # every table of the shown databases is there in full
    columns: tuple[tuple[Table, str], ...] = ()  # that the question is about, the best first
    leading: str = ""  # the database that the question is about
    whole: bool = False  # every table of that database is there in full
    sizes: Mapping[str, int] = field(default_factory=dict)  # how many tables each database has
    others: tuple[NamedDatabase, ...] = ()  # databases that are not shown, the best first
    others_left_out: int = 0  # further ones, not even named
    matched: bool = True  # a table, example query or definition holds a word of the question
    comments: Comments = FULL_COMMENTS  # how much of them is shown
    budget: int = 8000  # tokens that no text of it exceeds

    @property
    def dialect(self) -> str:
        """The name of the dialect to write."""
        return self.sql_dialect.name

    @property
    def spelling(self) -> Spelling:
        """How its names are written."""
        return Spelling.of(self.sql_dialect, [*(table.table for table in self.tables), *self.named])
