"""Operations on whole tables and views."""

from __future__ import annotations

from msgspec.structs import replace

from coderag.catalog.replay.mutable import MutableTable, joined_comment, same_columns
from coderag.catalog.replay.renames import renamed_to, same_as, with_renamed_table
from coderag.catalog.replay.state import State, place_of
from coderag.sql.records import (
    Column,
    CreateTable,
    Describe,
    Drop,
    Name,
    Origin,
    Rename,
    Source,
    Table,
    Usage,
)
from coderag.sql.statements.names import key_of

ROWS_BY_SESSION = frozenset({"db2", "oracle"})  # dialects in which the definition of a temporary table stays

__all__ = [
    "create_table",
    "describe",
    "described_column",
    "drop_index",
    "drop_schema",
    "drop_table",
    "rename_schema",
    "rename_table",
]


def create_table(state: State, operation: CreateTable) -> None:
    """Add a table or view; one of its name makes way, or is kept and the problem reported."""
    table = operation.table
    if operation.needs is not None and state.in_order and state.find(operation.needs) is None:
        return
    name = state.qualified(table.name)
    declared = state.placed(table.sources[0] if table.sources else Source())
    key = key_of(name)
    before = state.tables.get(key)
    if table.temporary and not _stays(state):
        state.hide(MutableTable(table, name, declared), before)
    if before is not None and not operation.replace and not _makes_way(state, before, operation, declared=declared):
        return
    made = MutableTable(state.filled(table), name, declared)
    for source in table.sources[1:]:
        made.sources.setdefault(state.placed(source))
    earlier = before or state.dropped.pop(key, None)
    if earlier is not None and not table.temporary and (state.in_order or operation.replace):
        made.take_over(earlier)
    state.note(made, declared, "replaced" if before is not None else "created")
    if before is not None and Origin.ORM in table.origins:
        _merge(state, made, before.to_record(), complete=False)
    if not state.inherit(made):
        state.orphans.append(made)
    state.put(made)


def _stays(state: State) -> bool:
    """Tell whether a temporary table is a table of the schema, of which each session has rows of its own."""
    return state.file is not None and state.file.facts.dialect in ROWS_BY_SESSION


def _makes_way(state: State, before: MutableTable, operation: CreateTable, *, declared: Source) -> bool:
    """Tell whether a table is replaced by another of its name; where that is wrong, report it."""
    table = operation.table
    if table.temporary or before.record.temporary:
        return True
    if Origin.ORM in table.origins and Origin.ORM in before.record.origins:
        return _merges_model(state, before, operation.table, declared)
    here = f"{before.name} is created twice, here and in {place_of(before.declared)}"
    if operation.if_missing:
        if not same_columns(table.columns, before.columns.values()) and table.columns:
            state.report(declared, f"{here}, with other columns: the first counts, as this one says IF NOT EXISTS")
        return False
    if before.record.parent is not None and before.record.partition:
        return True
    state.report(declared, f"{here}: the later one counts")
    return True


def _merges_model(state: State, before: MutableTable, table: Table, declared: Source) -> bool:
    """Make one table of two that models declare; where a snapshot states it, the other adds no columns.

    Tells whether the table that came first makes way, as a snapshot that comes later lets it.
    """
    if state.states_all(state.path) and not state.states_all(before.declared.path):
        return True
    _merge(state, before, table, complete=not state.states_all(before.declared.path))
    before.sources.setdefault(declared)
    return False


def drop_table(state: State, operation: Drop) -> None:
    """Take a table out; one that is created again later goes on with its history."""
    mutable_table = state.find(operation.name)
    if mutable_table is None:
        if state.in_order and not operation.if_exists:
            state.report(operation.source, f"{operation.name} is dropped and never created")
        return
    # A file that takes a schema down lies beside the one that builds it, and is not the last word.
    if not state.in_order and mutable_table.declared.path != state.path:
        return
    state.take(mutable_table)
    if (hidden := state.session.pop(key_of(mutable_table.name), None)) is not None:
        state.put(hidden)
        return
    state.note(mutable_table, operation.source, "dropped")
    state.dropped[key_of(mutable_table.name)] = mutable_table


def drop_schema(state: State, operation: Drop) -> None:
    """Take out all tables of a schema or database."""
    name = operation.name.name.casefold()
    for table in list(state.tables.values()):
        if name in (table.name.schema.casefold(), table.name.database.casefold()):
            drop_table(state, Drop(table.name, source=operation.source))


def rename_table(state: State, operation: Rename) -> None:
    """Give a table or view another name."""
    mutable_table = state.known(operation.name, operation, source=operation.source, doing="renamed")
    if mutable_table is not None:
        schema = operation.to.schema or mutable_table.name.schema
        to = Name(operation.to.name, schema, operation.to.database or mutable_table.name.database)
        _move(state, mutable_table, to=to, source=operation.source)


def rename_schema(state: State, operation: Rename) -> None:
    """Give a schema another name."""
    folded = operation.name.name.casefold()
    for table in list(state.tables.values()):
        if table.name.schema.casefold() == folded:
            _move(state, table, to=replace(table.name, schema=operation.to.name), source=operation.source)


def _move(state: State, table: MutableTable, *, to: Name, source: Source) -> None:
    """Give a table another name, also where keys, views and triggers refer to it."""
    before = table.name
    occupied = state.tables.get(key_of(to))
    if occupied is not None and occupied is not table:
        state.report(source, f"{before} is renamed to {to}, which is there already: it is replaced")
        table.take_over(occupied)
    state.take(table)
    earlier = state.dropped.pop(key_of(to), None)
    if earlier is not None:  # rebuilt under another name, as SQLite's ALTER TABLE needs it
        table.take_over(earlier)
    table.name = to
    state.put(table)
    state.note(table, source, f"renamed from {before.name if before.schema == to.schema else before}")
    if earlier is None:
        _refer_to(state, before, to)


def _refer_to(state: State, before: Name, to: Name) -> None:
    """Give keys, parts, views and triggers the new name of a table."""
    same = same_as(before)
    for key in list(state.referrers.get(before.name.casefold(), ())):
        table = state.tables.get(key)
        if table is None:
            continue
        table.foreign_keys = [
            replace(foreign_key, table=renamed_to(foreign_key.table, to)) if same(foreign_key.table) else foreign_key
            for foreign_key in table.foreign_keys
        ]
        state.referrers.setdefault(to.name.casefold(), {})[key] = None
    for key in list(state.readers):
        if (table := state.tables.get(key)) is None:
            continue
        record = table.record
        if record.parent is not None and same(record.parent):
            table.record = record = replace(record, parent=renamed_to(record.parent, to))
        if any(map(same, record.usage.reads)):
            table.record = with_renamed_table(record, same, to)
    for routine_key, routine in state.routines.items():
        if routine.table is not None and same(routine.table):
            state.routines[routine_key] = replace(routine, table=renamed_to(routine.table, to))


def describe(state: State, operation: Describe) -> None:
    """Add to a table what a document says of it; a complete description may be all there is of it."""
    described = operation.table
    mutable_table = state.find(described.name)
    if mutable_table is None and state.last and operation.complete:
        create_table(state, CreateTable(described))
        return
    source = described.sources[0] if described.sources else Source()
    table = mutable_table or state.known(described.name, operation, source=source, doing="described")
    if table is not None:
        _merge(state, table, described, complete=operation.complete)
        if state.in_order and described.alias:  # a migration gives the model another name
            table.alias = described.alias
        for one in described.sources:
            table.sources.setdefault(state.placed(one))


def drop_index(state: State, operation: Drop) -> None:
    """Drop the unique key that an index is."""
    name = operation.name.name
    for table in state.tables.values():
        if any(constraint.casefold() == name.casefold() for constraint in table.constraints):
            table.drop_constraint(name)
            state.note(table, operation.source, f"index {name} dropped")


def _merge(state: State, table: MutableTable, described: Table, *, complete: bool) -> None:
    """Add to a table what is said of it elsewhere."""
    described = state.filled(described)
    table.comment = joined_comment(table.comment, described.comment)
    table.alias = table.alias or described.alias
    table.primary_key = table.primary_key or described.primary_key
    for columns in described.unique:
        table.add_unique(columns)
    for key in described.foreign_keys:
        table.add_foreign_key(key)
        state.referrers.setdefault(key.table.name.casefold(), {})[key_of(table.name)] = None
    table.checks += [check for check in described.checks if check not in table.checks]
    for column in described.columns:
        known = table.column(column.name)
        if known is not None:
            table.put(described_column(known, column))
        elif complete:
            table.add(column)
    table.record = _described_record(table.record, described)


def described_column(column: Column, described: Column) -> Column:
    """Return a column with what is said of it elsewhere."""
    return replace(
        column,
        type=column.type or described.type,
        nullable=column.nullable and described.nullable,
        default=column.default or described.default,
        comment=joined_comment(column.comment, described.comment),
        values=column.values or described.values,
        generated=column.generated or described.generated,
        identity=column.identity or described.identity,
        field=column.field or described.field,
    )


def _described_record(record: Table, described: Table) -> Table:
    return replace(
        record,
        row_count=described.row_count if described.row_count >= 0 else record.row_count,
        updated=max(record.updated, described.updated),
        parent=record.parent or described.parent,
        partition=record.partition or described.partition,
        query=record.query or described.query,
        usage=record.usage if record.usage != Usage() else described.usage,
        lineage=record.lineage or described.lineage,
        domain=record.domain or described.domain,
        environment=record.environment or described.environment,
        relations=tuple(dict.fromkeys((*record.relations, *described.relations))),
        origins=tuple(dict.fromkeys((*record.origins, *described.origins))),
    )
