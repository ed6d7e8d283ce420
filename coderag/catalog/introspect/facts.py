"""What a database said of itself to the facts that a file with its definitions would give."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from coderag.catalog.introspect.ask import Answers
from coderag.catalog.introspect.definitions import completed, table_in, trigger_in
from coderag.catalog.introspect.grouped import Grouped, grouped
from coderag.catalog.introspect.rows import RoutineRow, TableRow, TriggerRow, TypeRow
from coderag.catalog.introspect.tables import condition, table_of
from coderag.sql.lineage.usage import usage_of_text
from coderag.sql.records import (
    Column,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Facts,
    Name,
    ObjectKind,
    Routine,
    SchemaOperation,
    Table,
    TypeDefinition,
    Unparsed,
    Usage,
    UseDatabase,
)
from coderag.sql.statements.names import plain_schema

__all__ = ["Watch", "facts_of"]

Watch = Callable[[int, int], None]  # is told how many tables are done, and of how many

DEFAULT_COMMENTS = frozenset({"standard public schema"})  # that nobody wrote
TITLES = {ObjectKind.VIEW: "VIEW", ObjectKind.MATERIALIZED_VIEW: "MATERIALIZED VIEW"}
NO_RIGHT = "the user has no right to read it"


def facts_of(answers: Answers, *, database: str, watch: Watch | None = None) -> Facts:
    """Return types, tables, views, routines and triggers as operations, and what is missing of them.

    Names in the schema that names without one mean are written without it.
    """
    found = grouped(answers)
    unparsed = list(answers.unparsed)
    operations: list[SchemaOperation] = []
    if plain_schema(answers.database.schema_name) and answers.dialect == "postgres":
        operations.append(UseDatabase(schema=answers.database.schema_name))
    operations += (CreateType(_type(row, found)) for row in answers.types)
    operations += _tables(found, unparsed, watch)
    operations += _routines(found, unparsed)
    operations += _triggers(found, unparsed)
    operations += _schema_comments(found)
    return Facts(
        dialect=answers.dialect,
        guess=f"{answers.database.version} says so",
        statements=len(operations),
        database=database,
        unparsed=tuple(unparsed),
        operations=tuple(operations),
    )


def _type(row: TypeRow, answers: Grouped) -> TypeDefinition:
    return TypeDefinition(
        name=answers.name(row.schema_name, row.name),
        kind=ObjectKind(row.kind),
        base=row.base,
        values=answers.enums.get(row.id, ()),
        columns=tuple(
            Column(type_column_row.name, type_column_row.type)
            for type_column_row in answers.type_columns.get(row.id, [])
        ),
        checks=tuple(
            condition(type_check_row.expression, answers.dialect)[0]
            for type_check_row in answers.type_checks.get(row.id, [])
        ),
        comment=row.comment,
    )


def _tables(answers: Grouped, unparsed: list[Unparsed], watch: Watch | None) -> Iterable[SchemaOperation]:
    unparsed += (Unparsed(0, _head(row), NO_RIGHT, table=True) for row in answers.answers.tables if not row.readable)
    # Each server has its own idea of the order of names.
    readable = sorted(
        (row for row in answers.answers.tables if row.readable), key=lambda row: (row.schema_name, row.name)
    )
    for done, row in enumerate(readable, 1):
        table = _table(row, answers, unparsed)
        if table is not None:
            yield CreateTable(table)
        if watch is not None:
            watch(done, len(readable))


def _table(row: TableRow, answers: Grouped, unparsed: list[Unparsed]) -> Table | None:
    key = (row.schema_name, row.name)
    columns = answers.columns.get(key, [])
    kind = ObjectKind(row.kind)
    if row.problem:
        unparsed.append(Unparsed(0, _head(row), row.problem, table=True))
    elif not columns and kind not in TITLES and answers.dialect.name != "postgres":  # where a table may have none
        reason = "it has no columns: it was dropped meanwhile, or the user may read none of them"
        unparsed.append(Unparsed(0, _head(row), reason, table=True))
        return None
    hidden = (column.name for column in columns if not column.readable)
    unparsed += (Unparsed(0, f"COLUMN {row.schema_name}.{row.name}.{name}", NO_RIGHT) for name in hidden)
    table = table_of(row, answers)
    text = answers.texts.get(key, "")
    if not text:
        if kind in TITLES and not row.problem:
            unparsed.append(Unparsed(0, _head(row), "the database does not show its query"))
        return table
    if answers.dialect.name in {"mysql", "mariadb"} and answers.answers.database.schema_name:
        # They write every name in full.
        text = text.replace(f"`{answers.answers.database.schema_name}`.", "")
    declared = table_in(text, kind, answers.dialect)
    if declared is None:
        unparsed.append(Unparsed(0, _head(row), "its definition could not be read"))
        return table
    return completed(table, declared)


def _routines(answers: Grouped, unparsed: list[Unparsed]) -> Iterable[SchemaOperation]:
    for row in answers.answers.routines:
        if not row.readable:
            unparsed.append(
                Unparsed(0, f"{row.kind.upper()} {row.schema_name}.{row.name}", "the user may not see its body")
            )
        yield CreateRoutine(_routine(row, answers))


def _routine(row: RoutineRow, answers: Grouped) -> Routine:
    parameters = answers.parameters.get(row.id, [])
    return Routine(
        name=answers.name(row.schema_name, row.name),
        kind=ObjectKind(row.kind),
        parameters=tuple(
            Column(parameter.name, parameter.type, default=parameter.expression) for parameter in parameters
        ),
        returns=row.returns,
        language=row.language,
        usage=usage_of_text(row.body),
        comment=row.comment,
    )


def _triggers(answers: Grouped, unparsed: list[Unparsed]) -> Iterable[SchemaOperation]:
    for row in answers.answers.triggers:
        yield CreateRoutine(_trigger(row, answers))
    for definition in answers.answers.definitions:
        if definition.kind != "trigger":
            continue
        trigger = trigger_in(definition.text, answers.dialect)
        if trigger is None:
            unparsed.append(Unparsed(0, f"TRIGGER {definition.name}", "its definition could not be read"))
        else:
            yield CreateRoutine(trigger)


def _trigger(row: TriggerRow, answers: Grouped) -> Routine:
    return Routine(
        name=answers.name(row.schema_name, row.name),
        kind=ObjectKind.TRIGGER,
        language=row.language,
        table=answers.name(row.table_schema, row.table_name),
        usage=Usage(calls=(row.calls,)) if row.calls else usage_of_text(row.body),
        comment=row.comment,
    )


def _schema_comments(answers: Grouped) -> Iterable[SchemaOperation]:
    for row in answers.answers.schemas:
        if row.comment and row.comment not in DEFAULT_COMMENTS:
            yield CommentOn(Name(row.name), row.comment, ObjectKind.SCHEMA)


def _head(row: TableRow) -> str:
    return f"{TITLES.get(ObjectKind(row.kind), 'TABLE')} {row.schema_name}.{row.name}"
