"""The records of schemas: what a file declares, statement by statement, and the schema of all files together.

They are msgspec structs: frozen like the other records, and stored as JSON. A reader of one file returns `Facts`:
operations in the order of the file. Folding the operations of all files gives a `Schema`.
"""

from __future__ import annotations

import msgspec

from coderag.sql.objects import (
    Change,
    Column,
    ColumnUse,
    Definition,
    Evidence,
    ExampleQuery,
    ForeignKey,
    Join,
    Lineage,
    Name,
    ObjectKind,
    Origin,
    Record,
    Relation,
    Routine,
    Source,
    Table,
    TypeDefinition,
    Usage,
)
from coderag.sql.operations import (
    AddColumn,
    AddConstraint,
    AddDefinition,
    AddQuery,
    AlterColumn,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Rename,
    RenameColumn,
    SchemaOperation,
    UseDatabase,
)

__all__ = [
    "LAST_POSITION",
    "AddColumn",
    "AddConstraint",
    "AddDefinition",
    "AddQuery",
    "AlterColumn",
    "Change",
    "Column",
    "ColumnUse",
    "CommentOn",
    "CreateRoutine",
    "CreateTable",
    "CreateType",
    "Database",
    "Definition",
    "Describe",
    "Drop",
    "DropColumn",
    "DropConstraint",
    "Entities",
    "EntityClass",
    "EntitySet",
    "Evidence",
    "ExampleQuery",
    "Facts",
    "FieldKind",
    "FieldUse",
    "ForeignKey",
    "Heir",
    "Join",
    "Lineage",
    "Mixin",
    "Name",
    "ObjectKind",
    "Origin",
    "Record",
    "Relation",
    "Rename",
    "RenameColumn",
    "Routine",
    "Schema",
    "SchemaFile",
    "SchemaOperation",
    "SchemaProblem",
    "Series",
    "Shared",
    "Source",
    "Table",
    "TypeDefinition",
    "Unparsed",
    "Usage",
    "UseDatabase",
]


class Unparsed(Record, frozen=True):
    """A statement that could not be read, or only in part."""

    line: int
    head: str  # its first words
    reason: str
    table: bool = False  # it declares a table or a key, so the schema lacks something


class Series(Record, frozen=True):
    """The place of a migration file among those that make one schema."""

    tool: str  # alembic, django, rails, flyway, prisma, ...
    version: str = ""  # what orders it: "0012", "20240131120000", "V2.1"
    name: str = ""  # its identity where others name it: an Alembic revision, "app.0002_x" for Django
    after: tuple[str, ...] = ()  # the names of those that come before it, where the tool says so
    direction: str = "up"  # up, down: a down file is listed and not applied; repeatable: after all others
    snapshot: bool = False  # it states the whole schema as it is, as schema.rb does
    replaces: tuple[str, ...] = ()  # the names of those that it stands for: a squashed migration


class FieldKind(Record, frozen=True):
    """A class of fields that a file defines for models."""

    name: str
    type: str = ""  # of their columns, "" if a base tells
    stored: bool = True  # they are columns
    bases: tuple[str, ...] = ()  # with dots, those that no library is known to have


class FieldUse(Record, frozen=True):
    """A column whose kind of field another file may define."""

    line: int
    column: str
    kind: str  # the class, with dots
    length: int = 0  # of its texts, where it says one


LAST_POSITION = 10_000  # behind all columns that a table has of its own


class Heir(Record, frozen=True):
    """That a table, or a mixin, has columns which another file defines."""

    base: str  # the class or function, with dots
    position: int = 0  # among the columns of the table
    column: str = ""  # what the one column of a function is called


class Mixin(Record, frozen=True):
    """What a class or function of a file gives the tables of others: columns, keys, relations."""

    table: Table  # under the class' or function's name
    heirs: tuple[Heir, ...] = ()  # what it has itself from other files
    column: bool = False  # it is one column, which is named where it is used
    implied: bool = False  # its key is that of tables which state none


class TableNaming(Record, frozen=True):
    """How a program names the tables of all models that name none: `t_` before `users`, or before `user`."""

    prefix: str = ""
    singular: bool = False


class EloquentModel(Record, frozen=True):
    """A class of PHP that is a model of Eloquent, or is one if its base of another file is."""

    name: str  # with its namespace
    base: str
    sure: bool = False  # the base is one of Eloquent's, or called as one


class Shared(Record, frozen=True):
    """What models of several files have of each other."""

    kinds: tuple[FieldKind, ...] = ()
    uses: tuple[FieldUse, ...] = ()
    mixins: tuple[Mixin, ...] = ()
    heirs: tuple[tuple[Name, Heir], ...] = ()  # of the file's tables
    models: tuple[EloquentModel, ...] = ()
    naming: TableNaming | None = None
    named_by_rule: tuple[str, ...] = ()  # the file's models of GORM that name no table


class EntityClass(Record, frozen=True):
    """A class that is an entity of Entity Framework where a context or a configuration of any file says so.

    `table` is named after it; the type of a column that may be another class begins with "?".
    """

    table: Table
    bases: tuple[str, ...] = ()


class EntitySet(Record, frozen=True):
    """That a class is an entity, and what is said of its table."""

    entity: str
    table: Name = Name("")  # "" if its class names it
    key: tuple[str, ...] = ()  # properties
    columns: tuple[tuple[str, str], ...] = ()  # property -> column
    configured: bool = False  # a configuration says so, which counts more than the name of a set


class Entities(Record, frozen=True):
    """What a file says about the entities of other files."""

    classes: tuple[EntityClass, ...] = ()
    sets: tuple[EntitySet, ...] = ()


class Facts(Record, frozen=True):
    """The facts of one file."""

    dialect: str = ""
    guess: str = ""  # why this dialect, in words
    statements: int = 0
    database: str = ""  # that the file says it belongs to, "" if it does not
    series: Series | None = None  # its place, where it is a migration
    unparsed: tuple[Unparsed, ...] = msgspec.field(default=(), name="lost")  # as indexes spell it
    passed: tuple[tuple[int, int], ...] = ()  # rows of data, 0-based and inclusive: nothing to find in them
    entities: Entities | None = None
    unread: str = ""  # the framework that declares tables in it and that is not read
    operations: tuple[SchemaOperation, ...] = ()
    shared: Shared | None = None
    settings: tuple[str, ...] = ()  # the dialects that it says the application's database has


class SchemaFile(Record, frozen=True):
    """A file's facts and what else folding needs to know of it."""

    path: str
    facts: Facts
    labels: tuple[str, ...] = ()
    modified: str = ""  # ISO 8601


class Database(Record, frozen=True):
    """The tables that know each other: a set of files, a series of migrations, a database that was asked."""

    name: str
    dialect: str = ""
    environment: str = ""
    domain: str = ""
    paths: tuple[str, ...] = ()  # the files that declare it
    tables: int = 0


class SchemaProblem(Record, frozen=True):
    """Something that does not fit together, reported and not guessed over."""

    path: str
    line: int
    text: str
    uncreated: str = ""  # the table that is changed or described here and that nothing creates


class Schema(Record, frozen=True):
    """The schema of all files together; `Name.database` of every table names one of `databases`."""

    databases: tuple[Database, ...] = ()
    tables: tuple[Table, ...] = ()
    routines: tuple[Routine, ...] = ()
    types: tuple[TypeDefinition, ...] = ()
    queries: tuple[ExampleQuery, ...] = ()
    definitions: tuple[Definition, ...] = ()
    problems: tuple[SchemaProblem, ...] = ()
