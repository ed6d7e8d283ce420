"""Operations of files to the objects that are there when all of them have been applied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from msgspec.structs import replace

from coderag.catalog.replay.columns import (
    add_column,
    add_constraint,
    alter_column,
    comment_on_table,
    drop_column,
    drop_constraint,
    rename_column,
)
from coderag.catalog.replay.objects import (
    comment_on_routine,
    comment_on_type,
    create_routine,
    create_type,
    drop_routines,
    drop_type,
    rename_routines,
    rename_type,
)
from coderag.catalog.replay.state import ROUTINE_KINDS, TABLE_KINDS, TYPE_KINDS, State, Waiting
from coderag.catalog.replay.tables import (
    create_table,
    describe,
    drop_index,
    drop_schema,
    drop_table,
    rename_schema,
    rename_table,
)
from coderag.sql.records import (
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
    ObjectKind,
    Rename,
    RenameColumn,
    SchemaFile,
    SchemaOperation,
    UseDatabase,
)

__all__ = ["applied", "apply_more", "describe_again"]

ByKind = TypeVar("ByKind", Drop, Rename, CommentOn)
Action = Callable[[State, ByKind], None]

DROPS: dict[ObjectKind, Action[Drop]] = {
    **dict.fromkeys(TABLE_KINDS, drop_table),
    **dict.fromkeys(ROUTINE_KINDS, drop_routines),
    **dict.fromkeys(TYPE_KINDS, drop_type),
    ObjectKind.SCHEMA: drop_schema,
    ObjectKind.INDEX: drop_index,
}
RENAMES: dict[ObjectKind, Action[Rename]] = {
    **dict.fromkeys(TABLE_KINDS, rename_table),
    **dict.fromkeys(ROUTINE_KINDS, rename_routines),
    **dict.fromkeys(TYPE_KINDS, rename_type),
    ObjectKind.SCHEMA: rename_schema,
}
COMMENTS: dict[ObjectKind, Action[CommentOn]] = {
    **dict.fromkeys(TABLE_KINDS, comment_on_table),
    **dict.fromkeys(ROUTINE_KINDS, comment_on_routine),
    **dict.fromkeys(TYPE_KINDS, comment_on_type),
}


def applied(files: Iterable[SchemaFile], *, migrations: Collection[str] = ()) -> State:
    """Return the state after the operations of all files, in the order given.

    `migrations` are the paths whose changes make the history and have to fit what is there. Any other file may change
    what a later one creates, and drops only what it has created itself.
    """
    state = State()
    apply_more(state, files, migrations=migrations)
    return state


def apply_more(state: State, files: Iterable[SchemaFile], *, migrations: Collection[str] = ()) -> None:
    """Apply the operations of further files."""
    state.last = False
    for file in files:
        state.begin(file, in_order=file.path in migrations)
        for operation in file.facts.operations:
            _apply(state, operation)
    state.end_session()
    waiting, state.deferred = state.deferred, []
    _apply_waiting(state, waiting)


def describe_again(state: State, names: Collection[str], *, complete: bool) -> None:
    """Pass on comments and descriptions whose tables were not there and are by now: those of these names, folded.

    Changes are not made: what states the tables has them. Where `complete` is false, no description makes a table.
    """
    waiting, state.failed = state.failed, []
    again: list[Waiting] = []
    for file, database, schema, operation in waiting:
        match operation:
            case CommentOn(name=name) if name.name.casefold() in names:
                again.append((file, database, schema, operation))
            case Describe(table=table) if table.name.name.casefold() in names:
                described = operation if complete else replace(operation, complete=False)
                again.append((file, database, schema, described))
            case _:
                state.failed.append((file, database, schema, operation))
    _apply_waiting(state, again)


def _apply_waiting(state: State, waiting: Iterable[Waiting]) -> None:
    state.last, state.in_order = True, False
    for file, database, schema, operation in waiting:
        state.file, state.database, state.schema = file, database, schema
        _apply(state, operation)


def _apply(state: State, operation: SchemaOperation) -> None:
    """Change the tables, routines and types of a state as an operation does.

    AddColumn(orders, total) -> orders has a column total; Drop(TABLE, orders) -> there is no table orders
    """
    match operation:
        case CreateTable():
            create_table(state, operation)
        case AddColumn():
            add_column(state, operation)
        case AddConstraint():
            add_constraint(state, operation)
        case AlterColumn():
            alter_column(state, operation)
        case DropColumn():
            drop_column(state, operation)
        case RenameColumn():
            rename_column(state, operation)
        case DropConstraint():
            drop_constraint(state, operation)
        case CommentOn():
            _by_kind(COMMENTS, state, operation)
        case Drop():
            _by_kind(DROPS, state, operation)
        case Rename():
            _by_kind(RENAMES, state, operation)
        case Describe():
            describe(state, operation)
        case CreateRoutine():
            create_routine(state, operation)
        case CreateType():
            create_type(state, operation)
        case UseDatabase():
            state.use(operation)
        case AddQuery() | AddDefinition():
            pass  # they belong to no table


def _by_kind(actions: dict[ObjectKind, Action[ByKind]], state: State, operation: ByKind) -> None:
    """Apply an operation to objects of its kind; of other kinds, such as sequences, nothing is kept."""
    action = actions.get(operation.kind)
    if action is not None:
        action(state, operation)
