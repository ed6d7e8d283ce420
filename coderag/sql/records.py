"""The records of schemas: what a file declares, statement by statement, and the schema of all files together.

They are msgspec structs: frozen like the other records, and stored as JSON. A reader of one file returns `Facts`:
operations in the order of the file. Folding the operations of all files gives a `Schema`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

__all__ = [
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


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record; what has its default is not written."""


class ObjectKind(StrEnum):
    """What an object of a database is."""

    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized view"
    EXTERNAL_TABLE = "external table"  # foreign, external, virtual: its rows are kept elsewhere
    FUNCTION = "function"
    PROCEDURE = "procedure"
    TRIGGER = "trigger"
    PACKAGE = "package"
    TYPE = "type"
    ENUM = "enum"
    DOMAIN = "domain"
    SEQUENCE = "sequence"
    INDEX = "index"
    SCHEMA = "schema"


class Origin(StrEnum):
    """Where a table is known from."""

    DDL = "ddl"
    MIGRATION = "migration"
    ORM = "orm"
    DBT = "dbt"
    LIVE = "live"  # a database that was asked


class Evidence(StrEnum):
    """How sure a join between two tables is, the surest first."""

    DECLARED = "declared"  # a foreign key of the database
    MODEL = "model"  # a relationship of an ORM model or a dbt test
    QUERY = "query"  # an example query or a view joins them so
    INFERRED = "inferred"  # from the names of columns


class Name(Record, frozen=True):
    """The name of a table, routine or type as it is written, without quotes; its parts may hold any character."""

    name: str
    schema: str = ""
    database: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What is compared: database, schema and name without regard to case."""
        return self.database.casefold(), self.schema.casefold(), self.name.casefold()

    def __str__(self) -> str:
        """Return the parts with dots between them."""
        return ".".join(part for part in (self.database, self.schema, self.name) if part)


class Source(Record, frozen=True):
    """Lines of a file, 1-based and inclusive; or, with lines 0, all of it or of a database that was asked."""

    path: str = ""  # relative to the root; "" inside the facts of a file: that file
    start_line: int = 0
    end_line: int = 0


class Column(Record, frozen=True):
    """A column."""

    name: str
    type: str = ""  # as written, white space made single
    nullable: bool = True
    default: str = ""  # the expression as written
    comment: str = ""
    values: tuple[str, ...] = ()  # known to occur: of an enum or CHECK ... IN, accepted values, samples
    generated: str = ""  # the expression of a computed column
    identity: bool = False  # numbers itself: serial, AUTO_INCREMENT, IDENTITY
    quoted: bool = False  # its name was written in quotes, so its case may count
    field: str = ""  # what a model calls it, where that is another name
    source: Source = Source()


class Relation(Record, frozen=True):
    """A field of a model that leads to rows of another: `posts` of a user."""

    name: str
    model: str  # the class or table at its end, as written
    back: tuple[str, ...] = ()  # the names of the way back, where they are not declared at the other model
    columns: tuple[str, ...] = ()  # of this table that refer to the other, where the field itself says so


class ForeignKey(Record, frozen=True):
    """A reference from columns to columns of another table."""

    columns: tuple[str, ...]
    table: Name  # the one referred to
    referenced: tuple[str, ...] = ()  # empty: its primary key
    name: str = ""
    evidence: Evidence = Evidence.DECLARED
    source: Source = Source()
    model: str = ""  # the class that an ORM names: the table of this alias is meant, else `table`, its usual name


class ColumnUse(Record, frozen=True):
    """A column that a statement uses."""

    column: str
    tables: tuple[Name, ...] = ()  # the one it belongs to, or the candidates of its scope where that is not written
    write: bool = False


class Join(Record, frozen=True):
    """An equality of columns of two tables that a statement joins by; the columns correspond in order."""

    left: Name
    left_columns: tuple[str, ...]
    right: Name
    right_columns: tuple[str, ...]


class Usage(Record, frozen=True):
    """What a statement or body touches, names as written; CTEs, aliases and temporary names are resolved away."""

    reads: tuple[Name, ...] = ()
    writes: tuple[Name, ...] = ()  # INSERT, UPDATE, DELETE, MERGE, TRUNCATE
    deletes: tuple[Name, ...] = ()  # of the tables that it writes, those whose rows it deletes
    whole: tuple[Name, ...] = ()  # tables all of whose columns take part: SELECT *, INSERT without a list of columns
    columns: tuple[ColumnUse, ...] = ()
    joins: tuple[Join, ...] = ()
    calls: tuple[str, ...] = ()  # routines


class Lineage(Record, frozen=True):
    """The columns that a view's column is computed from."""

    column: str
    sources: tuple[ColumnUse, ...] = ()


class Change(Record, frozen=True):
    """One event in the history of a table."""

    text: str  # "created", "column email added", "renamed from users", ...
    source: Source = Source()
    migration: str = ""  # the version or name of the migration


class Table(Record, frozen=True):
    """A table or view."""

    name: Name
    kind: ObjectKind = ObjectKind.TABLE
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[str, ...] = ()
    comment: str = ""
    query: str = ""  # the query of a view
    usage: Usage = Usage()  # of a view's query
    lineage: tuple[Lineage, ...] = ()  # of a view's columns
    parent: Name | None = None  # PARTITION OF, INHERITS, LIKE: whose columns it has
    partition: bool = False  # it is a part of its parent, no table of its own
    temporary: bool = False
    quoted: bool = False  # its name was written in quotes, so its case may count
    row_count: int = -1  # estimated; -1: not known
    updated: str = ""  # ISO 8601, when its rows changed last; "" not known
    alias: str = ""  # the name of the class or model that maps it
    relations: tuple[Relation, ...] = ()  # of that model
    origins: tuple[Origin, ...] = ()
    sources: tuple[Source, ...] = ()  # the first is where it is declared
    # What folding adds:
    dialect: str = ""
    environment: str = ""  # prod, dev, test, ...
    domain: str = ""  # the part of the business that it belongs to
    labels: tuple[str, ...] = ()  # test, example, generated, ...: of the file that declares it
    modified: str = ""  # ISO 8601, when that file changed last
    family: tuple[str, ...] = ()  # the names of the alike tables that this one stands for: date shards, partitions
    history: tuple[Change, ...] = ()


class Routine(Record, frozen=True):
    """A function, procedure, trigger or package."""

    name: Name
    kind: ObjectKind = ObjectKind.FUNCTION
    parameters: tuple[Column, ...] = ()
    returns: str = ""
    language: str = ""
    table: Name | None = None  # that a trigger watches
    usage: Usage = Usage()
    comment: str = ""
    source: Source = Source()


class TypeDefinition(Record, frozen=True):
    """A type, enum or domain."""

    name: Name
    kind: ObjectKind = ObjectKind.TYPE
    base: str = ""  # of a domain
    values: tuple[str, ...] = ()  # of an enum
    columns: tuple[Column, ...] = ()  # of a composite type
    checks: tuple[str, ...] = ()
    comment: str = ""
    source: Source = Source()


class ExampleQuery(Record, frozen=True):
    """A query that somebody wrote or ran, and the question it answers."""

    text: str
    question: str = ""  # "" if no comment says
    usage: Usage = Usage()
    calls: int = 0  # how often it ran, 0 where not known
    milliseconds: float = 0.0  # on average
    dialect: str = ""
    database: str = ""  # folding adds: the one whose tables it uses
    labels: tuple[str, ...] = ()  # folding adds: of its file
    source: Source = Source()


class Definition(Record, frozen=True):
    """A business term and what it means."""

    term: str
    text: str
    synonyms: tuple[str, ...] = ()
    expression: str = ""  # in SQL, where it has one: a metric's formula
    tables: tuple[Name, ...] = ()  # folding adds: what it describes
    columns: tuple[ColumnUse, ...] = ()
    source: Source = Source()


class Step(Record, frozen=True, tag_field="operation", tag=True):
    """What a statement of a file does: an operation."""


class CreateTable(Step, frozen=True):
    """CREATE TABLE or VIEW, an ORM model, a dbt model."""

    table: Table
    if_missing: bool = False
    replace: bool = False
    needs: Name | None = None  # a table without which it is not created


class Drop(Step, frozen=True):
    """DROP of any object."""

    name: Name
    kind: ObjectKind = ObjectKind.TABLE
    if_exists: bool = False
    source: Source = Source()


class Rename(Step, frozen=True):
    """A table, view, routine or type under another name."""

    name: Name
    to: Name
    kind: ObjectKind = ObjectKind.TABLE
    source: Source = Source()


class AddColumn(Step, frozen=True):
    """ALTER TABLE ... ADD COLUMN."""

    table: Name
    column: Column
    after: str | None = None  # None: at the end; "": at the front
    if_missing: bool = False
    source: Source = Source()


class DropColumn(Step, frozen=True):
    """ALTER TABLE ... DROP COLUMN."""

    table: Name
    column: str
    if_exists: bool = False
    source: Source = Source()


class RenameColumn(Step, frozen=True):
    """ALTER TABLE ... RENAME COLUMN."""

    table: Name
    column: str
    to: str
    source: Source = Source()


class AlterColumn(Step, frozen=True):
    """A change of a column; a field that is None stays."""

    table: Name
    column: str
    type: str | None = None
    nullable: bool | None = None
    default: str | None = None  # "": none any more
    comment: str | None = None
    values: tuple[str, ...] | None = None
    identity: bool | None = None
    source: Source = Source()


class AddConstraint(Step, frozen=True):
    """Keys and checks that are added to a table; empty ones are not there. CREATE UNIQUE INDEX is one too."""

    table: Name
    name: str = ""
    primary_key: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    foreign_key: ForeignKey | None = None
    check: str = ""
    source: Source = Source()
    index: str = ""  # whose columns are the key: PRIMARY KEY USING INDEX, UNIQUE USING INDEX
    primary: bool = False  # the key of that index is the primary one


class DropConstraint(Step, frozen=True):
    """ALTER TABLE ... DROP CONSTRAINT; with no name, of the kind given."""

    table: Name
    name: str = ""
    primary_key: bool = False
    columns: tuple[str, ...] = ()  # of the foreign key or unique constraint, where it is named by them
    if_exists: bool = False
    source: Source = Source()
    unique: bool = False  # all unique constraints of several columns that were stated without a name
    stated: bool = False  # only a constraint that was given this name: an index has names of its own


class CommentOn(Step, frozen=True):
    """COMMENT ON, sp_addextendedproperty and the like."""

    name: Name
    text: str
    kind: ObjectKind = ObjectKind.TABLE
    column: str = ""  # "": the object itself
    source: Source = Source()


class Describe(Step, frozen=True):
    """What a document adds to a table that is declared elsewhere: dbt's YAML, seeds, statistics.

    Empty fields add nothing; columns that the table lacks are added when `complete` is true, else only described.
    """

    table: Table
    complete: bool = False


class CreateRoutine(Step, frozen=True):
    """CREATE FUNCTION, PROCEDURE, TRIGGER or PACKAGE."""

    routine: Routine
    replace: bool = False


class CreateType(Step, frozen=True):
    """CREATE TYPE or DOMAIN; `extend` adds values to an enum that exists."""

    type: TypeDefinition
    extend: bool = False


class UseDatabase(Step, frozen=True):
    """USE, \\connect, SET search_path: what unqualified names belong to from here on."""

    database: str = ""
    schema: str = ""
    source: Source = Source()


class AddQuery(Step, frozen=True):
    """An example query."""

    query: ExampleQuery


class AddDefinition(Step, frozen=True):
    """A business definition."""

    definition: Definition


SchemaOperation = (
    CreateTable
    | Drop
    | Rename
    | AddColumn
    | DropColumn
    | RenameColumn
    | AlterColumn
    | AddConstraint
    | DropConstraint
    | CommentOn
    | Describe
    | CreateRoutine
    | CreateType
    | UseDatabase
    | AddQuery
    | AddDefinition
)


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
