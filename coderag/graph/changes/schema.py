"""Two schemas, before a change and after it, to the tables and columns that came, changed or went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coderag.graph.changes.records import Changed, How
from coderag.graph.queries.locations import Location
from coderag.graph.records import NodeKind
from coderag.sql.records import (
    AddColumn,
    AlterColumn,
    Column,
    Drop,
    DropColumn,
    ForeignKey,
    Name,
    ObjectKind,
    Rename,
    RenameColumn,
    Schema,
    SchemaOperation,
    Source,
    Table,
)

__all__ = ["changed_schema"]

VIEWS = frozenset({ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW})
TABLES = VIEWS | {ObjectKind.TABLE, ObjectKind.EXTERNAL_TABLE}
Key = tuple[str, str, str]  # database, schema and name in any case


@dataclass(frozen=True, slots=True)
class _Renames:
    """What operations of the change rename: the old name by the new one, all without regard to case."""

    tables: Mapping[str, str]
    columns: Mapping[tuple[str, str], str]  # by table and column


def changed_schema(
    before: Schema, after: Schema, operations: Sequence[tuple[str, SchemaOperation]]
) -> tuple[Changed, ...]:
    """Return what differs between two schemas.

    The `operations` that the change brings, each with its file, say what of it is a rename. What they do to a table
    that is as it was (a dump of the schema, which has the last word, does not know the migration yet) counts as well.
    """
    renames = _renames(operation for _, operation in operations)
    old, new = ({table.name.key: table for table in schema.tables} for schema in (before, after))
    found: list[Changed] = []
    matched: set[Key] = set()
    for key, table in new.items():
        same = _counterpart(key, old, new, renames)
        if same is None:
            found.append(Changed(_spot(table), How.ADDED))
            continue
        matched.add(same)
        found += _of_table(old[same], table, renames)
    found += [Changed(_spot(table), How.REMOVED) for key, table in old.items() if key not in matched]
    known = {(one.spot.name.casefold(), one.spot.kind) for one in found}
    known |= {(one.before.casefold(), one.spot.kind) for one in found if one.before}
    stated = (one for path, operation in operations for one in _stated(path, operation, (*old.values(), *new.values())))
    found += [one for one in stated if (one.spot.name.casefold(), one.spot.kind) not in known]
    return tuple(sorted(found, key=lambda one: (one.spot.database, one.spot.name, one.how)))


def _stated(path: str, operation: SchemaOperation, tables: Sequence[Table]) -> Iterator[Changed]:
    """Yield what an operation says that it changes: a column, or a table as a whole.

    AddColumn of total to orders     -> orders.total, ADDED
    Rename of the table bills to orders  -> orders, RENAMED, before it "bills"
    """
    how, column, before, detail = How.CHANGED, "", "", ""
    match operation:
        case AddColumn(table=name, column=added):
            how, column = How.ADDED, added.name
        case DropColumn(table=name, column=column):
            how = How.REMOVED
        case RenameColumn(table=name, column=former, to=column):
            how, before = How.RENAMED, f"{name.name}.{former}"
        case AlterColumn(table=name, column=column):
            detail = f"type {operation.type}" if operation.type else ""
        case Drop(name=name, kind=kind) if kind in TABLES:
            how = How.REMOVED
        case Rename(name=former_name, to=name, kind=kind) if kind in TABLES:
            how, before = How.RENAMED, str(_short(former_name))
        case _:
            return
    named = {name.name.casefold(), before.rpartition(".")[2].casefold()}
    same = [table for table in tables if table.name.name.casefold() in named]
    if not same:
        return  # another kind of object, or one that nothing creates
    source = operation.source
    shown = f"{name.name}.{column}" if column else str(_short(name))
    kind_of = NodeKind.COLUMN if column else NodeKind.VIEW if same[0].kind in VIEWS else NodeKind.TABLE
    place = Location(kind_of, shown, path, source.start_line, source.end_line, database=same[0].name.database)
    yield Changed(place, how, before, detail)


def _renames(operations: Iterable[SchemaOperation]) -> _Renames:
    tables, columns = {}, {}
    for operation in operations:
        match operation:
            case Rename(name=name, to=to):
                tables[to.name.casefold()] = name.name.casefold()
            case RenameColumn(table=table, column=column, to=to_column):
                columns[table.name.casefold(), to_column.casefold()] = column.casefold()
    return _Renames(tables, columns)


def _counterpart(key: Key, old: Mapping[Key, Table], new: Mapping[Key, Table], renames: _Renames) -> Key | None:
    """Return the table that one was before; what another database is called may have changed with its files."""
    database, schema, name = key
    if key in old:
        return key
    same = [one for one in old if one[1:] == key[1:] and one not in new]
    if len(same) == 1:
        return same[0]
    former = (database, schema, renames.tables.get(name, ""))
    return former if former in old and former not in new else None


def _of_table(old: Table, new: Table, renames: _Renames) -> Iterator[Changed]:
    name = new.name.name.casefold()
    if old.name.name.casefold() != name:
        yield Changed(_spot(new), How.RENAMED, before=str(_short(old.name)))
    details = [what for what, part in PARTS.items() if part(old) != part(new)]
    if details:
        yield Changed(_spot(new), How.CHANGED, detail=", ".join(details))
    before = {column.name.casefold(): column for column in old.columns}
    after = {column.name.casefold(): column for column in new.columns}
    gone = {key: column for key, column in before.items() if key not in after}
    for key, column in after.items():
        former = gone.pop(renames.columns.get((name, key), ""), None) if key not in before else before[key]
        if former is None:
            yield Changed(_spot_of(new, column), How.ADDED)
            continue
        detail = ", ".join(_differences(former, column))
        if key not in before:
            yield Changed(_spot_of(new, column), How.RENAMED, f"{new.name.name}.{former.name}", detail)
        elif detail:
            yield Changed(_spot_of(new, column), How.CHANGED, detail=detail)
    for column in gone.values():
        yield Changed(_spot_of(new, column), How.REMOVED)


def _key_of(key: ForeignKey) -> tuple[object, ...]:
    columns, referenced = (tuple(map(str.casefold, names)) for names in (key.columns, key.referenced))
    return columns, key.table.name.casefold(), referenced


# What of a table as a whole may change.
PARTS: Mapping[str, Callable[[Table], object]] = {
    "primary key": lambda table: tuple(map(str.casefold, table.primary_key)),
    "unique": lambda table: {tuple(map(str.casefold, key)) for key in table.unique},
    "foreign keys": lambda table: set(map(_key_of, table.foreign_keys)),
    "checks": lambda table: set(table.checks),
    "query": lambda table: " ".join(table.query.split()),
}


def _differences(old: Column, new: Column) -> Iterator[str]:
    if old.type.casefold() != new.type.casefold():
        yield f"type {old.type or 'unknown'} to {new.type or 'unknown'}"
    if old.nullable != new.nullable:
        yield "nullable" if new.nullable else "not null"
    if old.default != new.default:
        yield f"default {new.default}" if new.default else "no default"
    if old.generated != new.generated:
        yield "expression"


def _short(name: Name) -> Name:
    return Name(name.name, name.schema)


def _spot(table: Table) -> Location:
    kind = NodeKind.VIEW if table.kind in VIEWS else NodeKind.TABLE
    return _located(kind, str(_short(table.name)), table, table.sources[0] if table.sources else Source())


def _spot_of(table: Table, column: Column) -> Location:
    source = column.source if column.source.path or not table.sources else Source(table.sources[0].path)
    return _located(NodeKind.COLUMN, f"{table.name.name}.{column.name}", table, source)


def _located(kind: NodeKind, name: str, table: Table, source: Source) -> Location:
    return Location(kind, name, source.path, source.start_line, source.end_line, database=table.name.database)
