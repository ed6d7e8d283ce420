"""A method of a schema builder, with what follows it in its chain, to operations on one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from coderag.frameworks.engine.vocabulary import Vocabulary, filled
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    ForeignKey,
    Name,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Source,
    Table,
)
from coderag.syntax.trees.literals import Literal, Raw, Reference, as_text, default_of, mapping, texts
from coderag.text.inflection import plural, snake_case

__all__ = ["NOW", "Made", "Statement", "created_table", "operations_of", "table_of"]

DEFAULT_KEY = "id"
NOW = "CURRENT_TIMESTAMP"
NULL = "null"  # behind the type of a column of a group

Made = list[SchemaOperation] | None  # None: computed at run time


@dataclass(frozen=True, slots=True)
class Statement:
    """A call on a table and what follows it: `$table->string("name", 100)->nullable()`.

    `modifiers` are what follows, by what the vocabulary calls it.
    """

    method: str
    values: Sequence[Literal]
    source: Source
    modifiers: Mapping[str, Sequence[Literal]] = field(default_factory=dict)

    def value(self, position: int) -> Literal:
        """Return an argument, None where it is missing."""
        return self.values[position] if position < len(self.values) else None

    def first_of(self, modifier: str) -> Literal:
        """Return the first argument of a modifier, None where it has none."""
        values = self.modifiers.get(modifier) or (None,)
        return values[0]


def operations_of(table: Name, statement: Statement, vocabulary: Vocabulary) -> Made:
    """Return what a statement does to a table, nothing for a method that declares no columns or keys."""
    method = statement.method
    if method in vocabulary.types:
        return _column(table, statement, vocabulary)
    if method in vocabulary.groups:
        return _group(table, statement, vocabulary.groups[method])
    if method in vocabulary.dropped:
        return [
            DropColumn(table, name, source=statement.source)
            for template in vocabulary.dropped[method]
            if (name := filled(template, statement.values))
        ]
    action = ACTIONS.get(vocabulary.actions.get(method, ""))
    return action(table, statement, vocabulary) if action is not None else []


def created_table(table: Name, operations: Sequence[SchemaOperation], source: Source) -> list[SchemaOperation]:
    """Return the creation of a table with its columns and keys, and whatever else is done to it behind that."""
    made, rest = table_of(table, operations, source)
    return [CreateTable(made), *rest]


def table_of(
    table: Name,
    operations: Sequence[SchemaOperation],
    source: Source,
    *,
    implied: Sequence[Column] = (),
    whole: bool = False,
) -> tuple[Table, list[SchemaOperation]]:
    """Return a table with its columns and keys, and whatever else is done to it behind that.

    Columns that are `implied` are there unless an operation states them; of a column for each kind of database the
    first counts. A constraint with a name stays an operation, so that a later one can drop it by its name, but for
    what is `whole`.
    """
    columns = {column.name: column for column in implied}
    key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = []
    keys: list[ForeignKey] = []
    checks: list[str] = []
    comment = ""
    rest: list[SchemaOperation] = []
    for operation in operations:
        if isinstance(operation, AddColumn):
            known = columns.get(operation.column.name)
            if known is None or known in implied:
                columns[operation.column.name] = operation.column
        elif isinstance(operation, AddConstraint) and operation.primary_key:
            key = operation.primary_key
        elif isinstance(operation, AddConstraint) and operation.foreign_key is not None:
            keys.append(operation.foreign_key)
        elif isinstance(operation, AddConstraint) and (whole or not operation.name):
            unique += [operation.unique] if operation.unique else []
            checks += [operation.check] if operation.check else []
        elif isinstance(operation, CommentOn):
            comment = operation.text
        else:
            rest.append(operation)
    made = Table(
        table,
        columns=tuple(columns.values()),
        primary_key=key,
        unique=tuple(unique),
        foreign_keys=tuple(keys),
        checks=tuple(checks),
        comment=comment,
        origins=(Origin.MIGRATION,),
        sources=(source,),
    )
    return made, rest


def _column(table: Name, statement: Statement, vocabulary: Vocabulary) -> Made:
    name, model = _name(statement, vocabulary)
    if not name:
        return None
    kinds, said = vocabulary.kinds, statement.modifiers
    kind = filled(vocabulary.types[statement.method], statement.values)
    kind += " unsigned" if "unsigned" in said and "unsigned" not in kind else ""
    default = default_of(statement.first_of("default")) if "default" in said else NOW if "now" in said else None
    if "change" in said:
        nullable = _is_nullable(statement, vocabulary) if {"nullable", "not null"} & said.keys() else None
        return [AlterColumn(table, name, type=kind, nullable=nullable, default=default, source=statement.source)]
    is_key = statement.method in kinds.counted or "primary" in said
    column = _described(Column(name, kind, default=default or "", source=statement.source), statement, vocabulary)
    column = replace(column, nullable=column.nullable and not is_key)
    after = "" if "first" in said else as_text(statement.first_of("after")) or None
    made: list[SchemaOperation] = [AddColumn(table, column, after=after, source=statement.source)]
    if is_key:
        made.append(AddConstraint(table, primary_key=(name,), source=statement.source))
    if "unique" in said and statement.first_of("unique") is not False:
        made.append(_unique_key(table, (name,), as_text(statement.first_of("unique")), statement, vocabulary))
    if (key := _foreign_key((name,), statement, model)) is not None:
        made.append(_constraint(table, key, vocabulary))
    return made


def _name(statement: Statement, vocabulary: Vocabulary) -> tuple[str, str]:
    """Return what a column is called, and the model that it leads to; "" for a name that is computed."""
    first = statement.value(0)
    if statement.method in vocabulary.kinds.models:
        if not isinstance(first, Reference):
            return "", ""
        model = first.name.rpartition("\\")[2].rpartition(".")[2]
        return as_text(statement.value(1)) or f"{snake_case(model)}_{DEFAULT_KEY}", model
    if not statement.values:
        return vocabulary.names.get(statement.method, ""), ""
    return as_text(first), ""


def _is_nullable(statement: Statement, vocabulary: Vocabulary) -> bool:
    if "not null" in statement.modifiers:
        return False
    return vocabulary.null if "nullable" not in statement.modifiers else statement.first_of("nullable") is not False


def _described(column: Column, statement: Statement, vocabulary: Vocabulary) -> Column:
    """Return a column with what its call and the calls behind it say, besides its type, default and keys."""
    kinds = vocabulary.kinds
    generated = statement.first_of("generated")
    return replace(
        column,
        nullable=statement.method in kinds.nullable or _is_nullable(statement, vocabulary),
        comment=as_text(statement.first_of("comment")),
        values=(texts(statement.value(1)) or ()) if statement.method in kinds.values else (),
        generated=generated.text if isinstance(generated, Raw) else as_text(generated),
        identity=statement.method in kinds.counted or "counted" in statement.modifiers,
    )


def _group(table: Name, statement: Statement, columns: Sequence[str]) -> Made:
    if any("{0}" in column for column in columns) and not as_text(statement.value(0)):
        return None
    made: list[SchemaOperation] = []
    for template in columns:
        name, _, kind = filled(template, statement.values).partition(" ")
        column = Column(
            name, kind.removesuffix(f" {NULL}"), nullable=kind.endswith(f" {NULL}"), source=statement.source
        )
        made.append(AddColumn(table, column, source=statement.source))
    return made


def _foreign_key(columns: tuple[str, ...], statement: Statement, model: str = "") -> ForeignKey | None:
    """Return the key of `->references("id")->on("users")`, or of `->constrained()`, whose table the column names."""
    said = statement.modifiers
    if "constrained" in said:
        given = said["constrained"]
        if given and given[0] is not None and not as_text(given[0]):
            return None
        table = as_text(given[0]) if given else ""
        named_after = columns[0].removesuffix(f"_{DEFAULT_KEY}") if not model else snake_case(model)
        column = as_text(given[1]) if len(given) > 1 else ""
        name = as_text(given[2]) if len(given) > 2 else ""
        return ForeignKey(
            columns,
            _table_name(table or plural(named_after)),
            (column or DEFAULT_KEY,),
            name=name,
            source=statement.source,
            model="" if table else model,
        )
    given = tuple(said.get("references", ()))
    referenced = texts(given) or texts(given[0] if given else None)
    table = as_text(statement.first_of("on"))
    if not table and referenced is not None and len(referenced) == 1:  # "users.id"
        table, _, column = referenced[0].rpartition(".")
        referenced = (column,)
    if not table or referenced is None:
        return None
    name = as_text(statement.first_of("key name"))
    return ForeignKey(columns, _table_name(table), referenced, name=name, source=statement.source)


def _table_name(text: str) -> Name:
    schema, _, name = text.rpartition(".")
    return Name(name, schema=schema)


def _constraint_name(template: str, table: Name, columns: Sequence[str]) -> str:
    name = template.format(table=table.name, columns="_".join(columns)) if template else ""
    return name.lower().replace("-", "_").replace(".", "_")


def _constraint(table: Name, key: ForeignKey, vocabulary: Vocabulary) -> AddConstraint:
    name = key.name or _constraint_name(vocabulary.constraints.foreign_key, table, key.columns)
    return AddConstraint(table, name, foreign_key=replace(key, name=name), source=key.source)


def _unique_key(
    table: Name, columns: tuple[str, ...], name: str, statement: Statement, vocabulary: Vocabulary
) -> AddConstraint:
    name = name or _constraint_name(vocabulary.constraints.unique, table, columns)
    return AddConstraint(table, name, unique=columns, source=statement.source)


def _unique(table: Name, statement: Statement, vocabulary: Vocabulary) -> Made:
    columns = texts(statement.value(0))
    if columns is None:
        return None
    given = statement.value(1)
    name = as_text(given) or as_text(mapping(given).get(vocabulary.constraints.name_option))
    return [_unique_key(table, columns, name, statement, vocabulary)]


def _primary(table: Name, statement: Statement, _: Vocabulary) -> Made:
    columns = texts(statement.value(0))
    return [AddConstraint(table, primary_key=columns, source=statement.source)] if columns else None


def _foreign(table: Name, statement: Statement, vocabulary: Vocabulary) -> Made:
    columns = texts(statement.value(0))
    key = _foreign_key(columns, statement) if columns else None
    if key is None:
        return None
    name = as_text(statement.value(1))
    return [_constraint(table, replace(key, name=name) if name else key, vocabulary)]


def _drop_columns(table: Name, statement: Statement, _: Vocabulary) -> Made:
    names = texts(statement.value(0)) if isinstance(statement.value(0), tuple) else texts(tuple(statement.values))
    return [DropColumn(table, name, source=statement.source) for name in names] if names else None


def _drop_key(table: Name, statement: Statement, _: Vocabulary) -> Made:
    given = statement.value(0)
    columns = texts(given) if isinstance(given, tuple) else None
    name = as_text(given)
    if columns is None and not name:
        return None
    return [DropConstraint(table, name, columns=columns or (), if_exists=True, source=statement.source)]


def _drop_key_of(table: Name, statement: Statement, _: Vocabulary) -> Made:
    columns, name = texts(statement.value(0)), as_text(statement.value(1))
    return [DropConstraint(table, name, columns=() if name else columns, source=statement.source)] if columns else None


def _drop_primary(table: Name, statement: Statement, _: Vocabulary) -> Made:
    return [DropConstraint(table, primary_key=True, source=statement.source)]


def _rename_column(table: Name, statement: Statement, _: Vocabulary) -> Made:
    old, new = as_text(statement.value(0)), as_text(statement.value(1))
    return [RenameColumn(table, old, new, source=statement.source)] if old and new else None


def _rename(table: Name, statement: Statement, _: Vocabulary) -> Made:
    to = as_text(statement.value(0))
    return [Rename(table, Name(to, schema=table.schema), source=statement.source)] if to else None


def _drop(table: Name, statement: Statement, _: Vocabulary) -> Made:
    return [Drop(table, if_exists=True, source=statement.source)]


def _check(table: Name, statement: Statement, _: Vocabulary) -> Made:
    text = as_text(statement.value(0))
    return [AddConstraint(table, check=text, source=statement.source)] if text else None


def _set_nullable(table: Name, statement: Statement, _: Vocabulary, *, nullable: bool = True) -> Made:
    name = as_text(statement.value(0))
    return [AlterColumn(table, name, nullable=nullable, source=statement.source)] if name else None


def _comment(table: Name, statement: Statement, _: Vocabulary) -> Made:
    text = as_text(statement.value(0))
    return [CommentOn(table, text, source=statement.source)] if text else []


ACTIONS: Mapping[str, Callable[[Name, Statement, Vocabulary], Made]] = {
    "check": _check,
    "comment": _comment,
    "drop columns": _drop_columns,
    "drop foreign key": _drop_key,
    "drop key of columns": _drop_key_of,
    "drop primary key": _drop_primary,
    "drop table": _drop,
    "drop unique": _drop_key,
    "foreign key": _foreign,
    "primary key": _primary,
    "rename column": _rename_column,
    "rename table": _rename,
    "set not null": partial(_set_nullable, nullable=False),
    "set nullable": _set_nullable,
    "unique": _unique,
}
