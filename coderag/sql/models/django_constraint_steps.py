"""The operations of Django's migrations on constraints to operations on tables."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from coderag.sql.model import (
    AddConstraint,
    DropConstraint,
    Lost,
    Source,
)
from coderag.sql.models.django_steps import COMPUTED, Reader, Step
from coderag.sql.models.django_tables import (
    unique_sets,
)
from coderag.sql.models.python_code import last_part
from coderag.sql.models.tree import lost_at, text_of

__all__ = ["add_constraint", "alter_unique", "remove_constraint", "unique_constraints"]


def alter_unique(step: Step, reader: Reader) -> None:
    """Read AlterUniqueTogether, which states all sets; which ones it takes away, other files tell."""
    model = reader.model(step.text(0, "name"))
    sets = unique_sets(step.call.argument(1, "unique_together"), step.code, lambda name: reader.column(model, name))
    table = reader.table(model)
    reader.operations += [AddConstraint(table, unique=one, source=step.source) for one in sets]
    if not sets:
        reader.lost.append(
            Lost(
                step.source.start_line,
                text_of(step.call.node).partition("(")[0],
                "which keys it takes away is not written",
            )
        )


def add_constraint(step: Step, reader: Reader) -> None:
    model = reader.model(step.text(0, "model_name"))
    node = step.call.argument(1, "constraint")
    if not model or node is None:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    reader.operations += unique_constraints(node, model, reader, source=step.source)


def unique_constraints(node: Node, model: str, reader: Reader, *, source: Source) -> Sequence[AddConstraint]:
    """Return a UniqueConstraint that holds for all rows; conditions that are Q objects are no SQL."""
    call = reader.code.call(node)
    if call is None or last_part(call.name) != "UniqueConstraint" or "condition" in call.keywords or call.arguments:
        return []
    names = reader.code.strings(call.keywords.get("fields"))
    if not names:
        return []
    columns = tuple(reader.column(model, name) for name in names)
    name = reader.code.string(call.keywords.get("name")) or ""
    return [AddConstraint(reader.table(model), name=name, unique=columns, source=source)]


def remove_constraint(step: Step, reader: Reader) -> None:
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    if model and name:
        reader.operations.append(DropConstraint(reader.table(model), name=name, if_exists=True, source=step.source))
