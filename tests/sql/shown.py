"""What is read of SQL as lines, so that a test reads as input and output."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AddQuery,
    AlterColumn,
    Column,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    ObjectKind,
    Rename,
    RenameColumn,
    SchemaOperation,
    Table,
    UseDatabase,
)


def read(text: str, dialect: str = "", *, path: str = "schema.sql") -> Facts:
    """Return the facts of a text."""
    return parse_file(dedent(text).encode(), path=path, dialect=dialect)


def shown(text: str, dialect: str = "", *, path: str = "schema.sql") -> str:
    """Return what is read of a text, a line for each operation, column and key, and what is lost."""
    facts = read(text, dialect, path=path)
    lines = [line for operation in facts.operations for line in _operation(operation)]
    lines += [f"lost {one.line}: {one.head} | {one.reason}{' | table' if one.table else ''}" for one in facts.unparsed]
    return "\n".join(lines) + "\n"


def expected(text: str) -> str:
    """Return the lines of an expectation."""
    return dedent(text)


def _operation(operation: SchemaOperation) -> Iterator[str]:
    match operation:
        case CreateTable(table=table):
            words = ["replace" if operation.replace else "", "if missing" if operation.if_missing else ""]
            yield from _table(table, " ".join(word for word in words if word))
        case Describe(table=table):
            yield from _table(table, "describe")
        case AddColumn(table=name, column=column):
            after = "" if operation.after is None else f" after {operation.after or '(first)'}"
            yield f"{name} add {_column(column)}{after}{' if missing' if operation.if_missing else ''}"
        case DropColumn(table=name, column=text):
            yield f"{name} drop {text}{' if exists' if operation.if_exists else ''}"
        case RenameColumn(table=name, column=text, to=to):
            yield f"{name} rename {text} to {to}"
        case AlterColumn(table=name, column=text):
            fields = ("type", "nullable", "default", "comment", "values", "identity")
            changes = {field: getattr(operation, field) for field in fields}
            said = " ".join(f"{field}={value!r}" for field, value in changes.items() if value is not None)
            yield f"{name} alter {text} {said}"
        case AddConstraint(table=name):
            yield f"{name} add {_constraint(operation)}"
        case DropConstraint(table=name):
            what = "primary key" if operation.primary_key else operation.name or f"({', '.join(operation.columns)})"
            yield f"{name} drop constraint {what}{' if exists' if operation.if_exists else ''}"
        case Rename(name=name, to=other, kind=kind):
            yield f"rename {kind} {name} to {other}"
        case Drop(name=name, kind=kind):
            yield f"drop {kind} {name}{' if exists' if operation.if_exists else ''}"
        case CommentOn(name=name, text=text, kind=kind):
            yield f"comment on {kind} {name}{' column ' if operation.column else ''}{operation.column}: {text}"
        case UseDatabase():
            yield f"use database={operation.database} schema={operation.schema}"
        case AddQuery(query=query):
            reads = ", ".join(map(str, (*query.usage.reads, *query.usage.writes)))
            yield f"query of {reads}: {query.question}"
        case CreateType(type=type_):
            extend = " extend" if operation.extend else ""
            facts = [type_.base, *(f"in ({', '.join(type_.values)})" for _ in type_.values[:1]), *type_.checks]
            said = " ".join([f"{type_.kind} {type_.name}{extend}", *(fact for fact in facts if fact)])
            yield said + _note(type_.comment)
            yield from (f"  {_column(column)}" for column in type_.columns)
        case CreateRoutine(routine=routine):
            parameters = ", ".join(_column(parameter) for parameter in routine.parameters)
            facts = [f" returns {routine.returns}"] if routine.returns else []
            facts += [f" in {routine.language}"] if routine.language else []
            facts += [f" on {routine.table}"] if routine.table else []
            replace = " replace" if operation.replace else ""
            yield f"{routine.kind} {routine.name}({parameters}){''.join(facts)}{replace}{_note(routine.comment)}"
            for word in ("reads", "writes", "calls"):
                if used := getattr(routine.usage, word):
                    yield f"  {word} {', '.join(map(str, used))}"
        case _:
            yield type(operation).__name__


def _table(table: Table, words: str) -> Iterator[str]:
    said = [words, "temporary" if table.temporary else "", table.kind, str(table.name)]
    if table.parent is not None:
        said.append(f"{'part of' if table.partition else 'like'} {table.parent}")
    yield " ".join(word for word in said if word) + _note(table.comment)
    yield from (f"  {_column(column)}" for column in table.columns)
    if table.primary_key:
        yield f"  primary key {', '.join(table.primary_key)}"
    yield from (f"  unique {', '.join(columns)}" for columns in table.unique)
    yield from (f"  {_foreign_key(key)}" for key in table.foreign_keys)
    yield from (f"  check {check}" for check in table.checks)
    if table.query:
        yield f"  query {' '.join(table.query.split())}"
        yield f"  reads {', '.join(map(str, table.usage.reads))}"


def _column(column: Column) -> str:
    words = [column.name, column.type]
    words += [] if column.nullable else ["not null"]
    words += ["identity"] if column.identity else []
    words += [f"default {column.default}"] if column.default else []
    words += [f"as {column.generated}"] if column.generated else []
    words += [f"in ({', '.join(column.values)})"] if column.values else []
    return " ".join(word for word in words if word) + _note(column.comment)


def _note(comment: str) -> str:
    return f" -- {comment}" if comment else ""


def _foreign_key(key: ForeignKey) -> str:
    referenced = f" ({', '.join(key.referenced)})" if key.referenced else ""
    name = f"{key.name} " if key.name else ""
    return f"key {name}{', '.join(key.columns)} to {key.table}{referenced}"


def _constraint(operation: AddConstraint) -> str:
    if operation.foreign_key is not None:
        return _foreign_key(operation.foreign_key)
    name = f"{operation.name} " if operation.name else ""
    if operation.index:
        return f"{name}{'primary key' if operation.primary else 'unique'} of index {operation.index}"
    if operation.primary_key:
        return f"{name}primary key {', '.join(operation.primary_key)}"
    return f"{name}check {operation.check}" if operation.check else f"{name}unique {', '.join(operation.unique)}"


def tables(facts: Facts) -> list[Table]:
    """Return the tables that facts declare, views left out."""
    kinds = (ObjectKind.TABLE, ObjectKind.EXTERNAL_TABLE)
    created = (operation.table for operation in facts.operations if isinstance(operation, CreateTable))
    return [table for table in created if table.kind in kinds]
