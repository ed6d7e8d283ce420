"""Parameters that name tables, and the calls that say which: insert("users") to the table users.

    def insert(self, table, row):                       a parameter that names a table
        self.execute(f"INSERT INTO {table} ...", row)
    def add_user(self, row):                            writes users, through insert
        self.insert("users", row)

A function that hands its own parameter on is followed too, a few calls far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from coderag.graph.files import LinkedFile
from coderag.graph.queries.data_access import Names
from coderag.sql.in_code.records import Access, Handed

__all__ = ["NamedTable", "named_tables"]

MAX_STEPS = 3  # functions that hand a parameter on, one to the next
SURE = 1  # most candidates of a call that is followed: it is resolved, or nothing else has its name
Definition = tuple[int, int]  # the number of a file, and the position among its definitions


class NamedTable(NamedTuple):
    """A call that says what table a function uses."""

    file: int
    handed: Handed
    access: Access
    candidates: int  # how sure the way from the call to the statement is, as of an edge


class _Use(NamedTuple):
    """What a function does to the table that a parameter names."""

    name: str  # of the parameter
    position: int
    access: Access
    candidates: int = 0


_Uses = dict[Definition, dict[_Use, None]]
_Calls = Mapping[str, Sequence[tuple[int, Handed]]]  # by the last part of what is called


def named_tables(files: Sequence[LinkedFile], names: Names) -> Iterator[NamedTable]:
    """Yield the calls that name the table which a function uses, in the order of files."""
    uses: _Uses = {}
    for number, file in enumerate(files):
        for one in file.links.uses.parameters:
            uses.setdefault((number, one.owner), {})[_Use(one.name, one.position, one.access)] = None
    if not uses:
        return
    _follow(uses, files, names)
    wanted = _called(files, uses)
    for number, file in enumerate(files):
        for handed in file.links.uses.handed:
            if handed.text and _last(handed.callee) in wanted:
                for access, candidates in _accesses(uses, names, number, handed).items():
                    yield NamedTable(number, handed, access, candidates)


def _follow(uses: _Uses, files: Sequence[LinkedFile], names: Names) -> None:
    """Add the functions that hand a parameter on to one that names a table."""
    passing: dict[str, list[tuple[int, Handed]]] = {}
    for number, file in enumerate(files):
        for handed in file.links.uses.handed:
            if handed.parameter and handed.owner >= 0:
                passing.setdefault(_last(handed.callee), []).append((number, handed))
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
        for number, handed in passing.get(name, ()):
            for access, candidates in _accesses(uses, names, number, handed).items():
                use = _Use(handed.parameter, handed.parameter_position, access, candidates)
                yield (number, handed.owner), use


def _accesses(uses: _Uses, names: Names, file: int, handed: Handed) -> dict[Access, int]:
    """Return what a call does to the table that one of its arguments names, each with its candidates."""
    found = names.definitions_of(file, handed.owner, handed.callee)
    accesses: dict[Access, int] = {}
    if found.candidates > SURE:
        return accesses
    for definition in found.definitions:
        for use in uses.get(definition, ()):
            if _is_given(use, handed):
                candidates = max(found.candidates, use.candidates)
                accesses[use.access] = min(candidates, accesses.get(use.access, candidates))
    return accesses


def _is_given(use: _Use, handed: Handed) -> bool:
    """Tell whether an argument is what a parameter gets.

    What calls a function that it is given often puts a connection before the arguments: run(self.insert_txn, "users").
    Of a parameter that is handed on there the name has to agree, since every argument may be meant.
    """
    if handed.name:
        return handed.name == use.name
    if not handed.is_behind:
        return handed.position == use.position
    is_alike = not handed.parameter or handed.parameter == use.name
    return is_alike and use.position - handed.position in (0, 1)


def _called(files: Sequence[LinkedFile], definitions: Iterable[Definition]) -> frozenset[str]:
    """Return the names of definitions."""
    return frozenset(files[number].links.definitions[owner].name for number, owner in definitions)


def _last(callee: str) -> str:
    return callee.rpartition(".")[2]
