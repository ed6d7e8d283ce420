"""The operations of Django's migrations on models to operations on tables."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.django.fields import Field, field_of, is_composite, key_fields
from coderag.frameworks.django.migrations.constraint_steps import constraint_of
from coderag.frameworks.django.migrations.state import proxy_of, unmanaged
from coderag.frameworks.django.migrations.steps import COMPUTED, Reader, Step
from coderag.frameworks.django.tables import (
    Target,
    column_of,
    foreign_key,
    join_table,
    table_name,
    unique_sets,
)
from coderag.sql.records import (
    AddColumn,
    Column,
    CommentOn,
    CreateTable,
    Describe,
    Drop,
    DropColumn,
    Evidence,
    ForeignKey,
    Name,
    Origin,
    Rename,
    SchemaOperation,
    Table,
)
from coderag.syntax.languages.python import Code

__all__ = [
    "alter_order",
    "alter_table",
    "alter_table_comment",
    "create_model",
    "delete_model",
    "joins_of",
    "named_table",
    "options_of",
    "rename_model",
]


def create_model(step: Step, reader: Reader) -> None:
    """Read CreateModel: the table, its keys and its many-to-many tables."""
    model, options = reader.model(step.text(0, "name")), options_of(step)
    fields = _fields(step, reader)
    if not model or fields is None:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    if _without_table(model, options, step, reader):
        return
    table = named_table(options, step) or table_name(model)
    reader.tables[model.lower()] = table
    reader.fields[model.lower()] = {field.name: field for field in fields}
    columns: list[Column] = []
    keys: list[ForeignKey] = []
    joins: list[SchemaOperation] = []
    for field in fields:
        target = reader.target(model, field)
        if field.many:
            joins += joins_of(model, field, target, reader)
        elif field.column:
            columns += [column_of(field, type_of=target.type if target is not None else "")]
            keys += [foreign_key(field, target, evidence=Evidence.DECLARED)] if target is not None else []
        if target is None and field.refers:
            reader.unparsed.append(unparsed_at(field.call.node, "the model that it refers to is not written"))
    unique: list[tuple[str, ...]] = [
        (field.column,) for field in fields if field.unique and field.column and not field.primary_key
    ]
    unique += unique_sets(options.get("unique_together"), step.code, lambda name: reader.column(model, name))
    nodes = step.code.items(options.get("constraints")) or []
    constraints = [constraint_of(item, model, reader, source=lines_of(item)) for item in nodes]
    created = Table(
        Name(table),
        columns=tuple(columns),
        primary_key=_primary_key(model, fields, reader),
        unique=tuple(dict.fromkeys(unique)),
        foreign_keys=tuple(keys),
        comment=_comment(options, step),
        alias=model,
        origins=(Origin.MIGRATION,),
        sources=(step.source,),
    )
    reader.operations += [CreateTable(created), *filter(None, constraints), *joins]


def _without_table(model: str, options: dict[str, Node], step: Step, reader: Reader) -> bool:
    """Tell whether a model has no table that Django makes, and note whose table it has."""
    if step.code.truth(options.get("proxy")):
        bases = [_base_model(item, step.code) for item in step.code.items(step.call.argument(3, "bases")) or []]
        base = next((one for one in bases if "." in one), "")
        if base:
            reader.operations.append(proxy_of(model, reader.table(base), source=step.source))
        return True
    if step.code.truth(options.get("managed")) is not False:
        return False
    table = named_table(options, step) or table_name(model)
    reader.operations.append(unmanaged(model, Name(table), source=step.source))
    return True


def _base_model(node: Node, code: Code) -> str:
    """Return a base that is written as "shop.order", "" for a class, which brings no table."""
    return code.string(node) or ""


def _primary_key(model: str, fields: Sequence[Field], reader: Reader) -> tuple[str, ...]:
    """Return the columns of the primary key, also of one that is made of several fields."""
    composite = next((field for field in fields if is_composite(field)), None)
    if composite is not None:
        return tuple(reader.column(model, name) for name in key_fields(composite, reader.code))
    return tuple(field.column for field in fields if field.primary_key)


def options_of(step: Step) -> dict[str, Node]:
    """Return the options of CreateModel by name."""
    return step.code.pairs(step.call.argument(2, "options"))


def named_table(options: dict[str, Node], step: Step) -> str:
    """Return the table that options name, "" for the usual one."""
    return (step.code.string(options.get("db_table")) or "").strip('"')


def _comment(options: dict[str, Node], step: Step) -> str:
    for word in ("db_table_comment", "verbose_name"):
        if text := step.code.string(options.get(word)):
            return " ".join(text.split())
    return ""


def _fields(step: Step, reader: Reader) -> list[Field] | None:
    """Return the fields of CreateModel, None where the list is computed."""
    items = step.code.items(step.call.argument(1, "fields"))
    if items is None:
        return None
    fields: list[Field] = []
    for item in items:
        pair = step.code.items(item) or []
        name = step.code.string(pair[0]) if len(pair) == 2 else None
        call = step.code.call(pair[1]) if len(pair) == 2 else None
        if call is None or not name:
            reader.unparsed.append(unparsed_at(item, COMPUTED))
        else:
            fields.append(reader.use(field_of(name, call, step.code, statement=item)))
    return fields


def joins_of(model: str, one: Field, target: Target | None, reader: Reader) -> list[CreateTable]:
    """Return the table of a ManyToManyField, none where a model is that table."""
    if target is None or one.through:
        return []
    keys = [other for other in reader.fields.get(model.lower(), {}).values() if other.primary_key]
    near = Target(model, reader.table(model).name, keys[0].type if keys else "")
    return [CreateTable(join_table(near, target, one, evidence=Evidence.DECLARED, origin=Origin.MIGRATION))]


def delete_model(step: Step, reader: Reader) -> None:
    """Read DeleteModel."""
    model = reader.model(step.text(0, "name"))
    reader.operations.append(Drop(reader.table(model), source=step.source))
    reader.fields.pop(model.lower(), None)
    reader.tables.pop(model.lower(), None)


def rename_model(step: Step, reader: Reader) -> None:
    """Read RenameModel: the table follows unless the model names it, and so do many-to-many tables."""
    old, new = reader.model(step.text(0, "old_name")), reader.model(step.text(1, "new_name"))
    if not old or not new:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    table = reader.tables.pop(old.lower(), "")
    reader.fields[new.lower()] = reader.fields.pop(old.lower(), {})
    if table and table != table_name(old):  # named by hand, so it stays
        reader.tables[new.lower()] = table
    else:
        table = table_name(new)
        if table_name(old) != table:
            reader.operations.append(Rename(Name(table_name(old)), Name(table), source=step.source))
    reader.operations.append(Describe(Table(Name(table), alias=new, sources=(step.source,))))


def alter_table(step: Step, reader: Reader) -> None:
    """Read AlterModelTable."""
    model = reader.model(step.text(0, "name"))
    to = step.text(1, "table").strip('"') or table_name(model)  # None is the usual name
    before = reader.tables.get(model.lower())
    reader.tables[model.lower()] = to
    if before != to:  # where another file made the table, the whole project tells how it is called
        table = Name(before or table_name(model))
        reader.operations.append(Rename(table, Name(to), source=step.source))


def alter_table_comment(step: Step, reader: Reader) -> None:
    """Read AlterModelTableComment."""
    table = reader.table(reader.model(step.text(0, "name")))
    reader.operations.append(CommentOn(table, step.text(1, "table_comment"), source=step.source))


def alter_order(step: Step, reader: Reader) -> None:
    """Read AlterOrderWithRespectTo, which adds the column _order or takes it away."""
    table = reader.table(reader.model(step.text(0, "name")))
    if step.text(1, "order_with_respect_to"):
        column = Column("_order", "INTEGER", nullable=False, source=step.source)
        reader.operations.append(AddColumn(table, column, if_missing=True, source=step.source))
    else:
        reader.operations.append(DropColumn(table, "_order", if_exists=True, source=step.source))
