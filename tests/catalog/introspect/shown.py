"""Facts as text that reads like what was declared."""

from __future__ import annotations

from collections.abc import Iterable

from coderag.sql.records import (
    Column,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Facts,
    Routine,
    SchemaOperation,
    Table,
    TypeDefinition,
    Usage,
)

__all__ = ["columns_of", "shown", "table_of"]


def shown(facts: Facts) -> str:
    """Return everything but queries and lineage, a line for each part."""
    return "\n".join(line for operation in facts.operations for line in _operation(operation))


def table_of(facts: Facts, name: str) -> Table:
    """Return the table or view of a name."""
    return next(
        operation.table
        for operation in facts.operations
        if isinstance(operation, CreateTable) and operation.table.name.name == name
    )


def columns_of(facts: Facts) -> dict[str, list[str]]:
    """Return the names of the columns of every table."""
    tables = [operation.table for operation in facts.operations if isinstance(operation, CreateTable)]
    return {str(table.name): [column.name for column in table.columns] for table in tables}


def _operation(operation: SchemaOperation) -> Iterable[str]:
    match operation:
        case CreateTable():
            return _table(operation.table)
        case CreateType():
            return [_type(operation.type)]
        case CreateRoutine():
            return [_routine(operation.routine)]
        case CommentOn():
            return [f"comment on {operation.kind} {operation.name}: {operation.text}"]
    return [repr(operation)]


def _table(table: Table) -> Iterable[str]:
    words = [table.kind, str(table.name)]
    words += ["partition of" if table.partition else "child of", str(table.parent)] if table.parent else []
    yield _with_comment(" ".join(words), table.comment)
    yield from (f"    {_column(column)}" for column in table.columns)
    yield from ([f"    primary key {', '.join(table.primary_key)}"] if table.primary_key else [])
    yield from (f"    unique {', '.join(key)}" for key in table.unique)
    for key in table.foreign_keys:
        yield f"    {', '.join(key.columns)} -> {key.table}({', '.join(key.referenced)})"
    yield from (f"    check {check}" for check in table.checks)
    yield from ([f"    {_usage(table.usage)}"] if table.usage.reads else [])


def _column(column: Column) -> str:
    words = [column.name, column.type]
    words += [] if column.nullable else ["not null"]
    words += ["identity"] if column.identity else []
    words += [f"default {column.default}"] if column.default else []
    words += [f"generated {column.generated}"] if column.generated else []
    words += [f"values {', '.join(column.values)}"] if column.values else []
    return _with_comment(" ".join(filter(None, words)), column.comment)


def _type(type: TypeDefinition) -> str:
    words = [type.kind, str(type.name), type.base, ", ".join(type.values)]
    words += [f"{column.name} {column.type}" for column in type.columns]
    words += [f"check {check}" for check in type.checks]
    return _with_comment(" ".join(filter(None, words)), type.comment)


def _routine(routine: Routine) -> str:
    parameters = ", ".join(_column(column) for column in routine.parameters)
    words = [routine.kind, f"{routine.name}({parameters})"]
    words += [f"returns {routine.returns}"] if routine.returns else []
    words += [f"on {routine.table}"] if routine.table else []
    words += [_usage(routine.usage)]
    return _with_comment(" ".join(filter(None, words)), routine.comment)


def _usage(usage: Usage) -> str:
    words = [f"reads {', '.join(map(str, usage.reads))}"] if usage.reads else []
    words += [f"writes {', '.join(map(str, usage.writes))}"] if usage.writes else []
    words += [f"calls {', '.join(usage.calls)}"] if usage.calls else []
    return "; ".join(words)


def _with_comment(text: str, comment: str) -> str:
    return f"{text}  -- {comment}" if comment else text
