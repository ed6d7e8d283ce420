"""The objects of a database while operations change them."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from coderag.catalog.replay.mutable import MutableTable
from coderag.catalog.replay.system import is_of_framework
from coderag.sql.records import (
    Change,
    Column,
    ForeignKey,
    Name,
    ObjectKind,
    Routine,
    SchemaFile,
    SchemaOperation,
    SchemaProblem,
    Source,
    Table,
    TypeDefinition,
    UseDatabase,
)
from coderag.sql.statements.names import Key, is_no_database, key_of, plain_schema

__all__ = ["ROUTINE_KINDS", "TABLE_KINDS", "TYPE_KINDS", "RoutineKey", "State", "Waiting", "place_of"]

SEQUENCE = "_seq"  # PostgreSQL's name for what numbers a column, which ALTER TABLE renames like a table
TABLE_KINDS = frozenset({ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.EXTERNAL_TABLE})
ROUTINE_KINDS = frozenset({ObjectKind.FUNCTION, ObjectKind.PROCEDURE, ObjectKind.TRIGGER, ObjectKind.PACKAGE})
TYPE_KINDS = frozenset({ObjectKind.TYPE, ObjectKind.ENUM, ObjectKind.DOMAIN})
ONE_LEVEL = frozenset({"clickhouse", "mariadb", "mysql", "spark"})  # dialects whose databases are their schemas
MAX_SHOWN = 80  # characters of a text in a history

Waiting = tuple[SchemaFile, str, str, SchemaOperation]  # the file, the database and the schema in use
RoutineKey = tuple[ObjectKind, Key, Key | None, tuple[str, ...]]


@dataclass(slots=True)
class State:
    """The objects of a set of files."""

    tables: dict[Key, MutableTable] = field(default_factory=dict)
    routines: dict[RoutineKey, Routine] = field(default_factory=dict)
    types: dict[Key, TypeDefinition] = field(default_factory=dict)
    dropped: dict[Key, MutableTable] = field(default_factory=dict)
    files: dict[str, SchemaFile] = field(default_factory=dict)
    databases: dict[str, str] = field(default_factory=dict)  # folded -> as written first
    problems: list[SchemaProblem] = field(default_factory=list)
    by_name: dict[str, dict[Key, None]] = field(default_factory=dict)
    referrers: dict[str, dict[Key, None]] = field(default_factory=dict)  # plain name -> tables with a key to it
    readers: dict[Key, None] = field(default_factory=dict)  # tables that read others or have a parent
    file: SchemaFile | None = None
    database: str = ""
    schema: str = ""
    in_order: bool = False  # the file is one of a series
    deferred: list[Waiting] = field(default_factory=list)
    unknown: dict[str, list[SchemaProblem]] = field(default_factory=dict)
    failed: list[Waiting] = field(default_factory=list)  # whose tables nothing created
    session: dict[Key, MutableTable | None] = field(default_factory=dict)  # temporary -> the table that it hides
    orphans: list[MutableTable] = field(default_factory=list)  # whose parents are not there yet
    last: bool = False  # the operations that had to wait are being applied

    def adopt(self) -> None:
        """Give tables the columns of parents that came later, and report those that never came."""
        for table in self.orphans:
            if not self.inherit(table) and self.tables.get(key_of(table.name)) is table:
                parent = table.record.parent
                self.report(table.declared, f"{table.name} has the columns of {parent}, which is never created")
        self.orphans = []

    def all_problems(self) -> list[SchemaProblem]:
        """Return what does not fit, the changes of a table that is never created as one."""
        schema_problems = list(self.problems)
        for problems in self.unknown.values():
            others = len(problems) - 1
            more = f" (and {others} other change{'s' * (others > 1)} of it)" if others else ""
            schema_problems.append(replace(problems[0], text=problems[0].text + more))
        return schema_problems

    def find(self, name: Name, *, of: Name | None = None) -> MutableTable | None:
        """Return the table that a name refers to, None if there is none or more than one.

        `of` is the object whose definition uses the name: what is in its schema comes first.
        """
        database = name.database or (of.database if of else self.database)
        schema = name.schema or (of.schema if of else self.schema)
        folded = name.name.casefold()
        mutable_table = self.tables.get((database.casefold(), plain_schema(schema), folded))
        if mutable_table is not None:
            return mutable_table
        keys = self.by_name.get(folded)
        if not keys:
            return None
        if (
            name.schema
            and not name.database
            and (mutable_table := self.tables.get((name.schema.casefold(), "", folded)))
        ):
            return mutable_table  # MySQL's database is read as a schema
        fitting = [key for key in keys if _may_be(name, key)]
        same = [key for key in fitting if key[0] == database.casefold()] or fitting
        if len(same) > 1:
            same = [key for key in same if not key[1]]
        return self.tables[same[0]] if len(same) == 1 else None

    @property
    def path(self) -> str:
        """Return the path of the file that is being applied."""
        return self.file.path if self.file else ""

    def placed(self, source: Source) -> Source:
        """Return a place with the path of the file that is being applied."""
        return source if source.path else replace(source, path=self.path)

    def qualified(self, name: Name) -> Name:
        """Return the name of a new object with the database and schema that are in use."""
        if self._is_database(name):
            return Name(name.name, database=name.schema)
        schema = name.schema or ("" if name.database and name.database != self.database else self.schema)
        return Name(name.name, schema, name.database or self.database)

    def _is_database(self, name: Name) -> bool:
        """Tell whether what stands before a name is a database, in a dialect that has no schemas."""
        dialect = self.file.facts.dialect if self.file else ""
        return bool(name.schema) and dialect in ONE_LEVEL and name.schema.casefold() in self.databases

    def report(self, source: Source, text: str) -> None:
        """Note that something does not fit."""
        placed = self.placed(source)
        self.problems.append(SchemaProblem(placed.path, placed.start_line, text))

    def put(self, table: MutableTable) -> None:
        """Add a table, in the place of one of its name."""
        key = key_of(table.name)
        self.tables[key] = table
        if table.record.usage.reads or table.record.parent is not None:
            self.readers[key] = None
        self.databases.setdefault(key[0], table.name.database)
        self.by_name.setdefault(key[2], {})[key] = None
        self.refer(table)

    def begin(self, file: SchemaFile, *, in_order: bool) -> None:
        """Say which file's operations come next, and whether it is one of a series."""
        self.end_session()
        self.file, self.in_order, self.database, self.schema = file, in_order, "", ""
        self.files[file.path] = file

    def hide(self, table: MutableTable, before: MutableTable | None) -> None:
        """Note that a table is there for a session only, and which one it hides meanwhile."""
        self.session.setdefault(key_of(table.name), before)

    def end_session(self) -> None:
        """Take out the temporary tables of a file, and bring back what they hid."""
        for key, before in self.session.items():
            mutable_table = self.tables.get(key)
            if mutable_table is not None and mutable_table.record.temporary:
                self.take(mutable_table)
            if before is not None and key not in self.tables:
                self.put(before)
        self.session = {}

    def states_all(self, path: str) -> bool:
        """Tell whether a file states the whole schema."""
        file = self.files.get(path)
        return file is not None and file.facts.series is not None and file.facts.series.snapshot

    def refer(self, table: MutableTable) -> None:
        """Note which tables the foreign keys of a table refer to."""
        for foreign_key in table.foreign_keys:
            self.referrers.setdefault(foreign_key.table.name.casefold(), {})[key_of(table.name)] = None

    def take(self, table: MutableTable) -> None:
        """Take a table out."""
        key = key_of(table.name)
        del self.tables[key]
        self.by_name[key[2]].pop(key, None)

    def filled(self, table: Table) -> Table:
        """Return a table whose places have a path."""
        return replace(
            table,
            columns=tuple(map(self._filled_column, table.columns)),
            foreign_keys=tuple(map(self._filled_key, table.foreign_keys)),
        )

    def _filled_column(self, column: Column) -> Column:
        if column.source.path or not column.source.start_line:
            return column
        return replace(column, source=self.placed(column.source))

    def _filled_key(self, key: ForeignKey) -> ForeignKey:
        if key.source.path or not key.source.start_line:
            return key
        return replace(key, source=self.placed(key.source))

    def inherit(self, table: MutableTable) -> bool:
        """Give a table the columns of its parent, in front of its own; tell whether there is no parent to wait for."""
        if table.record.parent is None:
            return True
        parent = self.find(table.record.parent, of=table.name)
        if parent is None:
            return False
        own = {column.name.casefold(): column for column in table.columns.values()}
        table.columns, table.folded = {}, {}
        for column in parent.columns.values():
            table.add(own.pop(column.name.casefold(), column))
        for column in own.values():
            table.add(column)
        return True

    def note(self, table: MutableTable, source: Source, text: str) -> None:
        """Add a change to the history of a table, where a migration makes it."""
        placed = self.placed(source)
        table.sources.setdefault(placed)
        if not self.in_order or self.file is None:
            return
        series = self.file.facts.series
        migration = (series.name or series.version) if series else ""
        table.history.append(Change(_shown(text), placed, migration))

    @property
    def may_wait(self) -> bool:
        """Tell whether a later file may create what is missing."""
        return not self.in_order and not self.last

    def defer(self, operation: SchemaOperation) -> None:
        """Let an operation wait until all files have been applied."""
        if self.file is not None:
            self.deferred.append((self.file, self.database, self.schema, operation))

    def known(self, name: Name, operation: SchemaOperation, *, source: Source, doing: str) -> MutableTable | None:
        """Return the table that an operation changes; where there is none, the operation waits or is reported."""
        mutable_table = self.find(name)
        if mutable_table is not None:
            return mutable_table
        if self.may_wait:
            self.defer(operation)
            return None
        if self.file is not None:
            self.failed.append((self.file, self.database, self.schema, operation))
        if is_of_framework(name) or name.name.casefold().endswith(SEQUENCE):
            return None
        placed = self.placed(source)
        problem = SchemaProblem(placed.path, placed.start_line, f"{name} is {doing} and never created", str(name))
        self.unknown.setdefault(str(name).casefold(), []).append(problem)
        return None

    def use(self, operation: UseDatabase) -> None:
        """Switch to a database or schema."""
        database = "" if is_no_database(operation.database) else operation.database
        if operation.database and database != self.database:
            self.database, self.schema = database, ""
            self.databases.setdefault(database.casefold(), database)
        if operation.schema:
            self.schema = operation.schema


def place_of(source: Source) -> str:
    """Return a place as path:line."""
    return f"{source.path}:{source.start_line}" if source.start_line else source.path


def _shown(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."


def _may_be(name: Name, key: Key) -> bool:
    """Tell whether a name may refer to an object in another schema or database than it says.

    What it does not say may be anything; what it says has to be right, unless the object was created without.
    """
    database, schema = name.database.casefold(), plain_schema(name.schema)
    return (not database or not key[0] or database == key[0]) and (not schema or not key[1] or schema == key[1])
