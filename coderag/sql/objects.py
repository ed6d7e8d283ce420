"""What schemas are made of: names, columns, keys, tables, routines, types, example queries and definitions."""

from __future__ import annotations

from enum import StrEnum

import msgspec

__all__ = [
    "Change",
    "Column",
    "ColumnUse",
    "Definition",
    "Evidence",
    "ExampleQuery",
    "ForeignKey",
    "Join",
    "Lineage",
    "Name",
    "ObjectKind",
    "Origin",
    "Record",
    "Relation",
    "Routine",
    "Source",
    "Table",
    "TypeDefinition",
    "Usage",
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
