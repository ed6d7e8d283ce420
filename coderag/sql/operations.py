"""What a statement of a file does to a schema: one record for each kind of operation."""

from __future__ import annotations

from coderag.sql.objects import (
    Column,
    Definition,
    ExampleQuery,
    ForeignKey,
    Name,
    ObjectKind,
    Record,
    Routine,
    Source,
    Table,
    TypeDefinition,
)

__all__ = [
    "AddColumn",
    "AddConstraint",
    "AddDefinition",
    "AddQuery",
    "AlterColumn",
    "CommentOn",
    "CreateRoutine",
    "CreateTable",
    "CreateType",
    "Describe",
    "Drop",
    "DropColumn",
    "DropConstraint",
    "Rename",
    "RenameColumn",
    "SchemaOperation",
    "Step",
    "UseDatabase",
]


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
