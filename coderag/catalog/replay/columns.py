"""Operations on columns, keys, checks and comments of tables."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.catalog.replay.mutable import MutableTable, altered
from coderag.catalog.replay.renames import renaming, same_as, with_renamed_column
from coderag.catalog.replay.state import State
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    DropColumn,
    DropConstraint,
    RenameColumn,
    Source,
)

__all__ = [
    "add_column",
    "add_constraint",
    "alter_column",
    "comment_on_table",
    "drop_column",
    "drop_constraint",
    "rename_column",
]

Change = AddColumn | DropColumn | RenameColumn | AlterColumn | AddConstraint | DropConstraint


def add_column(state: State, operation: AddColumn) -> None:
    """Add a column, where it says or at the end."""
    table = _altered_table(state, operation)
    if table is None:
        return
    column = operation.column
    if table.column(column.name) is not None:
        if not operation.if_missing:
            state.report(operation.source, f"column {column.name} is added to {table.name}, which has it already")
        return
    source = column.source if column.source.start_line else operation.source
    table.add(replace(column, source=state.placed(source)), operation.after)
    state.note(table, operation.source, f"column {column.name} added" + (f": {column.type}" * bool(column.type)))


def drop_column(state: State, operation: DropColumn) -> None:
    """Drop a column, and the keys and checks that need it."""
    table = _altered_table(state, operation)
    if table is None or (operation.if_exists and table.column(operation.column) is None):
        return
    column = _column(state, table, operation.column, source=operation.source, doing="dropped")
    if column is not None:
        table.drop(column)
        state.note(table, operation.source, f"column {column.name} dropped")


def rename_column(state: State, operation: RenameColumn) -> None:
    """Rename a column, in the keys of other tables and in views too."""
    table = _altered_table(state, operation)
    if table is None:
        return
    column = _column(state, table, operation.column, source=operation.source, doing="renamed")
    if column is None:
        return
    table.rename(column, operation.to)
    state.note(table, operation.source, f"column {column.name} renamed to {operation.to}")
    renamed, same = renaming(column.name, operation.to), same_as(table.name)
    for key in state.referrers.get(table.name.name.casefold(), ()):
        if (other := state.tables.get(key)) is not None:
            other.foreign_keys = [
                replace(foreign_key, referenced=renamed(foreign_key.referenced))
                if same(foreign_key.table)
                else foreign_key
                for foreign_key in other.foreign_keys
            ]
    for key in state.readers:
        if (view := state.tables.get(key)) is not None and any(map(same, view.record.usage.reads)):
            view.record = with_renamed_column(view.record, same, column.name, operation.to)


def alter_column(state: State, operation: AlterColumn) -> None:
    """Change what an operation says of a column."""
    table = _altered_table(state, operation)
    if table is None:
        return
    column = _column(state, table, operation.column, source=operation.source, doing="altered")
    if column is not None:
        changed, words = altered(column, operation)
        table.put(changed)
        if words:
            state.note(table, operation.source, f"column {column.name}: {words}")


def add_constraint(state: State, operation: AddConstraint) -> None:
    """Add keys and checks; their name is remembered, as they may be dropped by it."""
    table = _altered_table(state, operation)
    if table is None:
        return
    if operation.index:
        operation = _of_index(state, table, operation)
    words: list[str] = []
    if operation.primary_key:
        table.set_primary_key(operation.primary_key)
        words.append(f"primary key ({', '.join(operation.primary_key)}) added")
    if operation.unique:
        table.add_unique(operation.unique)
        words.append(f"unique key ({', '.join(operation.unique)}) added")
    if operation.check:
        if operation.check not in table.checks:
            table.checks.append(operation.check)
        words.append(f"check {operation.check} added")
    if (key := operation.foreign_key) is not None:
        source = state.placed(key.source if key.source.start_line else operation.source)
        table.add_foreign_key(replace(key, source=source, name=key.name or operation.name))
        state.refer(table)
        words.append(f"foreign key ({', '.join(key.columns)}) to {key.table} added")
    _remember(table, operation)
    state.note(table, operation.source, ", ".join(words) or f"constraint {operation.name} added")


def _of_index(state: State, table: MutableTable, operation: AddConstraint) -> AddConstraint:
    """Return a constraint with the columns of the index that it is made of, which goes by its name from there on."""
    columns = table.take_index(operation.index)
    if not columns:
        state.report(
            operation.source, f"a key of {table.name} is made of the index {operation.index}, which is not known"
        )
    named = replace(operation, name=operation.name or operation.index)
    return replace(named, primary_key=columns) if operation.primary else replace(named, unique=columns)


def _remember(table: MutableTable, operation: AddConstraint) -> None:
    kinds = {
        "primary key": operation.primary_key,
        "unique": operation.unique,
        "check": (operation.check,) if operation.check else (),
    }
    for kind, key in kinds.items():
        if key and operation.name:
            table.constraints[operation.name] = (kind, key)


def drop_constraint(state: State, operation: DropConstraint) -> None:
    """Drop a key or check, by its name or its columns."""
    table = _altered_table(state, operation)
    if table is None:
        return
    if operation.primary_key:
        table.primary_key = ()
        state.note(table, operation.source, "primary key dropped")
        return
    if operation.columns:
        known, words = table.drop_key(operation.columns), f"key ({', '.join(operation.columns)})"
    else:
        known = table.drop_constraint(operation.name, stated=operation.stated)
        words = f"constraint {operation.name}"
    if known:
        state.note(table, operation.source, f"{words} dropped")
    elif not operation.if_exists and state.in_order:
        state.report(operation.source, f"{words} of {table.name} is dropped, which is not known")


def comment_on_table(state: State, operation: CommentOn) -> None:
    """Comment on a table, a view or a column of one."""
    table = state.known(operation.name, operation, source=operation.source, doing="commented on")
    if table is None:
        return
    table.sources.setdefault(state.placed(operation.source))
    if not operation.column:
        table.comment = operation.text
        return
    column = _column(state, table, operation.column, source=operation.source, doing="commented on")
    if column is not None:
        table.put(replace(column, comment=operation.text))


def _altered_table(state: State, operation: Change) -> MutableTable | None:
    return state.known(operation.table, operation, source=operation.source, doing="altered")


def _column(state: State, table: MutableTable, name: str, *, source: Source, doing: str) -> Column | None:
    """Return a column of a table; one that is not there is reported."""
    column = table.column(name)
    if column is None:
        state.report(source, f"column {name} of {table.name} is {doing}, which the table has not")
    return column
