"""Parameters that name tables and columns, and the calls that say which: insert("users", {"email": e}) to users.email.

    def insert(self, table, row):                       one that names a table, one whose keys are its columns
        self.execute(f"INSERT INTO {table} ({', '.join(row)}) ...", row)
    def add_user(self, email):                          writes users and users.email, through insert
        self.insert("users", {"email": email})

A function that hands its own parameters on is followed too, a few calls far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from coderag.graph.files import LinkedFile
from coderag.graph.queries.data_access import Names
from coderag.sql.in_code.records import Access, Handed

__all__ = ["NamedTable", "named_tables"]

MAX_STEPS = 3  # functions that hand a parameter on, one to the next
SURE = 1  # most candidates of a call that is followed: it is resolved, or nothing else has its name
ANY_SHIFT = -1  # of an argument that is given by its name
Definition = tuple[int, int]  # the number of a file, and the position among its definitions


class NamedTable(NamedTuple):
    """A call that says what table a function uses, or what columns of it."""

    file: int
    owner: int  # the definition that has the call
    row: int
    table: str
    access: Access
    columns: tuple[str, ...] = ()
    candidates: int = 0  # how sure the way from the call to the statement is, as of an edge


class _Use(NamedTuple):
    """What a function does to the table that a parameter names, or to columns that one names of some table."""

    name: str  # of the parameter
    position: int
    access: Access
    is_column: bool = False
    table: str = ""  # whose columns they are, or the parameter that names it
    table_parameter: str = ""
    candidates: int = 0


class _Call(NamedTuple):
    """A call with those of its arguments that are words, or parameters of the function around."""

    file: int
    callee: str
    arguments: tuple[Handed, ...]

    @property
    def owner(self) -> int:
        """The definition that has the call: parameters may be of one around it."""
        return max(one.owner for one in self.arguments)


class _Given(NamedTuple):
    """An argument that a used parameter gets; for one of columns also what names their table."""

    use: _Use
    argument: Handed
    table: str = ""
    table_parameter: str = ""
    candidates: int = 0


_Uses = dict[Definition, dict[_Use, None]]
_Calls = Mapping[str, Sequence[_Call]]  # by the last part of what is called


def named_tables(files: Sequence[LinkedFile], names: Names) -> Iterator[NamedTable]:
    """Yield the calls that name the tables and columns which functions use, in the order of files."""
    uses: _Uses = {}
    for number, file in enumerate(files):
        for table in file.links.uses.parameters:
            use = _Use(table.name, table.position, table.access)
            uses.setdefault((number, table.owner), {})[use] = None
        for one in file.links.uses.column_parameters:
            access = Access.WRITE if one.write else Access.READ
            use = _Use(one.name, one.position, access, True, one.table, one.table_parameter)
            uses.setdefault((number, one.owner), {})[use] = None
    if not uses:
        return
    calls = [call for number, file in enumerate(files) for call in _calls_of(number, file)]
    _follow(uses, files, names, calls)
    wanted = _called(files, uses)
    for call in calls:
        if _last(call.callee) in wanted:
            yield from _named(uses, names, call)


def _calls_of(number: int, file: LinkedFile) -> Iterator[_Call]:
    for (_, callee, _), arguments in groupby(file.links.uses.handed, _call_key):
        yield _Call(number, callee, tuple(arguments))


def _call_key(one: Handed) -> tuple[int, str, bool]:
    return one.row, one.callee, one.is_behind


def _follow(uses: _Uses, files: Sequence[LinkedFile], names: Names, calls: Iterable[_Call]) -> None:
    """Add the functions that hand a parameter on to one that names a table or columns."""
    passing: dict[str, list[_Call]] = {}
    for call in calls:
        if call.owner >= 0 and any(one.parameter for one in call.arguments):
            passing.setdefault(_last(call.callee), []).append(call)
    wanted = _called(files, uses)
    for _ in range(MAX_STEPS):
        added = list(_handed_on(uses, names, passing, wanted))
        wanted = _called(files, (definition for definition, use in added if use not in uses.get(definition, ())))
        for definition, use in added:
            uses.setdefault(definition, {})[use] = None
        if not wanted:
            return


def _handed_on(uses: _Uses, names: Names, passing: _Calls, wanted: Iterable[str]) -> Iterator[tuple[Definition, _Use]]:
    for name in sorted(wanted):
        for call in passing.get(name, ()):
            for one in _given(uses, names, call):
                argument = one.argument
                if argument.parameter:
                    use = one.use._replace(
                        name=argument.parameter,
                        position=argument.parameter_position,
                        table=one.table,
                        table_parameter=one.table_parameter,
                        candidates=one.candidates,
                    )
                    yield (call.file, argument.owner), use


def _named(uses: _Uses, names: Names, call: _Call) -> Iterator[NamedTable]:
    """Yield what a call says in words of the tables and columns that it uses, each once."""
    found: dict[NamedTable, int] = {}
    for one in _given(uses, names, call):
        words = one.argument.words or ((one.argument.text,) if one.argument.text else ())
        if one.use.is_column:
            table, columns = one.table, words
        else:
            table, columns = one.argument.text, ()
        if table and words:
            named = NamedTable(call.file, call.owner, one.argument.row, table, one.use.access, columns)
            found[named] = min(one.candidates, found.get(named, one.candidates))
    for named, candidates in found.items():
        yield named._replace(candidates=candidates)


def _given(uses: _Uses, names: Names, call: _Call) -> Iterator[_Given]:
    """Yield the arguments of a call that parameters with a use get."""
    found = names.definitions_of(call.file, call.owner, call.callee)
    if found.candidates > SURE:
        return
    for definition in found.definitions:
        own = uses.get(definition, {})
        for use in own:
            candidates = max(found.candidates, use.candidates)
            for argument in call.arguments:
                if (shift := _shift(use, argument)) is None:
                    continue
                if not use.table_parameter:
                    yield _Given(use, argument, use.table, candidates=candidates)
                elif (table := _table_given(own, use, call, shift)) is not None:
                    yield _Given(use, argument, table.text, table.parameter, candidates)


def _table_given(own: Iterable[_Use], column: _Use, call: _Call, shift: int) -> Handed | None:
    """Return the argument that names the table of columns."""
    for use in own:
        if use.is_column or use.name != column.table_parameter:
            continue
        for argument in call.arguments:
            other = _shift(use, argument)
            if other is not None and (argument.text or argument.parameter) and _agree(shift, other):
                return argument
    return None


def _agree(shift: int, other: int) -> bool:
    return shift == other or ANY_SHIFT in (shift, other)


def _shift(use: _Use, handed: Handed) -> int | None:
    """Return how far before the parameter that it is for an argument stands; None for one that is for another.

    What calls a function that it is given often puts a connection before the arguments: run(self.insert_txn, "users").
    Of a parameter that is handed on there the name has to agree, since every argument may be meant.
    """
    if handed.name:
        return ANY_SHIFT if handed.name == use.name else None
    if not handed.is_behind:
        return 0 if handed.position == use.position else None
    is_alike = not handed.parameter or handed.parameter == use.name
    shift = use.position - handed.position
    return shift if is_alike and shift in (0, 1) else None


def _called(files: Sequence[LinkedFile], definitions: Iterable[Definition]) -> frozenset[str]:
    """Return the names of definitions."""
    return frozenset(files[number].links.definitions[owner].name for number, owner in definitions)


def _last(callee: str) -> str:
    return callee.rpartition(".")[2]
