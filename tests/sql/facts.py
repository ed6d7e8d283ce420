"""Facts written short, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.catalog.fold import fold
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    Column,
    CreateTable,
    Facts,
    ForeignKey,
    Name,
    ObjectKind,
    Origin,
    Schema,
    SchemaFile,
    SchemaOperation,
    Series,
    Source,
    Table,
    Usage,
)
from coderag.sql.settings import Settings


def name(text: str) -> Name:
    """Return the name that is written with dots."""
    *before, last = text.split(".")
    schema = before[-1] if before else ""
    return Name(last, schema, before[0] if len(before) > 1 else "")


def column(text: str) -> Column:
    """Return the column of "name type"."""
    first, _, type_ = text.partition(" ")
    return Column(first, type_)


def key(text: str) -> ForeignKey:
    """Return the foreign key of "column, column > table (column, column)"."""
    own, _, target = text.partition(" > ")
    table, _, referenced = target.partition(" (")
    columns = tuple(referenced.rstrip(")").split(", ")) if referenced else ()
    return ForeignKey(tuple(own.split(", ")), name(table), columns)


def create(
    table: str,
    columns: str = "id int",
    *,
    primary: str = "",
    keys: Sequence[str] = (),
    line: int = 1,
    if_missing: bool = False,
    replace: bool = False,
    kind: ObjectKind = ObjectKind.TABLE,
    origin: Origin | None = None,
    alias: str = "",
    comment: str = "",
) -> CreateTable:
    """Return the creation of a table with columns such as "id int, name text"."""
    return CreateTable(
        Table(
            name(table),
            kind=kind,
            columns=tuple(column(one) for one in columns.split(", ") if one),
            primary_key=tuple(primary.split(", ")) if primary else (),
            foreign_keys=tuple(map(key, keys)),
            comment=comment,
            alias=alias,
            origins=(origin,) if origin else (),
            sources=(Source(start_line=line, end_line=line),),
        ),
        if_missing=if_missing,
        replace=replace,
    )


def view(table: str, *reads: str, columns: str = "") -> CreateTable:
    """Return the creation of a view that reads tables."""
    made = create(table, columns, kind=ObjectKind.VIEW).table
    usage = Usage(reads=tuple(map(name, reads)))
    return CreateTable(Table(made.name, made.kind, made.columns, usage=usage, sources=made.sources))


def add(table: str, text: str, *, line: int = 1) -> AddColumn:
    """Return the addition of a column."""
    return AddColumn(name(table), column(text), source=Source(start_line=line, end_line=line))


def add_key(table: str, text: str) -> AddConstraint:
    """Return the addition of a foreign key."""
    return AddConstraint(name(table), foreign_key=key(text), source=Source(start_line=1, end_line=1))


def file(
    path: str, *operations: SchemaOperation, series: Series | None = None, labels: Sequence[str] = ()
) -> SchemaFile:
    """Return a file with some operations."""
    return SchemaFile(path, Facts(operations=operations, series=series), tuple(labels))


def folded(*files: SchemaFile, settings: Settings = Settings("root")) -> Schema:  # noqa: B008 (frozen)
    """Return the schema of some files in a folder that is called root."""
    return fold(files, settings)


def shape(schema: Schema) -> dict[str, str]:
    """Return the columns of each table by its full name."""
    return {str(table.name): " ".join(column.name for column in table.columns) for table in schema.tables}


def texts(schema: Schema) -> list[str]:
    """Return the problems as path:line: text."""
    return [f"{problem.path}:{problem.line}: {problem.text}" for problem in schema.problems]
