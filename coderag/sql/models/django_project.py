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
    Source,
    Table,
)
from coderag.sql.models.django_fields import USER_MODEL, key_column, table_name
from coderag.sql.models.django_state import is_without_table
from coderag.sql.models.shared import with_shared
from coderag.sql.series import Migration, ordered

__all__ = ["settled"]

TOOL = "django"
REPLACED = "replaced"  # the direction of a migration that a squashed one stands for: it is not applied
DEFAULT_USER = "auth.User"


def settled(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which the operations of Django's migrations and models name tables and columns as they are.

    Their order stays; files of other tools stay as they are.
    """
    files = _without_replaced(with_shared(files))
    migrations = {one.path: one for one in files if one.facts.series is not None and one.facts.series.tool == TOOL}
    models = [one for one in files if one.facts.series is None and _has_models(one)]
    if not migrations and not models:
        return list(files)
    user = _user_model(files)
    project = _Project(user)
    paths, _ = ordered([Migration(path, one.facts.series) for path, one in migrations.items() if one.facts.series])
    done = {path: project.settle(migrations[path]) for path in paths}
    described = _Project(user)
    models = [_with_keys(one) for one in models]
    for one in models:
        for operation in one.facts.operations:
            described.note(operation)
    for one in models:
        done[one.path] = described.settle(one)
    return [done.get(one.path, one) for one in files]


def _has_models(file: SchemaFile) -> bool:
    """Tell whether a file has Django models, whose names have their app in front."""
    return any(isinstance(one, CreateTable | Describe) and "." in one.table.alias for one in file.facts.operations)


def _with_keys(file: SchemaFile) -> SchemaFile:
    """Return models with the id that Django adds where no base of another file has brought a primary key."""
    unknown = [one.reason.split()[3] for one in file.facts.lost if one.reason.startswith("the columns of ")]
    if any(not name.endswith("Mixin") for name in unknown):
        return file  # a model that is unknown may have one, a mixin has none
    operations = tuple(map(_with_key, file.facts.operations))
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, operations=operations))


def _with_key(operation: Operation) -> Operation:
    if not isinstance(operation, CreateTable) or operation.table.primary_key or "." not in operation.table.alias:
        return operation
    table = operation.table
    header = table.sources[0] if table.sources else Source()
    columns = (key_column(msgspec.structs.replace(header, end_line=header.start_line)), *table.columns)
    return CreateTable(msgspec.structs.replace(table, columns=columns, primary_key=("id",)))


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
    links: dict[tuple[str, str], str] = field(default_factory=dict)  # table and column -> the table referred to
    unique: set[tuple[str, str]] = field(default_factory=set)  # table and column
    without: dict[str, str] = field(default_factory=dict)  # models without a table of their own -> the one they have

    def settle(self, file: SchemaFile) -> SchemaFile:
        """Return a file with its operations settled, which are noted."""
        found: list[Operation] = []
        operations = file.facts.operations
        for number, operation in enumerate(operations):
            behind = operations[number + 1 : number + 3]
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
                for key in table.foreign_keys:
                    self._link(table.name, key)
                self.unique.update((_key(table.name), one[0].casefold()) for one in table.unique if len(one) == 1)
            case Describe(table=table) if "." in table.alias and table.alias != USER_MODEL:
                self._name(table)
            case AddColumn(table=name, column=column):
                self.columns.setdefault(_key(name), {})[column.name.casefold()] = column
            case AddConstraint(table=name):
                if operation.foreign_key is not None:
                    self._link(name, operation.foreign_key)
                if len(operation.unique) == 1:
                    self.unique.add((_key(name), operation.unique[0].casefold()))
                self.keys[_key(name)] = operation.primary_key or self.keys.get(_key(name), ())
            case DropConstraint(table=name, columns=names) if len(names) == 1:
                self._unlink(name, names[0])
            case AlterColumn(table=name, column=column_name, type=str() as type_):
                columns = self.columns.get(_key(name), {})
                if (known := columns.get(column_name.casefold())) is not None:
                    columns[column_name.casefold()] = msgspec.structs.replace(known, type=type_)
            case DropColumn(table=name, column=column_name):
                self.columns.get(_key(name), {}).pop(column_name.casefold(), None)
                self._unlink(name, column_name)
                self.keys[_key(name)] = tuple(one for one in self.keys.get(_key(name), ()) if one != column_name)
            case RenameColumn(table=name, column=column_name, to=to):
                self._note_renamed_column(name, column_name, to)
            case Rename(name=name, to=new, kind=ObjectKind.TABLE):
                self.columns[_key(new)] = self.columns.pop(_key(name), {})
                self.keys[_key(new)] = self.keys.pop(_key(name), ())
                before, after = _key(name), _key(new)
                self.without = {
                    model: new.name if table.casefold() == before else table for model, table in self.without.items()
                }
                self.links = {
                    (after if table == before else table, column): after if target == before else target
                    for (table, column), target in self.links.items()
                }
                self.unique = {(after if table == before else table, column) for table, column in self.unique}
                self.models = {
                    model: new.name if table.casefold() == _key(name) else table for model, table in self.models.items()
                }
            case Drop(name=name, kind=ObjectKind.TABLE):
                self.columns.pop(_key(name), None)
                self.models = {model: table for model, table in self.models.items() if table.casefold() != _key(name)}
            case _:
                pass

    def _note_renamed_column(self, name: Name, column: str, to: str) -> None:
        columns = self.columns.get(_key(name), {})
        if (known := columns.pop(column.casefold(), None)) is not None:
            is_usual = known.field and known.name == f"{known.field}_id" and to.endswith("_id")
            called = to.removesuffix("_id") if is_usual else known.field
            columns[to.casefold()] = msgspec.structs.replace(known, name=to, field=called)
        self.keys[_key(name)] = tuple(to if one == column else one for one in self.keys.get(_key(name), ()))
        before = (_key(name), column.casefold())
        if (target := self.links.pop(before, None)) is not None:
            self.links[_key(name), to.casefold()] = target
        if before in self.unique:
            self.unique.remove(before)
            self.unique.add((_key(name), to.casefold()))

    def _link(self, table: Name, key: ForeignKey) -> None:
        if len(key.columns) == 1:
            self.links[_key(table), key.columns[0].casefold()] = _key(key.table)

    def _unlink(self, table: Name, column: str) -> None:
        self.links.pop((_key(table), column.casefold()), None)
        self.unique.discard((_key(table), column.casefold()))

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
        """Return the column of a field: of a relation it has _id behind its name; or the one that it is given."""
        columns = self.columns.get(_key(table), {})
        if name.casefold() in columns:
            return name
        if (known := columns.get(f"{name}_id".casefold())) is not None:
            return known.name
        folded = name.casefold()
        return next((one.name for one in columns.values() if one.field.casefold() == folded), name)

    def _foreign_key(self, key: ForeignKey, columns: tuple[str, ...]) -> ForeignKey:
        model = key.model.casefold()
        known = self.models.get(model, self.without.get(model))
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

    def _settled(self, operation: Operation, behind: Sequence[Operation]) -> Iterator[Operation]:
        """Yield what an operation comes to; `behind` are the ones that follow it."""
        following = behind[0] if behind else None
        if is_without_table(operation):
            self._note_without(operation)
            return
        if self._is_of_no_table(operation):
            return
        match operation:
            case CreateTable(table=table) if self._is_swapped(table.alias):
                self.without[table.alias.casefold()] = self.user
            case CreateTable(table=table):
                yield msgspec.structs.replace(operation, table=self._created(table))
            case Describe(table=table) if table.alias == USER_MODEL:
                pass  # it has told what it has to tell
            case Describe(table=table) if "." in table.alias:
                described = msgspec.structs.replace(table, name=self._table(table.name))
                yield from self._renamed_model(described)
                yield msgspec.structs.replace(operation, table=described)
            case AddColumn(table=name, column=column):
                typed = self._typed(column, self._keys_behind(following))
                yield msgspec.structs.replace(operation, table=self._table(name), column=typed)
            case AddConstraint(table=name):
                yield from self._constraint(operation, self._table(name))
            case AlterColumn(table=name):
                yield from self._altered_column(operation, self._table(name), behind)
            case DropColumn(table=name):
                yield self._dropped_column(operation, self._table(name))
            case RenameColumn(table=name):
                yield from self._renamed_column(operation, self._table(name), following)
            case Rename(name=name, kind=ObjectKind.TABLE):
                yield from self._renamed(operation, self._table(name), following)
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

    def _note_without(self, operation: Operation) -> None:
        """Note a model without a table of its own."""
        if isinstance(operation, Describe):
            table = self._table(operation.table.name)
            self.without[operation.table.alias.casefold()] = table.name
            self.rules.setdefault(table_name(operation.table.alias), operation.table.alias.casefold())

    def _is_of_no_table(self, operation: Operation) -> bool:
        """Tell whether an operation is about a model without a table of its own, so that nothing happens."""
        match operation:
            case AddColumn(table=name) | DropColumn(table=name) | RenameColumn(table=name) | AlterColumn(table=name):
                return self._is_without(name)
            case AddConstraint(table=name) | DropConstraint(table=name):
                return self._is_without(name)
            case Rename(name=name) | Drop(name=name) | CommentOn(name=name):
                return operation.kind is ObjectKind.TABLE and self._is_without(name)
            case _:
                return False

    def _is_swapped(self, model: str) -> bool:
        """Tell whether a model is Django's of the users, or a part of it, and the project has another."""
        own, _, rest = model.casefold().partition(".")
        is_default = f"{own}.{rest.partition('.')[0]}" == DEFAULT_USER.casefold()
        return is_default and self.user != table_name(DEFAULT_USER)

    def _is_without(self, name: Name) -> bool:
        model = self.rules.get(_key(name), "")
        return model in self.without and model not in self.models and _key(name) not in self.columns

    def _keys_behind(self, following: Operation | None) -> list[ForeignKey]:
        """Return the foreign key that the following operation adds."""
        if not isinstance(following, AddConstraint) or following.foreign_key is None:
            return []
        return [self._foreign_key(following.foreign_key, following.foreign_key.columns)]

    def _altered_column(self, operation: AlterColumn, table: Name, behind: Sequence[Operation]) -> Iterator[Operation]:
        """Yield the change of a column, with a new name where its field has become a relation or is none any more."""
        column = operation.column
        before = self._column(table, column)
        if before == column and column.casefold() not in self.columns.get(_key(table), {}):
            before = self._column(table, column.removesuffix("_id"))
        if before.casefold() not in self.columns.get(_key(table), {}):
            before = column
        if before != column:
            yield RenameColumn(table, before, column, source=operation.source)
        known = (_key(table), before.casefold())
        keys = [key for key in self._keys_behind(behind[0] if behind else None) if key.columns == (column,)]
        stays_unique = any(isinstance(one, AddConstraint) and one.unique == (column,) for one in behind)
        refers = known[0] in self.columns and known in self.links
        if (refers and self.links[known] not in {_key(key.table) for key in keys}) or (
            known in self.unique and not stays_unique
        ):
            yield DropConstraint(table, columns=(column,), if_exists=True, source=operation.source)
        type_ = operation.type
        if type_ is None and keys:
            type_ = self._typed(Column(column), keys).type or None
        yield msgspec.structs.replace(operation, table=table, column=column, type=type_)

    def _link_before(self, table: Name, key: ForeignKey) -> str | None:
        """Return the column that has had the place of a key: its own, or the other one of a many-to-many table."""
        column = key.columns[0]
        if len(key.columns) != 1:
            return None
        if (_key(table), column.casefold()) in self.links:
            return column
        columns = self.columns.get(_key(table), {})
        near = f"{self._model_of_join(table)}_id"
        others = [one for one in columns if (_key(table), one) in self.links and one != near]
        return columns[others[0]].name if near != "_id" and column.casefold() not in columns and others else None

    def _model_of_join(self, table: Name) -> str:
        """Return the model that has the many-to-many field of a table, without its app; "" for any other table."""
        parts = self._model(table).split(".")
        return parts[1] if len(parts) == 3 else ""

    def _constraint(self, operation: AddConstraint, table: Name) -> Iterator[Operation]:
        """Yield a constraint with the columns of its fields; nothing where it is there already."""
        key = operation.foreign_key
        if key is not None:
            key = self._foreign_key(key, tuple(self._column(table, name) for name in key.columns))
            before = self._link_before(table, key) if not operation.name else None
            if before is not None and self.links[_key(table), before.casefold()] == _key(key.table):
                return
            if before is not None:
                yield DropConstraint(table, columns=(before,), if_exists=True, source=operation.source)
            if before is not None and before != key.columns[0]:
                yield RenameColumn(table, before, key.columns[0], source=operation.source)
        unique = tuple(self._column(table, name) for name in operation.unique)
        if len(unique) == 1 and not operation.name and (_key(table), unique[0].casefold()) in self.unique:
            return
        if operation.primary_key and operation.primary_key == self.keys.get(_key(table)):
            return
        yield msgspec.structs.replace(operation, table=table, unique=unique, foreign_key=key)

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

    def _renamed_column(self, operation: RenameColumn, table: Name, following: Operation | None) -> Iterator[Operation]:
        """Yield what becomes of a renamed field; nothing where its column has a name of its own."""
        column = self._column(table, operation.column)
        join = self._joins(table).get(operation.column.casefold())
        if isinstance(following, AlterColumn) and following.column == operation.to:  # the columns as they are
            if column != operation.to:
                yield msgspec.structs.replace(operation, table=table, column=column)
        elif column == f"{operation.column}_id":
            yield msgspec.structs.replace(operation, table=table, column=column, to=f"{operation.to}_id")
        elif column != operation.column:
            columns = self.columns[_key(table)]
            columns[column.casefold()] = msgspec.structs.replace(columns[column.casefold()], field=operation.to)
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
        if table == operation.to:
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
