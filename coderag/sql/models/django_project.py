"""The facts of a Django project's files, with the names in them settled by what all of the files say together.

A migration speaks of models and fields. Which table a model has, whether a field is a relation, so that its column
ends in _id, or a many-to-many field, so that it is a table: that is told by the migration that made it. Which model
the users are is told by the settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from coderag.sql.model import (
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
    Operation,
    Rename,
    RenameColumn,
    SchemaFile,
    Table,
)
from coderag.sql.models.django_fields import USER_MODEL, table_name
from coderag.sql.series import Migration, ordered

__all__ = ["settled"]

TOOL = "django"
REPLACED = "replaced"  # the direction of a migration that a squashed one stands for: it is not applied
DEFAULT_USER = "auth.User"


def settled(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which the operations of Django's migrations and models name tables and columns as they are.

    Their order stays; files of other tools stay as they are.
    """
    files = _without_replaced(files)
    migrations = {one.path: one for one in files if one.facts.series is not None and one.facts.series.tool == TOOL}
    models = [one for one in files if one.facts.series is None and _has_models(one)]
    if not migrations and not models:
        return list(files)
    user = _user_model(files)
    project = _Project(user)
    paths, _ = ordered([Migration(path, one.facts.series) for path, one in migrations.items() if one.facts.series])
    done = {path: project.settle(migrations[path]) for path in paths}
    described = _Project(user)
    for one in models:
        for operation in one.facts.operations:
            described.note(operation)
    for one in models:
        done[one.path] = described.settle(one)
    return [done.get(one.path, one) for one in files]


def _has_models(file: SchemaFile) -> bool:
    """Tell whether a file has Django models, whose names have their app in front."""
    return any(isinstance(one, CreateTable | Describe) and "." in one.table.alias for one in file.facts.operations)


def _user_model(files: Sequence[SchemaFile]) -> str:
    """Return the table of the users: that of the model in the settings, Django's own where there is none."""
    found = {
        operation.table.name.name
        for file in files
        for operation in file.facts.operations
        if isinstance(operation, Describe) and operation.table.alias == USER_MODEL
    } - {table_name(DEFAULT_USER)}
    return found.pop() if len(found) == 1 else table_name(DEFAULT_USER)


def _without_replaced(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of which those do not count that a squashed migration stands for, in whose place it is named."""
    instead: dict[str, str] = {}
    for file in files:
        series = file.facts.series
        if series is not None and series.tool == TOOL:
            instead |= dict.fromkeys(series.replaces, series.name)
    return [_with_series(file, instead) for file in files] if instead else list(files)


def _with_series(file: SchemaFile, instead: Mapping[str, str]) -> SchemaFile:
    series = file.facts.series
    if series is None or series.tool != TOOL:
        return file
    after = dict.fromkeys(instead.get(name, name) for name in series.after)
    after.pop(series.name, None)
    direction = REPLACED if series.name in instead else series.direction
    changed = msgspec.structs.replace(series, after=tuple(after), direction=direction)
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, series=changed))


@dataclass
class _Project:
    """The tables of a project after some of its migrations, as far as names depend on them."""

    user: str  # the table that the users are in, by Django's rule
    models: dict[str, str] = field(default_factory=dict)  # "shop.order" -> its table, "shop.order.tags" too
    rules: dict[str, str] = field(default_factory=dict)  # "shop_order", as Django names the table -> "shop.order"
    columns: dict[str, dict[str, Column]] = field(default_factory=dict)  # table -> columns, folded
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)  # table -> primary key

    def settle(self, file: SchemaFile) -> SchemaFile:
        """Return a file with its operations settled, which are noted."""
        found: list[Operation] = []
        operations = file.facts.operations
        for number, operation in enumerate(operations):
            behind = operations[number + 1] if number + 1 < len(operations) else None
            for one in self._settled(operation, behind):
                found.append(one)
                self.note(one)
        return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, operations=tuple(found)))

    def note(self, operation: Operation) -> None:
        """Take over what an operation with settled names does to names."""
        match operation:
            case CreateTable(table=table):
                self._name(table)
                self.columns[_key(table.name)] = {column.name.casefold(): column for column in table.columns}
                self.keys[_key(table.name)] = table.primary_key
            case Describe(table=table) if "." in table.alias and table.alias != USER_MODEL:
                self._name(table)
            case AddColumn(table=name, column=column):
                self.columns.setdefault(_key(name), {})[column.name.casefold()] = column
            case DropColumn(table=name, column=column_name):
                self.columns.get(_key(name), {}).pop(column_name.casefold(), None)
            case RenameColumn(table=name, column=column_name, to=to):
                columns = self.columns.get(_key(name), {})
                if (known := columns.pop(column_name.casefold(), None)) is not None:
                    columns[to.casefold()] = msgspec.structs.replace(known, name=to)
            case Rename(name=name, to=new, kind=ObjectKind.TABLE):
                self.columns[_key(new)] = self.columns.pop(_key(name), {})
                self.keys[_key(new)] = self.keys.pop(_key(name), ())
                self.models = {
                    model: new.name if table.casefold() == _key(name) else table for model, table in self.models.items()
                }
            case Drop(name=name, kind=ObjectKind.TABLE):
                self.columns.pop(_key(name), None)
                self.models = {model: table for model, table in self.models.items() if table.casefold() != _key(name)}
            case _:
                pass

    def _name(self, table: Table) -> None:
        """Note the model of a table; of a model that was another table's before, the new one counts."""
        if table.alias:
            alias = table.alias.casefold()
            self.models[alias] = table.name.name
            self.rules[table_name(alias)] = alias

    def _table(self, name: Name) -> Name:
        """Return the table that a name by Django's rule means."""
        written = self.user if name.name == USER_MODEL else name.name
        model = self.rules.get(written.casefold(), "")
        known = self.models.get(model)
        if known is None or (written.casefold() in self.columns and name.name != USER_MODEL):
            known = written
        return name if known == name.name else msgspec.structs.replace(name, name=known)

    def _model(self, name: Name) -> str:
        """Return the model of a table, "shop.order", "" where there is none."""
        return next((model for model, table in self.models.items() if table.casefold() == _key(name)), "")

    def _column(self, table: Name, name: str) -> str:
        """Return the column of a field: of a relation it has _id behind its name."""
        columns = self.columns.get(_key(table), {})
        relation = f"{name}_id"
        return relation if name.casefold() not in columns and relation.casefold() in columns else name

    def _foreign_key(self, key: ForeignKey, columns: tuple[str, ...]) -> ForeignKey:
        known = self.models.get(key.model.casefold())
        table = Name(known) if known is not None else self._table(key.table)
        referenced = tuple(self._column(table, name) for name in key.referenced)
        return msgspec.structs.replace(key, columns=columns, table=table, referenced=referenced)

    def _typed(self, column: Column, keys: Sequence[ForeignKey]) -> Column:
        """Return a column with the type of the one that it refers to, where it has none."""
        if column.type:
            return column
        for key in keys:
            if key.columns != (column.name,):
                continue
            referenced = key.referenced or self.keys.get(_key(key.table), ())
            columns = self.columns.get(_key(key.table), {})
            if len(referenced) == 1 and (other := columns.get(referenced[0].casefold())) is not None:
                return msgspec.structs.replace(column, type=other.type)
        return column

    def _settled(self, operation: Operation, behind: Operation | None) -> Iterator[Operation]:
        """Yield what an operation comes to; `behind` is the one that follows it."""
        match operation:
            case CreateTable(table=table):
                yield msgspec.structs.replace(operation, table=self._created(table))
            case Describe(table=table) if table.alias == USER_MODEL:
                pass  # it has told what it has to tell
            case Describe(table=table) if "." in table.alias:
                described = msgspec.structs.replace(table, name=self._table(table.name))
                yield from self._renamed_model(described)
                yield msgspec.structs.replace(operation, table=described)
            case AddColumn(table=name, column=column):
                keys = [behind.foreign_key] if isinstance(behind, AddConstraint) and behind.foreign_key else []
                keys = [self._foreign_key(key, key.columns) for key in keys]
                typed = self._typed(column, keys)
                yield msgspec.structs.replace(operation, table=self._table(name), column=typed)
            case AddConstraint(table=name):
                yield self._constraint(operation, self._table(name))
            case AlterColumn(table=name, column=column_name):
                table_name_ = self._table(name)
                column_name = self._column(table_name_, column_name)
                yield msgspec.structs.replace(operation, table=table_name_, column=column_name)
            case DropColumn(table=name):
                yield self._dropped_column(operation, self._table(name))
            case RenameColumn(table=name):
                yield from self._renamed_column(operation, self._table(name))
            case Rename(name=name, kind=ObjectKind.TABLE):
                yield from self._renamed(operation, self._table(name), behind)
            case Drop(name=name, kind=ObjectKind.TABLE):
                table_name_ = self._table(name)
                for join in self._joins(table_name_).values():
                    yield Drop(Name(join), source=operation.source)
                yield msgspec.structs.replace(operation, name=table_name_)
            case DropConstraint(table=name):
                yield msgspec.structs.replace(operation, table=self._table(name))
            case CommentOn(name=name, kind=ObjectKind.TABLE):
                yield msgspec.structs.replace(operation, name=self._table(name))
            case _:
                yield operation

    def _created(self, table: Table) -> Table:
        if table.alias.count(".") > 1:
            table = self._with_user_column(table)
        keys = tuple(self._foreign_key(key, key.columns) for key in table.foreign_keys)
        columns = tuple(self._typed(column, keys) for column in table.columns)
        return msgspec.structs.replace(table, foreign_keys=keys, columns=columns)

    def _with_user_column(self, table: Table) -> Table:
        """Return a many-to-many table whose key to the users has the name of their model."""
        column, name = "user_id", self.rules.get(self.user, "").rpartition(".")[2]
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

    def _constraint(self, operation: AddConstraint, table: Name) -> AddConstraint:
        key = operation.foreign_key
        if key is not None:
            key = self._foreign_key(key, tuple(self._column(table, name) for name in key.columns))
        return msgspec.structs.replace(
            operation,
            table=table,
            unique=tuple(self._column(table, name) for name in operation.unique),
            foreign_key=key,
        )

    def _joins(self, table: Name) -> dict[str, str]:
        """Return the tables of a model's many-to-many fields, by the field."""
        before = f"{self._model(table)}."
        if before == ".":
            return {}
        return {model[len(before) :]: join for model, join in self.models.items() if model.startswith(before)}

    def _dropped_column(self, operation: DropColumn, table: Name) -> Operation:
        column = self._column(table, operation.column)
        join = self._joins(table).get(operation.column.casefold())
        if join is not None and column.casefold() not in self.columns.get(_key(table), {}):
            return Drop(Name(join), source=operation.source)
        return msgspec.structs.replace(operation, table=table, column=column)

    def _renamed_column(self, operation: RenameColumn, table: Name) -> Iterator[Operation]:
        """Yield what becomes of a renamed field; nothing where its column has a name of its own."""
        column = self._column(table, operation.column)
        join = self._joins(table).get(operation.column.casefold())
        if column != operation.column:
            yield msgspec.structs.replace(operation, table=table, column=column, to=f"{operation.to}_id")
        elif column.casefold() in self.columns.get(_key(table), {}) or _key(table) not in self.columns:
            yield msgspec.structs.replace(operation, table=table)
        elif join is not None:
            alias = f"{self._model(table)}.{operation.to}"
            usual = f"{table.name}_{operation.column}"
            to = f"{table.name}_{operation.to}" if join.casefold() == usual.casefold() else join
            self.models.pop(f"{self._model(table)}.{operation.column.casefold()}")
            if to != join:
                yield Rename(Name(join), Name(to), source=operation.source)
            yield Describe(Table(Name(to), alias=alias))

    def _renamed(self, operation: Rename, table: Name, behind: Operation | None) -> Iterator[Operation]:
        """Yield what a renamed model or table comes to, with the tables of its many-to-many fields."""
        is_model = isinstance(behind, Describe) and behind.table.name == operation.to
        model = self._model(table)
        if is_model and model and table.name.casefold() != table_name(model):
            self.rules[operation.to.name.casefold()] = model  # the table is named by hand and stays
            return
        joins = self._joins(table)
        yield msgspec.structs.replace(operation, name=table)
        for name, join in joins.items():
            if join.casefold() == f"{table.name}_{name}".casefold():
                yield Rename(Name(join), Name(f"{operation.to.name}_{name}"), source=operation.source)

    def _renamed_model(self, described: Table) -> Iterator[Operation]:
        """Yield the changes of those columns in many-to-many tables that are named by a model which has a new name."""
        before, after = self._model(described.name), described.alias.casefold()
        if before in {"", after}:
            return
        old, new = before.rpartition(".")[2], after.rpartition(".")[2]
        if before.rpartition(".")[0] == after.rpartition(".")[0]:  # else it is moved to another app, in words only
            for model, join in list(self.models.items()):
                for sign in ("", "from_", "to_") if model.count(".") > 1 else ():
                    column = f"{sign}{old}_id"
                    if column in self.columns.get(join.casefold(), {}):
                        yield RenameColumn(Name(join), column, f"{sign}{new}_id", source=described.sources[0])
        for model in [one for one in self.models if one == before or one.startswith(f"{before}.")]:
            renamed = after + model[len(before) :]
            self.models[renamed] = self.models.pop(model)
            self.rules[table_name(renamed)] = renamed


def _key(name: Name) -> str:
    return name.name.casefold()
