"""Parameters of functions that become tables, columns or whole statements of the SQL in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from coderag.sql.in_code.handed import RECEIVERS
from coderag.sql.in_code.hole_parameters import parameters_in
from coderag.sql.in_code.placeholders import Masked
from coderag.sql.in_code.records import ColumnParameter, StatementParameter, TableParameter
from coderag.sql.in_code.statements import ReadSql
from coderag.syntax.outline import Outline
from coderag.syntax.trees.local_names import Names
from coderag.syntax.trees.local_scopes import Scope

__all__ = ["SqlParameters"]

MAX_AROUND = 3  # functions around a statement whose parameters may be in it


class SqlParameters:
    """The parameters of a file's functions that were found so far."""

    def __init__(self, outline: Outline, names: Names, owner: Callable[[int], int]) -> None:
        self._definitions = outline.definitions
        self._names = names
        self._owner = owner
        self._tables: dict[TableParameter, None] = {}
        self._columns: dict[ColumnParameter, None] = {}
        self._statements: dict[StatementParameter, None] = {}

    @property
    def tables(self) -> tuple[TableParameter, ...]:
        """Those that name tables."""
        return tuple(self._tables)

    @property
    def columns(self) -> tuple[ColumnParameter, ...]:
        """Those that become columns."""
        return tuple(self._columns)

    @property
    def statements(self) -> tuple[StatementParameter, ...]:
        """Those that are run."""
        return tuple(self._statements)

    def add(self, sql: Masked, read: ReadSql, around: Iterable[Scope]) -> None:
        """Note the parameters in a statement; `around` are the scopes that it stands in, innermost first."""
        if not read.parameters and not sql.columns:
            return
        functions = [scope for scope in around if scope.kind == "function"]
        named = {sql.parameters[number]: access for number, access in read.parameters}
        for hole, access in named.items():
            for function in functions:
                if function.node.start_byte == hole.start and (place := self._place(function, hole.parameter)):
                    self._tables[TableParameter(*place, access)] = None
        tables = {(str(use.table), "") for use in read.tables} | {("", hole.parameter) for hole in named}
        if len(tables) != 1 or (read.holes and not named):
            return  # of which table a column is, nobody knows
        [(table, parameter)] = tables
        for hole, write in sql.columns:
            for function in functions[:MAX_AROUND]:
                for name in parameters_in(hole, self._names, function):
                    if name != parameter and (place := self._place(function, name)):
                        self._columns[ColumnParameter(*place, write, table, parameter)] = None

    def add_statement(self, name: str, function: Scope) -> None:
        """Note a parameter that a function runs."""
        if place := self._place(function, name):
            self._statements[StatementParameter(*place)] = None

    def _place(self, function: Scope, name: str) -> tuple[int, str, int] | None:
        """Return the definition of a function, and the name and position of its parameter; None for one unknown."""
        owner = self._owner(function.node.start_byte)
        given = [parameter for parameter in function.parameters if parameter not in RECEIVERS]
        if owner < 0 or self._definitions[owner].name != function.name or name not in given:
            return None
        return owner, name, given.index(name)
