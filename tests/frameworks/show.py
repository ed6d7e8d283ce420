"""Facts as text, one operation after the other, so that a test reads as input and output."""

from __future__ import annotations

from collections.abc import Iterator

from coderag.frameworks.registry import read_code
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Facts,
    ForeignKey,
    Rename,
    RenameColumn,
    SchemaOperation,
    Table,
)

__all__ = ["read", "show", "shown"]


def read(text: str | bytes, *, path: str = "shop/models.py") -> Facts:
    """Return what a Python file tells, nothing where it tells nothing."""
    data = text.encode() if isinstance(text, str) else text
    return read_code(data, language="python", path=path) or Facts()


def shown(text: str | bytes, *, path: str = "shop/models.py") -> list[str]:
    """Return what a Python file tells, as lines."""
    return show(read(text, path=path))


def show(facts: Facts) -> list[str]:
    """Return operations as lines, a table's columns and keys indented, and at the end what is lost."""
    lines = [line for operation in facts.operations for line in _operation(operation)]
    return lines + [f"lost {lost.line}: {lost.reason}" for lost in facts.unparsed]


def _operation(operation: SchemaOperation) -> Iterator[str]:
    match operation:
        case CreateTable(table=table):
            yield from _table("table", table)
        case Describe(table=table):
            yield from _table("describe", table)
        case AddColumn(table=name, column=column):
            yield f"add {name}: {_column(column)}"
        case DropColumn(table=name, column=text):
            yield f"drop {name}.{text}"
        case RenameColumn(table=name, column=text, to=to):
            yield f"rename {name}.{text} to {to}"
        case AlterColumn(table=name, column=text):
            changes = {
                "type": operation.type,
                "nullable": operation.nullable,
                "default": operation.default,
                "comment": operation.comment,
                "values": operation.values,
            }
            words = [f"{word}={value!r}" for word, value in changes.items() if value is not None]
            yield f"alter {name}.{text} {' '.join(words)}"
        case AddConstraint(table=name):
            yield f"constrain {name} {_constraint(operation)}"
        case DropConstraint(table=name):
            kind = " primary key" if operation.primary_key else "unique sets" if operation.unique else ""
            columns = f"of {', '.join(operation.columns)}" if operation.columns else ""
            yield f"drop constraint {name} {operation.name}{kind}{columns}"
        case Rename(name=name, to=other):
            yield f"rename {name} to {other}"
        case Drop(name=name, kind=kind):
            yield f"drop {kind} {name}"
        case CommentOn(name=name, text=text):
            yield f"comment {name}: {text}"
        case _:
            yield f"{type(operation).__name__}"


def _table(word: str, table: Table) -> Iterator[str]:
    alias = f" ({table.alias})" if table.alias else ""
    comment = f": {table.comment}" if table.comment else ""
    yield f"{word} {table.name}{alias}{comment}"
    yield from (f"  {_column(column)}" for column in table.columns)
    if table.primary_key:
        yield f"  primary key {', '.join(table.primary_key)}"
    yield from (f"  unique {', '.join(columns)}" for columns in table.unique)
    yield from (f"  {_foreign_key(key)}" for key in table.foreign_keys)
    yield from (f"  check {check}" for check in table.checks)


def _column(column: Column) -> str:
    words = [column.name, column.type]
    words += [] if column.nullable else ["not null"]
    words += ["identity"] if column.identity else []
    words += [f"default {column.default}"] if column.default else []
    words += [f"as {column.generated}"] if column.generated else []
    words += [f"in ({', '.join(column.values)})"] if column.values else []
    words += [f"-- {column.comment}"] if column.comment else []
    return " ".join(word for word in words if word)


def _foreign_key(key: ForeignKey) -> str:
    referenced = f" ({', '.join(key.referenced)})" if key.referenced else ""
    return f"key {', '.join(key.columns)} to {key.table}{referenced}{f' = {key.model}' if key.model else ''}"


def _constraint(operation: AddConstraint) -> str:
    name = f"{operation.name} " if operation.name else ""
    if operation.foreign_key is not None:
        return name + _foreign_key(operation.foreign_key)
    if operation.primary_key:
        return f"{name}primary key {', '.join(operation.primary_key)}"
    return f"{name}check {operation.check}" if operation.check else f"{name}unique {', '.join(operation.unique)}"
