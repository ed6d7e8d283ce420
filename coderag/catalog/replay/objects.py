"""Operations on routines and types."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.catalog.replay.state import RoutineKey, State, place_of
from coderag.sql.records import CommentOn, CreateRoutine, CreateType, Drop, Name, ObjectKind, Rename, Routine, Usage
from coderag.sql.statements.names import Key, key_of, plain_schema

__all__ = [
    "comment_on_routine",
    "comment_on_type",
    "create_routine",
    "create_type",
    "drop_routines",
    "drop_type",
    "rename_routines",
    "rename_type",
]


def create_routine(state: State, operation: CreateRoutine) -> None:
    """Add a routine; functions of one name are told apart by their parameters."""
    routine = operation.routine
    name = state.qualified(routine.name)
    made = replace(routine, name=name, source=state.placed(routine.source))
    before = state.routines.get(_routine_key(made))
    if before is not None and made.kind is ObjectKind.PACKAGE:  # its head and its body
        made = replace(before, usage=_joined_usage(before.usage, made.usage), comment=before.comment or made.comment)
    elif before is not None and not operation.replace and not _states_again(state, before):
        text = f"{made.kind} {name} is created twice, here and in {place_of(before.source)}: the later one counts"
        state.report(made.source, text)
    _put_routine(state, made)


def _states_again(state: State, before: Routine) -> bool:
    """Tell whether the file that is being applied states what a migration has made: one of a project, or a snapshot."""
    file = state.files.get(before.source.path)
    return not state.in_order and file is not None and file.facts.series is not None


def _put_routine(state: State, routine: Routine) -> None:
    state.databases.setdefault(routine.name.database.casefold(), routine.name.database)
    state.routines[_routine_key(routine)] = routine


def drop_routines(state: State, operation: Drop) -> None:
    """Take out the routines of a name."""
    name = operation.name.name.casefold()
    schema = plain_schema(operation.name.schema or state.schema)
    for key, routine in list(state.routines.items()):
        same = key[1][2] == name and (key[1][1] == schema or not operation.name.schema)
        if same and key[0] is operation.kind and (state.in_order or routine.source.path == state.path):
            del state.routines[key]


def rename_routines(state: State, operation: Rename) -> None:
    """Give the routines of a name another one."""
    name = operation.name.name.casefold()
    for key, routine in list(state.routines.items()):
        if key[1][2] == name and key[0] is operation.kind:
            del state.routines[key]
            _put_routine(state, replace(routine, name=replace(routine.name, name=operation.to.name)))


def comment_on_routine(state: State, operation: CommentOn) -> None:
    """Comment on the routines of a name."""
    name = operation.name.name.casefold()
    for key, routine in state.routines.items():
        if key[1][2] == name and key[0] is operation.kind:
            state.routines[key] = replace(routine, comment=operation.text)


def create_type(state: State, operation: CreateType) -> None:
    """Add a type, or values to one that is there."""
    type_definition = operation.type
    key = _type_key(state, type_definition.name)
    before = state.types.get(key)
    if operation.extend:
        if before is None and state.may_wait:
            state.defer(operation)
        elif before is None:
            state.report(type_definition.source, f"type {type_definition.name} gets values and is never created")
        else:
            more = tuple(value for value in type_definition.values if value not in before.values)
            state.types[key] = replace(before, values=before.values + more)
        return
    name = state.qualified(type_definition.name)
    state.databases.setdefault(name.database.casefold(), name.database)
    state.types[key_of(name)] = replace(type_definition, name=name, source=state.placed(type_definition.source))


def drop_type(state: State, operation: Drop) -> None:
    """Take out a type."""
    state.types.pop(_type_key(state, operation.name), None)


def comment_on_type(state: State, operation: CommentOn) -> None:
    """Comment on a type."""
    key = _type_key(state, operation.name)
    if (type_definition := state.types.get(key)) is not None:
        state.types[key] = replace(type_definition, comment=operation.text)


def rename_type(state: State, operation: Rename) -> None:
    """Give a type another name, also where columns are of it."""
    type_definition = state.types.pop(_type_key(state, operation.name), None)
    if type_definition is None:
        return
    renamed = replace(type_definition, name=replace(type_definition.name, name=operation.to.name))
    state.types[key_of(renamed.name)] = renamed
    old = type_definition.name.name.casefold()
    for table in state.tables.values():
        for column in list(table.columns.values()):
            if column.type.casefold().rpartition(".")[2] == old:
                table.put(replace(column, type=operation.to.name))


def _type_key(state: State, name: Name) -> Key:
    """Return the key of a type that is there, else the one that a new type would have."""
    key = key_of(state.qualified(name))
    if key in state.types or name.schema:
        return key
    return next((type_ for type_ in state.types if type_[2] == key[2]), key)


def _joined_usage(first: Usage, second: Usage) -> Usage:
    """Return what either of two bodies uses."""
    return Usage(
        *(tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name)))) for name in Usage.__struct_fields__)
    )


def _routine_key(routine: Routine) -> RoutineKey:
    parameters = tuple(parameter.type.casefold() or parameter.name.casefold() for parameter in routine.parameters)
    if routine.kind is ObjectKind.PACKAGE:
        parameters = ()
    return routine.kind, key_of(routine.name), key_of(routine.table) if routine.table else None, parameters
