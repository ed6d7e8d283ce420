"""The operations of Django's migrations on constraints to operations on tables."""

from __future__ import annotations

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.common.origins import unparsed_at
from coderag.frameworks.django.conditions import condition_sql
from coderag.frameworks.django.migrations.steps import COMPUTED, Reader, Step
from coderag.frameworks.django.tables import (
    unique_sets,
)
from coderag.sql.records import (
    AddConstraint,
    DropConstraint,
    Source,
)
from coderag.syntax.languages.python import Code, last_part
from coderag.syntax.trees.tree import text_of

__all__ = ["add_constraint", "alter_unique", "constraint_of", "remove_constraint"]


def alter_unique(step: Step, reader: Reader) -> None:
    """Read AlterUniqueTogether, which states all sets; which others it takes away, other files tell."""
    model, node = reader.model(step.text(0, "name")), step.call.argument(1, "unique_together")
    sets = unique_sets(node, step.code, lambda name: reader.column(model, name))
    if not model or not (sets or _is_nothing(node, step.code)):
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    table = reader.table(model)
    reader.operations.append(DropConstraint(table, unique=True, if_exists=True, source=step.source))
    reader.operations += [AddConstraint(table, unique=one, source=step.source) for one in sets]


def _is_nothing(node: Node | None, code: Code) -> bool:
    """Tell whether an argument is an empty set, list or tuple, or None."""
    return text_of(node) in {"None", "set()", "frozenset()"} or (node is not None and code.items(node) == [])


def add_constraint(step: Step, reader: Reader) -> None:
    """Read AddConstraint, with a constraint that holds for all rows."""
    model = reader.model(step.text(0, "model_name"))
    node = step.call.argument(1, "constraint")
    if not model or node is None:
        reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
        return
    constraint = constraint_of(node, model, reader, source=step.source)
    reader.operations += [constraint] if constraint is not None else []


def constraint_of(node: Node, model: str, reader: Reader, *, source: Source) -> AddConstraint | None:
    """Return a UniqueConstraint that holds for all rows, or a CheckConstraint whose condition has an SQL here."""
    call = reader.code.call(node)
    if call is None:
        return None
    made = AddConstraint(reader.table(model), name=reader.code.string(call.keywords.get("name")) or "", source=source)
    match last_part(call.name):
        case "CheckConstraint":
            condition = call.keywords.get("condition", call.keywords.get("check"))
            check = condition_sql(condition, reader.code, lambda name: reader.column(model, name))
            return replace(made, check=check) if check else None
        case "UniqueConstraint" if "condition" not in call.keywords and not call.arguments:
            names = reader.code.strings(call.keywords.get("fields")) or ()
            unique = tuple(reader.column(model, name) for name in names)
            return replace(made, unique=unique) if unique else None
        case _:
            return None


def remove_constraint(step: Step, reader: Reader) -> None:
    """Read RemoveConstraint."""
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    if model and name:
        reader.operations.append(DropConstraint(reader.table(model), name=name, if_exists=True, source=step.source))
