"""Facts of the files of a project, with what models have of classes and functions that other files define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from coderag.sql.records import (
    AddColumn,
    AlterColumn,
    Column,
    CreateTable,
    Describe,
    Facts,
    FieldKind,
    Heir,
    Mixin,
    Name,
    SchemaFile,
    SchemaOperation,
    Source,
    Table,
    Unparsed,
)

__all__ = ["Definitions", "awaits_others", "lost_statements", "with_shared"]

T = TypeVar("T")
AWAITED = ("the columns of ", " are in another file")  # around the name of a class
MAX_BASES = 12  # classes one above the other


def with_shared(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which columns are what the classes of their fields say, wherever these are defined."""
    kinds = Definitions((file.path, kind.name, kind) for file in files for kind in _kinds(file))
    schema_files = [_with_kinds(file, kinds) for file in files] if kinds else list(files)
    mixins = Definitions((file.path, mixin.table.name.name, mixin) for file in schema_files for mixin in _mixins(file))
    return [_with_mixins(file, mixins) for file in schema_files] if mixins else schema_files


def lost_statements(facts: Sequence[tuple[str, Facts]]) -> Iterator[tuple[str, Unparsed]]:
    """Yield what could not be read, by path; not the columns of a base that another of the files defines."""
    names = {mixin.table.name.name for _, found in facts if found.shared is not None for mixin in found.shared.mixins}
    defined = {_reason(name) for name in names}
    yield from (
        (path, unparsed) for path, found in facts for unparsed in found.unparsed if unparsed.reason not in defined
    )


def awaits_others(statement: Unparsed) -> bool:
    """Tell whether another file may have what a statement lacks, as `lost_statements` finds out."""
    return statement.reason.startswith(AWAITED[0]) and statement.reason.endswith(AWAITED[1])


def _reason(base: str) -> str:
    return f"{AWAITED[0]}{base.rpartition('.')[2]}{AWAITED[1]}"


class Definitions(Generic[T]):
    """What files define, by its name."""

    def __init__(self, found: Iterable[tuple[str, str, T]]) -> None:
        self._by_name: dict[str, list[tuple[str, T]]] = {}
        for path, name, one in found:
            self._by_name.setdefault(name, []).append((path, one))

    def __bool__(self) -> bool:
        """Tell whether anything is defined."""
        return bool(self._by_name)

    def find(self, dotted: str, *, path: str) -> tuple[str, T] | None:
        """Return what a name with dots means in a file, with the path of the file that defines it.

        A package may give away what a module in it defines: then the file counts whose path has most parts of the name.
        None where no file defines it, or several may.
        """
        *modules, name = _absolute(dotted, path)
        ranked = sorted(
            (
                (_likeness(tuple(modules), one[0]), _common(path.split("/"), one[0].split("/")), one)
                for one in self._by_name.get(name, ())
                if not modules or modules[0] in one[0].split("/")
            ),
            key=lambda found: found[:2],
        )
        if not ranked or (len(ranked) > 1 and ranked[-1][:2] == ranked[-2][:2]):
            return None
        return ranked[-1][2]


def _absolute(dotted: str, path: str) -> list[str]:
    """Return the parts of a name, those of the folders of the file in the place of the dots that it begins with."""
    dots = len(dotted) - len(dotted.lstrip("."))
    folders = path.split("/")[:-1]
    before = folders[: len(folders) - dots + 1] if dots else []
    return [*before, *filter(None, dotted.split("."))]


def _likeness(modules: tuple[str, ...], path: str) -> tuple[bool, int]:
    """Tell whether a file is the module of a name, and how many of its parts its path has."""
    parts = tuple(path.removesuffix(".py").removesuffix("/__init__").split("/"))
    return parts[len(parts) - len(modules) :] == modules, len(set(parts).intersection(modules))


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many parts two paths begin with alike."""
    same = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        same += 1
    return same


def _mixins(file: SchemaFile) -> Iterable[Mixin]:
    return file.facts.shared.mixins if file.facts.shared is not None else ()


def _with_mixins(file: SchemaFile, mixins: Definitions[Mixin]) -> SchemaFile:
    """Return a file whose tables have the columns that other files define for them."""
    heirs: dict[Name, list[Heir]] = {}
    for table, heir in file.facts.shared.heirs if file.facts.shared is not None else ():
        heirs.setdefault(table, []).append(heir)
    if not heirs:
        return file
    filler = _Filler(mixins)
    operations = tuple(filler.filled_operation(operation, heirs, file.path) for operation in file.facts.operations)
    reasons = {_reason(base) for base in filler.found}
    unparsed = tuple(statement for statement in file.facts.unparsed if statement.reason not in reasons)
    return msgspec.structs.replace(
        file, facts=msgspec.structs.replace(file.facts, operations=operations, unparsed=unparsed)
    )


class _Filler:
    """Tables with what they have from other files; `found` are the names by which these are known."""

    def __init__(self, mixins: Definitions[Mixin]) -> None:
        self._mixins = mixins
        self.found: set[str] = set()

    def filled_operation(
        self, operation: SchemaOperation, heirs: Mapping[Name, list[Heir]], path: str
    ) -> SchemaOperation:
        """Return a table with its columns, which may be all that it has; any other operation as it is."""
        if not isinstance(operation, CreateTable | Describe) or operation.table.name not in heirs:
            return operation
        table = self._filled(operation.table, heirs[operation.table.name], path, MAX_BASES)
        if table is operation.table:
            return operation
        return CreateTable(table) if table.columns else msgspec.structs.replace(operation, table=table)

    def _filled(self, table: Table, heirs: Iterable[Heir], path: str, depth: int) -> Table:
        for heir in heirs if depth else ():
            found = self._mixins.find(heir.base, path=path)
            if found is None or found[1].column != bool(heir.column):
                continue
            self.found.add(heir.base)
            where, mixin = found
            part = self._filled(_placed_in(mixin.table, where), mixin.heirs, where, depth - 1)
            part = _named(part, heir) if mixin.column else part
            table = _joined(table, part, heir.position, is_implied=mixin.implied)
        return table


def _named(table: Table, heir: Heir) -> Table:
    """Return the one column of a function under the name that it gets."""
    (column,) = table.columns
    named = (heir.column,)
    return msgspec.structs.replace(
        table,
        columns=(msgspec.structs.replace(column, name=heir.column),),
        primary_key=named if table.primary_key else (),
        unique=tuple(named for _ in table.unique),
        foreign_keys=tuple(msgspec.structs.replace(key, columns=named) for key in table.foreign_keys),
    )


def _joined(table: Table, part: Table, position: int, *, is_implied: bool) -> Table:
    """Return a table with the columns and keys of a part that it does not declare itself; an implied key only then."""
    own = {column.name.casefold() for column in table.columns}
    if is_implied and table.primary_key:
        own |= {name.casefold() for name in part.primary_key}
    new = [one for one in part.columns if one.name.casefold() not in own]
    names = {one.name for one in new}
    return msgspec.structs.replace(
        table,
        columns=(*table.columns[:position], *new, *table.columns[position:]),
        primary_key=table.primary_key or part.primary_key,
        unique=tuple(dict.fromkeys((*table.unique, *part.unique))),
        foreign_keys=(*table.foreign_keys, *(key for key in part.foreign_keys if names.issuperset(key.columns))),
        relations=tuple(dict.fromkeys((*table.relations, *part.relations))),
    )


def _placed_in(table: Table, path: str) -> Table:
    """Return a table whose columns and keys are declared in a file."""
    return msgspec.structs.replace(
        table,
        columns=tuple(msgspec.structs.replace(column, source=_placed(column.source, path)) for column in table.columns),
        foreign_keys=tuple(
            msgspec.structs.replace(foreign_key, source=_placed(foreign_key.source, path))
            for foreign_key in table.foreign_keys
        ),
    )


def _placed(source: Source, path: str) -> Source:
    return source if source.path else msgspec.structs.replace(source, path=path)


def _kinds(file: SchemaFile) -> Iterable[FieldKind]:
    return file.facts.shared.kinds if file.facts.shared is not None else ()


def _kind(dotted: str, path: str, kinds: Definitions[FieldKind]) -> FieldKind | None:
    """Return the class of a field that tells what the column is: the one that is named, or one above it."""
    for _ in range(MAX_BASES):
        found = kinds.find(dotted, path=path)
        if found is None:
            return None
        path, kind = found
        if kind.type or not kind.stored:
            return kind
        if not kind.bases:
            return None
        dotted = kind.bases[0]
    return None


def _with_kinds(file: SchemaFile, kinds: Definitions[FieldKind]) -> SchemaFile:
    """Return a file whose columns are of the types that the classes of their fields have."""
    if file.facts.shared is None:
        return file
    known = {
        (use.line, use.column): _with_length(kind, use.length)
        for use in file.facts.shared.uses
        if (kind := _kind(use.kind, file.path, kinds)) is not None
    }
    if not known:
        return file
    operations = tuple(one for operation in file.facts.operations for one in _with_kind(operation, known))
    shared = msgspec.structs.replace(
        file.facts.shared,
        mixins=tuple(
            msgspec.structs.replace(mixin, table=_kept(mixin.table, known)) for mixin in file.facts.shared.mixins
        ),
    )
    facts = msgspec.structs.replace(file.facts, operations=operations, shared=shared)
    return msgspec.structs.replace(file, facts=facts)


def _kept(table: Table, known: Mapping[tuple[int, str], FieldKind]) -> Table:
    """Return a table with the types of its columns, without those that are not columns."""
    kinds = [(column, known.get((column.source.start_line, column.name))) for column in table.columns]
    columns = tuple(_typed(column, kind) for column, kind in kinds if _stored(kind))
    return msgspec.structs.replace(table, columns=columns)


def _with_length(kind: FieldKind, length: int) -> FieldKind:
    return msgspec.structs.replace(kind, type=f"VARCHAR({length})") if length and kind.type == "VARCHAR" else kind


def _with_kind(operation: SchemaOperation, known: Mapping[tuple[int, str], FieldKind]) -> Iterator[SchemaOperation]:
    """Yield an operation with the types of its columns, without those that are not columns."""
    match operation:
        case CreateTable(table=table):
            yield msgspec.structs.replace(operation, table=_kept(table, known))
        case AddColumn(column=column):
            kind = known.get((operation.source.start_line, column.name))
            if _stored(kind):
                yield msgspec.structs.replace(operation, column=_typed(column, kind))
        case AlterColumn(column=name):
            kind = known.get((operation.source.start_line, name))
            if _stored(kind):
                yield (
                    operation if kind is None else msgspec.structs.replace(operation, type=_type(kind, operation.type))
                )
        case _:
            yield operation


def _stored(kind: FieldKind | None) -> bool:
    return kind is None or kind.stored


def _typed(column: Column, kind: FieldKind | None) -> Column:
    return column if kind is None else msgspec.structs.replace(column, type=_type(kind, column.type))


def _type(kind: FieldKind, before: str | None) -> str | None:
    """Return the type of a column of a kind; one that is guessed from the same stays, as it has its length."""
    return before if before is not None and before.partition("(")[0] == kind.type else kind.type or before
