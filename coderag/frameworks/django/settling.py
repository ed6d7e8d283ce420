"""What an operation of Django's migrations or models comes to, with the names in it as the project has them so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from coderag.frameworks.django.fields import USER_MODEL
from coderag.frameworks.django.migrations.state import is_without_table
from coderag.frameworks.django.names import Names, folded
from coderag.frameworks.django.tables import table_name
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
    ForeignKey,
    Name,
    ObjectKind,
    Rename,
    RenameColumn,
    SchemaFile,
    SchemaOperation,
    Table,
)

__all__ = ["settle"]

NAMES = re.compile(r"'(?:[^']|'')*'|\b([a-z_]\w*)")  # in a check, whose words of SQL are capitals; or a string


def settle(names: Names, file: SchemaFile) -> SchemaFile:
    """Return a file with its operations settled, which are noted."""
    found: list[SchemaOperation] = []
    operations = file.facts.operations
    for number, operation in enumerate(operations):
        if isinstance(operation, DropConstraint) and operation.unique:
            came_to = _sets_dropped(names, operation, operations[number + 1 :])
        else:
            came_to = _settled(names, operation, operations[number + 1 : number + 3])
        for one in came_to:
            found.append(one)
            names.note(one)
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, operations=tuple(found)))


def _sets_dropped(
    names: Names, operation: DropConstraint, behind: Sequence[SchemaOperation]
) -> Iterator[SchemaOperation]:
    """Yield the keys that go where a statement says all of a table that are there from then on, which follow it."""
    if names.is_of_no_table(operation):
        return
    table = names.table(operation.table)
    stated = [
        {names.column(table, name) for name in add_constraint.unique}
        for add_constraint in behind
        if isinstance(add_constraint, AddConstraint) and add_constraint.source == operation.source
    ]
    for columns in names.together.get(folded(table), ()):
        if set(columns) not in stated:
            yield DropConstraint(table, columns=columns, if_exists=True, source=operation.source)


def _settled(names: Names, operation: SchemaOperation, behind: Sequence[SchemaOperation]) -> Iterator[SchemaOperation]:
    """Yield an operation with the tables, columns and types that Django makes; `behind` are the ones that follow it.

    AddColumn(shop.order, customer, a foreign key) -> AddColumn(shop_order, customer_id, the type of the key's column)
    Drop(shop.order) -> Drop of the tables of its many-to-many fields, then Drop(shop_order)
    """
    following = behind[0] if behind else None
    if is_without_table(operation):
        names.note_without(operation)
        return
    if names.is_of_no_table(operation):
        return
    match operation:
        case CreateTable(table=table) if names.is_swapped(table.alias):
            names.without[table.alias.casefold()] = names.user
        case CreateTable(table=table):
            yield msgspec.structs.replace(operation, table=_created(names, table))
        case Describe(table=table) if table.alias == USER_MODEL:
            pass  # it has told what it has to tell
        case Describe(table=table) if "." in table.alias:
            described = msgspec.structs.replace(table, name=names.table(table.name))
            yield from _renamed_model(names, described)
            yield msgspec.structs.replace(operation, table=described)
        case AddColumn(table=name, column=column):
            typed = names.typed(column, _keys_behind(names, following))
            yield msgspec.structs.replace(operation, table=names.table(name), column=typed)
        case AddConstraint(table=name):
            yield from _constraint(names, operation, names.table(name))
        case AlterColumn(table=name):
            yield from _altered_column(names, operation, names.table(name), behind)
        case DropColumn(table=name):
            yield _dropped_column(names, operation, names.table(name))
        case RenameColumn(table=name):
            yield from _renamed_column(names, operation, names.table(name), following)
        case Rename(name=name, kind=ObjectKind.TABLE):
            yield from _renamed(names, operation, names.table(name), following)
        case Drop(name=name, kind=ObjectKind.TABLE):
            table_name_ = names.table(name)
            for join in names.joins(table_name_).values():
                yield Drop(Name(join), source=operation.source)
            yield msgspec.structs.replace(operation, name=table_name_)
        case DropConstraint(table=name):
            yield msgspec.structs.replace(operation, table=names.table(name))
        case CommentOn(name=name, kind=ObjectKind.TABLE):
            yield msgspec.structs.replace(operation, name=names.table(name))
        case _:
            yield operation


def _created(names: Names, table: Table) -> Table:
    if table.alias.count(".") > 1:
        table = _with_user_column(names, table)
    keys = tuple(names.foreign_key(key, key.columns) for key in table.foreign_keys)
    columns = tuple(names.typed(column, keys) for column in table.columns)
    return msgspec.structs.replace(table, foreign_keys=keys, columns=columns)


def _with_user_column(names: Names, table: Table) -> Table:
    """Return a many-to-many table whose key to the users has the name of their model."""
    column, name = "user_id", names.rules.get(names.user, "").rpartition(".")[2]
    if not name or not any(key.table.name == USER_MODEL and key.columns == (column,) for key in table.foreign_keys):
        return table
    to = f"{name}_id"
    rename = {column: to}
    return msgspec.structs.replace(
        table,
        columns=tuple(msgspec.structs.replace(one, name=rename.get(one.name, one.name)) for one in table.columns),
        unique=tuple(tuple(rename.get(one, one) for one in names) for names in table.unique),
        foreign_keys=tuple(
            msgspec.structs.replace(key, columns=tuple(rename.get(one, one) for one in key.columns))
            for key in table.foreign_keys
        ),
    )


def _keys_behind(names: Names, following: SchemaOperation | None) -> list[ForeignKey]:
    """Return the foreign key that the following operation adds."""
    if not isinstance(following, AddConstraint) or following.foreign_key is None:
        return []
    return [names.foreign_key(following.foreign_key, following.foreign_key.columns)]


def _altered_column(
    names: Names, operation: AlterColumn, table: Name, behind: Sequence[SchemaOperation]
) -> Iterator[SchemaOperation]:
    """Yield the change of a column, with a new name where its field has become a relation or is one no more."""
    column = operation.column
    before = names.column(table, column)
    if before == column and column.casefold() not in names.columns.get(folded(table), {}):
        before = names.column(table, column.removesuffix("_id"))
    if before.casefold() not in names.columns.get(folded(table), {}):
        before = column
    if before != column:
        yield RenameColumn(table, before, column, source=operation.source)
    known = (folded(table), before.casefold())
    keys = [key for key in _keys_behind(names, behind[0] if behind else None) if key.columns == (column,)]
    stays_unique = any(
        isinstance(add_constraint, AddConstraint) and add_constraint.unique == (column,) for add_constraint in behind
    )
    refers = known[0] in names.columns and known in names.links
    if (refers and names.links[known] not in {folded(key.table) for key in keys}) or (
        known in names.unique and not stays_unique
    ):
        yield DropConstraint(table, columns=(column,), if_exists=True, source=operation.source)
    type_ = operation.type
    if type_ is None and keys:
        type_ = names.typed(Column(column), keys).type or None
    yield msgspec.structs.replace(operation, table=table, column=column, type=type_)


def _link_before(names: Names, table: Name, key: ForeignKey) -> str | None:
    """Return the column that has had the place of a key: its own, or the other one of a many-to-many table."""
    column = key.columns[0]
    if len(key.columns) != 1:
        return None
    if (folded(table), column.casefold()) in names.links:
        return column
    columns = names.columns.get(folded(table), {})
    near = f"{names.model_of_join(table)}_id"
    others = [one for one in columns if (folded(table), one) in names.links and one != near]
    return columns[others[0]].name if near != "_id" and column.casefold() not in columns and others else None


def _constraint(names: Names, operation: AddConstraint, table: Name) -> Iterator[SchemaOperation]:
    """Yield a constraint with the columns of its fields; nothing where it is there already."""
    key = operation.foreign_key
    if key is not None:
        key = names.foreign_key(key, tuple(names.column(table, name) for name in key.columns))
        before = _link_before(names, table, key) if not operation.name else None
        if before is not None and names.links[folded(table), before.casefold()] == folded(key.table):
            return
        if before is not None:
            yield DropConstraint(table, columns=(before,), if_exists=True, source=operation.source)
        if before is not None and before != key.columns[0]:
            yield RenameColumn(table, before, key.columns[0], source=operation.source)
    unique = tuple(names.column(table, name) for name in operation.unique)
    if len(unique) == 1 and not operation.name and (folded(table), unique[0].casefold()) in names.unique:
        return
    if unique and not operation.name and set(unique) in map(set, names.together.get(folded(table), ())):
        return
    if operation.primary_key and operation.primary_key == names.keys.get(folded(table)):
        return
    check = NAMES.sub(lambda match: names.column(table, match[1]) if match[1] else match[0], operation.check)
    yield msgspec.structs.replace(operation, table=table, unique=unique, foreign_key=key, check=check)


def _dropped_column(names: Names, operation: DropColumn, table: Name) -> SchemaOperation:
    column = names.column(table, operation.column)
    join = names.joins(table).get(operation.column.casefold())
    if join is not None and column.casefold() not in names.columns.get(folded(table), {}):
        return Drop(Name(join), source=operation.source)
    return msgspec.structs.replace(operation, table=table, column=column)


def _renamed_column(
    names: Names, operation: RenameColumn, table: Name, following: SchemaOperation | None
) -> Iterator[SchemaOperation]:
    """Yield what becomes of a renamed field; nothing where its column has a name of its own."""
    column = names.column(table, operation.column)
    join = names.joins(table).get(operation.column.casefold())
    if isinstance(following, AlterColumn) and following.column == operation.to:  # the columns as they are
        if column != operation.to:
            yield msgspec.structs.replace(operation, table=table, column=column)
    elif column == f"{operation.column}_id":
        yield msgspec.structs.replace(operation, table=table, column=column, to=f"{operation.to}_id")
    elif column != operation.column:
        columns = names.columns[folded(table)]
        columns[column.casefold()] = msgspec.structs.replace(columns[column.casefold()], field=operation.to)
    elif column.casefold() in names.columns.get(folded(table), {}) or folded(table) not in names.columns:
        yield msgspec.structs.replace(operation, table=table)
    elif join is not None:
        alias = f"{names.model_of(table)}.{operation.to}"
        usual = f"{table.name}_{operation.column}"
        to = f"{table.name}_{operation.to}" if join.casefold() == usual.casefold() else join
        names.models.pop(f"{names.model_of(table)}.{operation.column.casefold()}")
        if to != join:
            yield Rename(Name(join), Name(to), source=operation.source)
        yield Describe(Table(Name(to), alias=alias))


def _renamed(names: Names, operation: Rename, table: Name, behind: SchemaOperation | None) -> Iterator[SchemaOperation]:
    """Yield what a renamed model or table comes to, with the tables of its many-to-many fields."""
    is_model = isinstance(behind, Describe) and behind.table.name == operation.to
    model = names.model_of(table)
    if is_model and model and table.name.casefold() != table_name(model):
        names.rules[operation.to.name.casefold()] = model  # the table is named by hand and stays
        return
    if table == operation.to:
        return
    joins = names.joins(table)
    yield msgspec.structs.replace(operation, name=table)
    for name, join in joins.items():
        if join.casefold() == f"{table.name}_{name}".casefold():
            yield Rename(Name(join), Name(f"{operation.to.name}_{name}"), source=operation.source)


def _renamed_model(names: Names, described: Table) -> Iterator[SchemaOperation]:
    """Yield the changes of those columns in many-to-many tables that are named by a model which has a new name."""
    before, after = names.model_of(described.name), described.alias.casefold()
    if before in {"", after}:
        return
    old, new = before.rpartition(".")[2], after.rpartition(".")[2]
    if before.rpartition(".")[0] == after.rpartition(".")[0]:  # else it is moved to another app, in words only
        for model, join in list(names.models.items()):
            for sign in ("", "from_", "to_") if model.count(".") > 1 else ():
                column = f"{sign}{old}_id"
                if column in names.columns.get(join.casefold(), {}):
                    yield RenameColumn(Name(join), column, f"{sign}{new}_id", source=described.sources[0])
    for model in [one for one in names.models if one == before or one.startswith(f"{before}.")]:
        renamed = after + model[len(before) :]
        names.models[renamed] = names.models.pop(model)
        names.rules[table_name(renamed)] = renamed
