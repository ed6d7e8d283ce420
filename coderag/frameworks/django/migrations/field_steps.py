"""The operations of Django's migrations on fields to operations on columns, keys and many-to-many tables."""

from __future__ import annotations

from dataclasses import replace

from coderag.frameworks.common.origins import unparsed_at
from coderag.frameworks.django.fields import Field, field_of, usual_column
from coderag.frameworks.django.migrations.model_steps import joins_of
from coderag.frameworks.django.migrations.steps import COMPUTED, Reader, Step
from coderag.frameworks.django.tables import (
    column_of,
    foreign_key,
)
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Drop,
    DropColumn,
    Evidence,
    Name,
    Rename,
    RenameColumn,
)

__all__ = ["add_field", "alter_field", "remove_field", "rename_field"]


def _field(step: Step, reader: Reader) -> tuple[str, Field] | None:
    """Return the model and the field of AddField and AlterField; None, and a note, where it is computed."""
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    call = step.code.call(step.call.argument(2, "field"))
    if not model or not name or call is None:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return None
    field = reader.use(field_of(name, call, step.code, statement=step.call.node))
    if step.code.truth(step.call.argument(3, "preserve_default")) is False:
        field = replace(field, default="")  # only for the rows that are there
    return model, field


def add_field(step: Step, reader: Reader) -> None:
    """Read AddField: a column, a key, or a many-to-many table."""
    if (found := _field(step, reader)) is None:
        return
    model, field = found
    target = reader.target(model, field)
    if field.refers and target is None:
        reader.unparsed.append(unparsed_at(step.call.node, "the model that it refers to is not written"))
    reader.fields.setdefault(model.lower(), {})[field.name] = field
    if field.many:
        reader.operations += joins_of(model, field, target, reader)
    if not field.column:
        return
    table = reader.table(model)
    column = column_of(field, type_of=target.type if target is not None else "")
    reader.operations.append(AddColumn(table, column, source=step.source))
    if target is not None:
        key = foreign_key(field, target, evidence=Evidence.DECLARED)
        reader.operations.append(AddConstraint(table, foreign_key=key, source=step.source))
    if field.primary_key:
        reader.operations.append(AddConstraint(table, primary_key=(field.column,), source=step.source))
    elif field.unique:
        reader.operations.append(AddConstraint(table, unique=(field.column,), source=step.source))


def alter_field(step: Step, reader: Reader) -> None:
    """Read AlterField, also from a field that is no column to one that is."""
    if (found := _field(step, reader)) is None:
        return
    model, field = found
    before = reader.fields.get(model.lower(), {}).get(field.name)
    reader.fields.setdefault(model.lower(), {})[field.name] = field
    table = reader.table(model)
    target = reader.target(model, field)
    for created in joins_of(model, field, target, reader) if field.many else []:
        far = created.table.foreign_keys[1]
        reader.operations.append(AddConstraint(created.table.name, foreign_key=far, source=step.source))
    if not field.column:
        return
    column = before.column if before is not None and before.column else field.name
    if column != field.column and (before is not None or field.column != usual_column(field)):
        reader.operations.append(RenameColumn(table, column, field.column, source=step.source))
    reader.operations.append(
        AlterColumn(
            table,
            field.column,
            type=field.type or None,
            nullable=field.nullable,
            default=field.default,
            comment=field.comment or None,
            values=field.values,
            source=step.source,
        )
    )
    if target is not None:
        key = foreign_key(field, target, evidence=Evidence.DECLARED)
        reader.operations.append(AddConstraint(table, foreign_key=key, source=step.source))
    if field.primary_key:
        reader.operations.append(AddConstraint(table, primary_key=(field.column,), source=step.source))
    elif field.unique:
        reader.operations.append(AddConstraint(table, unique=(field.column,), source=step.source))


def remove_field(step: Step, reader: Reader) -> None:
    """Read RemoveField: the column goes, or the many-to-many table."""
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    if not model or not name:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    known = reader.fields.get(model.lower(), {}).pop(name, None)
    table = reader.table(model)
    if known is not None and known.many:
        if not known.through:
            reader.operations.append(Drop(_join_name(table, known), source=step.source))
    elif known is None or known.column:
        column = known.column if known is not None else name
        reader.operations.append(DropColumn(table, column, source=step.source))


def _join_name(table: Name, one: Field) -> Name:
    return Name(one.join_table or f"{table.name}_{one.name}")


def rename_field(step: Step, reader: Reader) -> None:
    """Read RenameField: the column follows unless the field names it."""
    model = reader.model(step.text(0, "model_name"))
    old, new = step.text(1, "old_name"), step.text(2, "new_name")
    if not model or not old or not new:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    table = reader.table(model)
    known = reader.fields.get(model.lower(), {}).pop(old, None)
    if known is None:
        reader.operations.append(RenameColumn(table, old, new, source=step.source))
        return
    renamed = field_of(new, known.call, reader.code, statement=step.call.node)
    reader.fields[model.lower()][new] = renamed
    if known.many and not known.through:
        names = _join_name(table, known), _join_name(table, renamed)
        reader.operations += [Rename(names[0], names[1], source=step.source)] if names[0] != names[1] else []
    elif known.column and known.column != renamed.column:
        reader.operations.append(RenameColumn(table, known.column, renamed.column, source=step.source))
