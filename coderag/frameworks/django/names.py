"""The tables and columns of a Django project that its migrations or models name, as they are after some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from coderag.frameworks.django.fields import USER_MODEL
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
    SchemaOperation,
    Table,
)

__all__ = ["DEFAULT_USER", "Names", "folded"]

DEFAULT_USER = "auth.User"


@dataclass
class Names:
    """The tables of a project after some of its migrations, as far as names depend on them."""

    user: str  # the table that the users are in, by Django's rule
    models: dict[str, str] = field(default_factory=dict)  # "shop.order" -> its table, "shop.order.tags" too
    rules: dict[str, str] = field(default_factory=dict)  # "shop_order", as Django names the table -> "shop.order"
    columns: dict[str, dict[str, Column]] = field(default_factory=dict)  # table -> columns, folded
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)  # table -> primary key
    links: dict[tuple[str, str], str] = field(default_factory=dict)  # table and column -> the table referred to
    unique: set[tuple[str, str]] = field(default_factory=set)  # table and column
    together: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)  # table -> unique_together
    without: dict[str, str] = field(default_factory=dict)  # models without a table of their own -> the one they have

    def note(self, operation: SchemaOperation) -> None:
        """Take over what an operation with settled names does to names.

        CreateTable(shop_order) -> its columns and keys are known; Drop(shop_order) -> no model has that table.
        """
        match operation:
            case CreateTable(table=table):
                self._note_created(table)
            case Describe(table=table) if "." in table.alias and table.alias != USER_MODEL:
                self._name(table)
            case AddColumn(table=name, column=column):
                self.columns.setdefault(folded(name), {})[column.name.casefold()] = column
            case AddConstraint():
                self._note_constraint(operation)
            case DropConstraint(table=name, columns=names):
                self._note_dropped_constraint(name, names)
            case AlterColumn(table=name, column=column_name, type=str() as type_):
                self._note_type(name, column_name, type_)
            case DropColumn(table=name, column=column_name):
                self._note_dropped_column(name, column_name)
            case RenameColumn(table=name, column=column_name, to=to):
                self._note_renamed_column(name, column_name, to)
            case Rename(name=name, to=new, kind=ObjectKind.TABLE):
                self._note_renamed_table(name, new)
            case Drop(name=name, kind=ObjectKind.TABLE):
                self.columns.pop(folded(name), None)
                self.models = {model: table for model, table in self.models.items() if table.casefold() != folded(name)}
            case _:
                pass

    def _note_created(self, table: Table) -> None:
        self._name(table)
        name = folded(table.name)
        self.columns[name] = {column.name.casefold(): column for column in table.columns}
        self.keys[name] = table.primary_key
        for key in table.foreign_keys:
            self._link(table.name, key)
        self.unique.update((name, columns[0].casefold()) for columns in table.unique if len(columns) == 1)
        self.together[name] = tuple(columns for columns in table.unique if len(columns) > 1)

    def _note_constraint(self, operation: AddConstraint) -> None:
        name = folded(operation.table)
        if operation.foreign_key is not None:
            self._link(operation.table, operation.foreign_key)
        if len(operation.unique) == 1:
            self.unique.add((name, operation.unique[0].casefold()))
        elif operation.unique and not operation.name:
            self.together[name] = (*self.together.get(name, ()), operation.unique)
        self.keys[name] = operation.primary_key or self.keys.get(name, ())

    def _note_dropped_constraint(self, name: Name, columns: tuple[str, ...]) -> None:
        if len(columns) == 1:
            self._unlink(name, columns[0])
        elif columns:
            sets = self.together.get(folded(name), ())
            self.together[folded(name)] = tuple(names for names in sets if names != columns)

    def _note_type(self, name: Name, column: str, type_: str) -> None:
        columns = self.columns.get(folded(name), {})
        if (known := columns.get(column.casefold())) is not None:
            columns[column.casefold()] = msgspec.structs.replace(known, type=type_)

    def _note_dropped_column(self, name: Name, column: str) -> None:
        self.columns.get(folded(name), {}).pop(column.casefold(), None)
        self._unlink(name, column)
        self.keys[folded(name)] = tuple(key for key in self.keys.get(folded(name), ()) if key != column)

    def _note_renamed_table(self, name: Name, new: Name) -> None:
        before, after = folded(name), folded(new)
        self.columns[after] = self.columns.pop(before, {})
        self.keys[after] = self.keys.pop(before, ())
        self.together[after] = self.together.pop(before, ())
        self.without = {
            model: new.name if table.casefold() == before else table for model, table in self.without.items()
        }
        self.links = {
            (after if table == before else table, column): after if target == before else target
            for (table, column), target in self.links.items()
        }
        self.unique = {(after if table == before else table, column) for table, column in self.unique}
        self.models = {model: new.name if table.casefold() == before else table for model, table in self.models.items()}

    def _note_renamed_column(self, name: Name, column: str, to: str) -> None:
        columns = self.columns.get(folded(name), {})
        if (known := columns.pop(column.casefold(), None)) is not None:
            is_usual = known.field and known.name == f"{known.field}_id" and to.endswith("_id")
            called = to.removesuffix("_id") if is_usual else known.field
            columns[to.casefold()] = msgspec.structs.replace(known, name=to, field=called)
        self.keys[folded(name)] = tuple(to if one == column else one for one in self.keys.get(folded(name), ()))
        self.together[folded(name)] = tuple(
            tuple(to if one == column else one for one in names) for names in self.together.get(folded(name), ())
        )
        before = (folded(name), column.casefold())
        if (target := self.links.pop(before, None)) is not None:
            self.links[folded(name), to.casefold()] = target
        if before in self.unique:
            self.unique.remove(before)
            self.unique.add((folded(name), to.casefold()))

    def _link(self, table: Name, key: ForeignKey) -> None:
        if len(key.columns) == 1:
            self.links[folded(table), key.columns[0].casefold()] = folded(key.table)

    def _unlink(self, table: Name, column: str) -> None:
        self.links.pop((folded(table), column.casefold()), None)
        self.unique.discard((folded(table), column.casefold()))

    def _name(self, table: Table) -> None:
        """Note the model of a table; of a model that was another table's before, the new one counts."""
        if table.alias:
            alias = table.alias.casefold()
            self.models[alias] = table.name.name
            self.rules[table_name(alias)] = alias

    def table(self, name: Name) -> Name:
        """Return the table that a name by Django's rule means."""
        written = self.user if name.name == USER_MODEL else name.name
        model = self.rules.get(written.casefold(), "")
        known = self.models.get(model)
        if known is None or (written.casefold() in self.columns and name.name != USER_MODEL):
            known = written
        return name if known == name.name else msgspec.structs.replace(name, name=known)

    def model_of(self, name: Name) -> str:
        """Return the model of a table, "shop.order", "" where there is none."""
        return next((model for model, table in self.models.items() if table.casefold() == folded(name)), "")

    def column(self, table: Name, name: str) -> str:
        """Return the column of a field: of a relation it has _id behind its name; or the one that it is given."""
        columns = self.columns.get(folded(table), {})
        if name.casefold() in columns:
            return name
        if (known := columns.get(f"{name}_id".casefold())) is not None:
            return known.name
        field = name.casefold()
        return next((one.name for one in columns.values() if one.field.casefold() == field), name)

    def foreign_key(self, key: ForeignKey, columns: tuple[str, ...]) -> ForeignKey:
        model = key.model.casefold()
        known = self.models.get(model, self.without.get(model))
        table = Name(known) if known is not None else self.table(key.table)
        referenced = tuple(self.column(table, name) for name in key.referenced)
        return msgspec.structs.replace(key, columns=columns, table=table, referenced=referenced)

    def typed(self, column: Column, keys: Sequence[ForeignKey]) -> Column:
        """Return a column with the type of the one that it refers to, where it has none."""
        if column.type:
            return column
        for key in keys:
            if key.columns != (column.name,):
                continue
            referenced = key.referenced or self.keys.get(folded(key.table), ())
            columns = self.columns.get(folded(key.table), {})
            if len(referenced) == 1 and (other := columns.get(referenced[0].casefold())) is not None:
                return msgspec.structs.replace(column, type=other.type)
        return column

    def note_without(self, operation: SchemaOperation) -> None:
        """Note a model without a table of its own."""
        if isinstance(operation, Describe):
            table = self.table(operation.table.name)
            self.without[operation.table.alias.casefold()] = table.name
            self.rules.setdefault(table_name(operation.table.alias), operation.table.alias.casefold())

    def is_of_no_table(self, operation: SchemaOperation) -> bool:
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

    def is_swapped(self, model: str) -> bool:
        """Tell whether a model is Django's of the users, or a part of it, and the project has another."""
        own, _, rest = model.casefold().partition(".")
        is_default = f"{own}.{rest.partition('.')[0]}" == DEFAULT_USER.casefold()
        return is_default and self.user != table_name(DEFAULT_USER)

    def _is_without(self, name: Name) -> bool:
        model = self.rules.get(folded(name), "")
        return model in self.without and model not in self.models and folded(name) not in self.columns

    def model_of_join(self, table: Name) -> str:
        """Return the model that has the many-to-many field of a table, without its app; "" for any other table."""
        parts = self.model_of(table).split(".")
        return parts[1] if len(parts) == 3 else ""

    def joins(self, table: Name) -> dict[str, str]:
        """Return the tables of a model's many-to-many fields, by the field."""
        before = f"{self.model_of(table)}."
        if before == ".":
            return {}
        return {model[len(before) :]: join for model, join in self.models.items() if model.startswith(before)}


def folded(name: Name) -> str:
    """Return the key of a table here: its name without case."""
    return name.name.casefold()
