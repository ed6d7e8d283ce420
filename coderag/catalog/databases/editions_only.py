"""Files that are not applied to the tables that only they create."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coderag.catalog.merge.model_merge import BOOKKEEPING, some
from coderag.catalog.replay.state import State
from coderag.sql.records import CreateTable, Drop, Name, ObjectKind, Rename, SchemaFile, SchemaProblem

__all__ = ["report_editions"]


def report_editions(state: State, editions: Iterable[SchemaFile]) -> None:
    """Report the tables that only editions for other dialects or of older states leave: the schema lacks them."""
    known = {key[2] for key in (*state.tables, *state.dropped)} | BOOKKEEPING
    left: dict[str, tuple[Name, str]] = {}
    for file in editions:
        for name, path in _made(file):
            left.setdefault(name.name.casefold(), (name, path))
    gone = {name.name.casefold() for file in editions for name in _taken(file)}
    only = [(name, path) for folded, (name, path) in left.items() if folded not in known | gone]
    if only:
        names = some(str(name) for name, _ in only)
        text = f"only files that are not applied, for another dialect or of an older state, create {names}"
        state.problems.append(SchemaProblem(only[0][1], 0, text))


def _made(file: SchemaFile) -> Iterator[tuple[Name, str]]:
    for operation in file.facts.operations:
        match operation:
            case CreateTable(table=table) if table.kind is ObjectKind.TABLE and not table.temporary:
                yield table.name, file.path
            case Rename(kind=ObjectKind.TABLE):
                yield operation.to, file.path
            case _:
                pass


def _taken(file: SchemaFile) -> Iterator[Name]:
    for operation in file.facts.operations:
        if isinstance(operation, (Drop, Rename)) and operation.kind is ObjectKind.TABLE:
            yield operation.name
