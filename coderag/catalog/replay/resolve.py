"""The state of a database to records whose names lead to each other: keys, parts, types, views and routines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from coderag.catalog.replay.families import families, natural_key
from coderag.catalog.replay.mutable import MutableTable
from coderag.catalog.replay.state import State
from coderag.catalog.replay.system import is_of_framework, is_system
from coderag.sql.lineage.usage import resolved
from coderag.sql.records import (
    Column,
    ColumnUse,
    ForeignKey,
    Lineage,
    Name,
    ObjectKind,
    Origin,
    Routine,
    SchemaProblem,
    Source,
    Table,
    TypeDefinition,
    Usage,
)
from coderag.sql.statements.names import Key, key_of

__all__ = ["Resolved", "narrowed_usage", "renamed_usage", "resolve"]

STAR = "*"
TYPE_NAME = re.compile(r"[^\s(\[]+")  # of a type as written: what stands in front of its length or brackets
IN_LIST = re.compile(r"(?i)\bIN\s*\(([^()]*)\)|\bANY\s*\(\s*\(?ARRAY\s*\[((?:(?!\bARRAY\b)[^\]])*+)\]")
LITERAL = re.compile(r"'((?:[^']|'')*)'")
MAX_DEPTH = 16  # of domains over domains

Place = Callable[[Name], Name]  # a name as written -> the table's, or the same where there is none
ColumnsOf = Callable[[Name], frozenset[str] | None]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The objects of a state under the names of their databases."""

    tables: tuple[Table, ...]
    routines: tuple[Routine, ...]
    types: tuple[TypeDefinition, ...]
    problems: tuple[SchemaProblem, ...]


def resolve(state: State, databases: Mapping[str, str]) -> Resolved:
    """Return the objects of a state; `databases` gives the names of those that it has by what it calls them, folded."""
    return _Resolver(state, databases).resolved()


class _Resolver:
    """A state, and what became of its tables."""

    def __init__(self, state: State, databases: Mapping[str, str]) -> None:
        self.state = state
        self.databases = databases
        self.problems: list[SchemaProblem] = []
        self.missing: dict[str, list[SchemaProblem]] = {}  # by the name that nothing has
        self.stands_for: dict[Key, MutableTable] = {}  # parts and alike tables -> the table that stands for them
        self.members: dict[Key, list[str]] = {}
        self.finished: dict[Key, Table] = {}

    def resolved(self) -> Resolved:
        """Return the records."""
        self._fold_parts()
        self._fold_families()
        kept = [table for key, table in self.state.tables.items() if key not in self.stands_for]
        for table in kept:
            if table.columns and any(self.state.types):
                self._resolve_types(table)
        self.finished = {key_of(record.name): record for record in map(self._table, kept)}
        for table in self._views(kept):
            key = key_of(self._final(table.name))
            self.finished[key] = self._with_usage(self.finished[key], table)
        routines = [self._routine(routine) for routine in self.state.routines.values()]
        types = [
            replace(type_definition, name=self._final(type_definition.name))
            for type_definition in self.state.types.values()
        ]
        return Resolved(
            tuple(sorted(self.finished.values(), key=lambda one: one.name.key)),
            tuple(
                sorted(
                    routines,
                    key=lambda routine: (
                        routine.name.key,
                        routine.kind,
                        routine.source.path,
                        routine.source.start_line,
                    ),
                )
            ),
            tuple(sorted(types, key=lambda type_definition: type_definition.name.key)),
            tuple(self._all_problems()),
        )

    # Families

    def _fold_parts(self) -> None:
        """Let partitions go into the table that they are parts of."""
        for key, table in self.state.tables.items():
            if not table.record.partition or table.record.parent is None:
                continue
            ancestor: MutableTable | None = table
            for _ in range(MAX_DEPTH):
                if ancestor is None or ancestor.record.parent is None or not ancestor.record.partition:
                    break
                ancestor = self.state.find(ancestor.record.parent, of=ancestor.name)
            if ancestor is not None and ancestor is not table and not ancestor.record.partition:
                self._let_stand(key, table, ancestor)

    def _fold_families(self) -> None:
        apart = [table for key, table in self.state.tables.items() if key not in self.stands_for]
        for members in families(apart):
            *others, newest = members
            self.members.setdefault(key_of(newest.name), []).append(newest.name.name)
            for table in others:
                self._let_stand(key_of(table.name), table, newest)

    def _let_stand(self, key: Key, table: MutableTable, whole: MutableTable) -> None:
        self.stands_for[key] = whole
        members = self.members.setdefault(key_of(whole.name), [])
        members += [*self.members.pop(key, []), table.name.name]

    # Names

    def _find(self, name: Name, of: Name) -> MutableTable | None:
        mutable_table = self.state.find(name, of=of)
        return self.stands_for.get(key_of(mutable_table.name), mutable_table) if mutable_table is not None else None

    def _final(self, name: Name) -> Name:
        return replace(name, database=self.databases.get(name.database.casefold(), name.database))

    def _placed(self, of: Name) -> Place:
        """Return what gives a name as it is written in an object's definition the table's name."""

        def placed(name: Name) -> Name:
            mutable_table = self._find(name, of)
            return name if mutable_table is None else self._final(mutable_table.name)

        return placed

    def _columns_of(self, name: Name) -> frozenset[str] | None:
        record = self.finished.get(key_of(name))
        if record is None or not record.columns:
            return None
        return frozenset(column.name.casefold() for column in record.columns)

    def _miss(self, name: Name, source: Source, text: str, *, surely_table: bool = False) -> None:
        """Note that nothing has a name; those that need the same one are reported together."""
        uncreated = str(name) if surely_table else ""
        problem = SchemaProblem(source.path, source.start_line, text, uncreated)
        self.missing.setdefault(str(name).casefold(), []).append(problem)

    def _all_problems(self) -> Iterator[SchemaProblem]:
        yield from self.problems
        for schema_problems in self.missing.values():
            others = len(schema_problems) - 1
            more = f" (and is needed in {others} other place{'s' * (others > 1)})" if others else ""
            yield replace(schema_problems[0], text=schema_problems[0].text + more)

    def _report(self, source: Source, text: str) -> None:
        self.problems.append(SchemaProblem(source.path, source.start_line, text))

    # Tables

    def _table(self, table: MutableTable) -> Table:
        keys = [key for foreign_key in table.foreign_keys if (key := self._foreign_key(foreign_key, table)) is not None]
        members = sorted(dict.fromkeys(self.members.get(key_of(table.name), ())), key=natural_key)
        parent = table.record.parent
        return replace(
            table.to_record(),
            name=self._final(table.name),
            foreign_keys=tuple(keys),
            family=tuple(members),
            parent=self._placed(table.name)(parent) if parent is not None else None,
        )

    def _foreign_key(self, key: ForeignKey, table: MutableTable) -> ForeignKey | None:
        """Return a key whose target is named in full; None for one that went with its target."""
        target = self._find(key.table, table.name)
        place = key.source if key.source.start_line else table.declared
        if target is None:
            if self._is_dropped(key.table, table.name):
                return None
            if is_of_framework(key.table):
                return key
            text = f"{table.name} has a foreign key to {key.table}, which is never created"
            self._miss(key.table, place, text, surely_table=True)
            return key
        referenced = key.referenced if key.referenced != (STAR,) else ()
        if not referenced and len(target.primary_key) == len(key.columns):
            referenced = target.primary_key
        missing = [column for column in referenced if target.columns and target.column(column) is None]
        if missing:
            text = f"{table.name} has a foreign key to {target.name} ({', '.join(missing)}), which has no such column"
            self._report(place, text)
        return replace(key, table=self._final(target.name), referenced=referenced)

    def _is_dropped(self, name: Name, of: Name) -> bool:
        database, schema, folded = key_of(Name(name.name, name.schema or of.schema, name.database or of.database))
        return any((database, one, folded) in self.state.dropped for one in (schema, ""))

    # Types

    def _resolve_types(self, table: MutableTable) -> None:
        for column in list(table.columns.values()):
            if column.type and not column.values and (values := self._values(column, table.name)):
                table.put(replace(column, values=values))

    def _values(self, column: Column, of: Name) -> tuple[str, ...]:
        """Return the values of a column whose type is an enum, or a domain over one or with a list of values."""
        written = column.type
        for _ in range(MAX_DEPTH):
            type_definition = self._type(written, of)
            if type_definition is None:
                return ()
            if type_definition.values:
                return type_definition.values
            if type_definition.kind is not ObjectKind.DOMAIN:
                return ()
            for check in type_definition.checks:
                if (listed := IN_LIST.search(check)) is not None:
                    return tuple(LITERAL.findall(listed[1] or listed[2] or ""))
            written = type_definition.base
        return ()

    def _type(self, written: str, of: Name) -> TypeDefinition | None:
        if written.startswith('"'):
            written = written.rstrip("[]")
        else:
            match = TYPE_NAME.match(written)
            written = match[0] if match else written
        schema, _, name = written.replace('"', "").rpartition(".")
        folded = name.casefold()
        for one in (schema or of.schema, ""):
            if (exact := self.state.types.get(key_of(Name(name, one, of.database)))) is not None:
                return exact
        same = [type_ for key, type_ in self.state.types.items() if key[2] == folded]
        return same[0] if len(same) == 1 else None

    # Views and routines

    def _views(self, kept: Iterable[MutableTable]) -> Iterator[MutableTable]:
        """Yield the tables that read others, behind those that they read; of a circle, some come too early."""
        seen: set[int] = set()
        stack = [(table, False) for table in kept if table.record.usage != Usage() or table.record.lineage][::-1]
        while stack:
            table, ready = stack.pop()
            if ready:
                yield table
            elif id(table) not in seen:
                seen.add(id(table))
                stack.append((table, True))
                read = (self._find(name, table.name) for name in table.record.usage.reads)
                stack += [(other, False) for other in read if other is not None and other.record.usage != Usage()]

    def _with_usage(self, record: Table, table: MutableTable) -> Table:
        """Return a view with the names of what it reads, and its columns where it takes all of a table."""
        placed = self._placed(table.name)
        for name in record.usage.reads:
            if self._find(name, table.name) is None and not is_system(name) and not is_of_framework(name):
                self._miss(name, table.declared, f"{table.name} reads {name}, which is never created")
        usage = narrowed_usage(renamed_usage(record.usage, placed), self._columns_of)
        lineage = tuple(self._lineage(record.lineage, placed))
        columns, lineage = _view_columns(record, lineage)
        return replace(record, usage=usage, lineage=lineage, columns=columns)

    def _lineage(self, lines: tuple[Lineage, ...], placed: Place) -> list[Lineage]:
        """Return the lineage of a view's columns, one for each column where it takes all of a table."""
        lineages: list[Lineage] = []
        for line in lines:
            sources = tuple(replace(source, tables=tuple(map(placed, source.tables))) for source in line.sources)
            if line.column == STAR:
                lineages += [column for use in sources for name in use.tables for column in self._all_columns(name)]
            else:
                uses = narrowed_usage(Usage(columns=sources), self._columns_of).columns
                lineages.append(replace(line, sources=uses or sources))
        # Of two columns with one name, the first is the one that the name means.
        named: dict[object, Lineage] = {}
        for line in lineages:
            named.setdefault(line if line.column == STAR else line.column.casefold(), line)
        return list(named.values())

    def _all_columns(self, name: Name) -> list[Lineage]:
        record = self.finished.get(key_of(name))
        columns = [column.name for column in record.columns] if record is not None else []
        return [Lineage(column, (ColumnUse(column, (name,)),)) for column in columns or [STAR]]

    def _routine(self, routine: Routine) -> Routine:
        placed = self._placed(routine.name)
        return replace(
            routine,
            name=self._final(routine.name),
            table=placed(routine.table) if routine.table is not None else None,
            usage=narrowed_usage(renamed_usage(routine.usage, placed), self._columns_of),
        )


def _view_columns(record: Table, lineage: tuple[Lineage, ...]) -> tuple[tuple[Column, ...], tuple[Lineage, ...]]:
    """Return a view's columns and what they are computed from; those that it takes with a star are in the lineage."""
    if record.columns and all(line.column != STAR for line in record.lineage):
        return record.columns, lineage
    lineages = [line for line in lineage if line.column != STAR]
    names = {line.column.casefold() for line in lineages}
    others = tuple(column for column in record.columns if column.name.casefold() not in names)
    known = {column.name.casefold(): column for column in record.columns}
    # CREATE VIEW v (a, b) AS SELECT *; dbt has no such thing, but documents that are behind.
    is_named = bool(others) and len(record.columns) >= len(lineage) and Origin.DBT not in record.origins
    if is_named and len(record.columns) == len(lineages):
        pairs = zip(record.columns, lineages, strict=True)
        return record.columns, tuple(replace(line, column=column.name) for column, line in pairs)
    if is_named:
        return record.columns, tuple(line for line in lineage if line.column.casefold() in known or line.column == STAR)
    columns = tuple(known.get(line.column.casefold(), Column(line.column)) for line in lineages)
    return columns + (others if len(lineages) < len(lineage) else ()), lineage


def renamed_usage(usage: Usage, placed: Place) -> Usage:
    """Return a usage with the full names of the tables that are known."""
    if usage == Usage():
        return usage
    return replace(
        usage,
        reads=tuple(dict.fromkeys(map(placed, usage.reads))),
        writes=tuple(dict.fromkeys(map(placed, usage.writes))),
        deletes=tuple(dict.fromkeys(map(placed, usage.deletes))),
        whole=tuple(dict.fromkeys(map(placed, usage.whole))),
        columns=tuple(replace(column, tables=tuple(map(placed, column.tables))) for column in usage.columns),
        joins=tuple(replace(join, left=placed(join.left), right=placed(join.right)) for join in usage.joins),
    )


def narrowed_usage(usage: Usage, columns_of: ColumnsOf) -> Usage:
    """Return a usage whose columns belong to the tables that have them."""
    return resolved(usage, columns_of) if usage.columns else usage
