"""Django's migrations to operations on tables, which are named by Django's rule: app_model.

A table that CreateModel names otherwise has the alias "app.Model", so that what other migrations say of app_model is
said of it. A field of another migration is named without knowing whether it is a relation: its column may be the name
with _id behind, or a table of its own with the alias "app.Model.field".

https://docs.djangoproject.com/en/stable/ref/migration-operations/
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from coderag.frameworks.common.embedded_sql import read_embedded
from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.django.migrations.constraint_steps import add_constraint, alter_unique, remove_constraint
from coderag.frameworks.django.migrations.field_steps import add_field, alter_field, remove_field, rename_field
from coderag.frameworks.django.migrations.model_steps import (
    alter_order,
    alter_table,
    alter_table_comment,
    create_model,
    delete_model,
    named_table,
    options_of,
    rename_model,
)
from coderag.frameworks.django.migrations.steps import COMPUTED, Reader, Step
from coderag.frameworks.django.tables import (
    table_name,
)
from coderag.sql.records import (
    Describe,
    Facts,
    Name,
    Rename,
    Series,
    Shared,
    Table,
)
from coderag.syntax.languages.python import Code, definition_of, last_part, read_python
from coderag.syntax.trees.tree import descendants, text_of

__all__ = ["read"]

FOLDER = "migrations"
MAX_DEPTH = 5  # operations within operations
NUMBER = re.compile(r"\d+")
NO_NAMES = frozenset({"__first__", "__latest__"})  # of no migration in particular
# Operations that change rows, indexes or nothing at all in the database.
PASSED = frozenset(
    """AlterConstraint AddIndex RemoveIndex RenameIndex AlterIndexTogether AlterModelOptions AlterModelManagers
    AddIndexConcurrently RemoveIndexConcurrently CreateCollation RemoveCollation ValidateConstraint""".split()
)


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return what a Django migration does, None for any other file."""
    code = read_python(data)
    one = code.classes.get("Migration")
    if one is None or not any(last_part(code.dotted(base)) == "Migration" for base in one.bases):
        return None
    code = code.within(one)
    reader = Reader(code, app_label(path), path)
    member = one.members.get("operations")
    if member is not None and not member.method:
        _read_all(member.value, reader)
    stem = path.rpartition("/")[2].removesuffix(".py")
    number = NUMBER.match(stem)
    return Facts(
        statements=len(reader.operations) + len(reader.unparsed),
        series=Series(
            tool="django",
            version=number[0] if number else "",
            name=f"{reader.app}.{stem}" if reader.app else stem,
            after=_names(code.names.get("dependencies") if "dependencies" in one.members else None, code),
            replaces=_names(code.names.get("replaces") if "replaces" in one.members else None, code),
        ),
        operations=tuple(reader.operations),
        unparsed=tuple(reader.unparsed),
        shared=Shared(uses=tuple(reader.uses)) if reader.uses else None,
    )


def app_label(path: str) -> str:
    """Return the app that a migration belongs to by its path: the folder around migrations/."""
    folders = path.split("/")[:-1]
    if FOLDER in folders[1:]:
        return folders[len(folders) - 1 - folders[::-1].index(FOLDER) - 1]
    return folders[-2] if len(folders) > 1 else ""


def _names(node: Node | None, code: Code) -> tuple[str, ...]:
    """Return the migrations of a list of pairs such as ("shop", "0001_initial")."""
    pairs = [code.strings(item) for item in code.items(node) or []]
    return tuple(f"{pair[0]}.{pair[1]}" for pair in pairs if pair and len(pair) == 2 and pair[1] not in NO_NAMES)


def _read_all(node: Node | None, reader: Reader) -> None:
    """Read a list of operations."""
    if node is None:
        return
    items = reader.code.items(node) if reader.depth < MAX_DEPTH else None
    if items is None:
        reader.unparsed.append(unparsed_at(node, COMPUTED))
        return
    for item in items:
        call = reader.code.call(item)
        if call is None:
            reader.unparsed.append(unparsed_at(item, COMPUTED))
            continue
        name = last_part(call.name)
        operation = OPERATIONS.get(name) if call.name not in reader.code.classes else None
        if operation is not None:
            operation(Step(call, reader.code), reader)
        elif name not in PASSED and not name.endswith("Extension"):
            reader.unparsed.append(unparsed_at(call.node, f"not read: the operation {name} is not Django's"))


def _run_sql(step: Step, reader: Reader) -> None:
    """Read SQL that is written as a string, as a list of such, or of pairs with parameters."""
    node = step.call.argument(0, "sql")
    if node is None or text_of(node).endswith("noop"):
        return
    items = step.code.items(node)
    for one in [node] if items is None else items:
        pair = step.code.items(one)
        literal = pair[0] if pair else one
        text, resolved = step.code.string(literal), step.code.resolve(literal)
        if text is None or resolved is None:
            reader.unparsed.append(unparsed_at(step.call.node, COMPUTED))
            continue
        facts = read_embedded(text, source=lines_of(resolved), path=reader.path)
        reader.operations += facts.operations
        reader.unparsed += facts.unparsed


def _run_python(step: Step, reader: Reader) -> None:
    """Read what a function of the file does by the schema editor; all else that it does is done to rows."""
    function = reader.code.functions.get(text_of(step.call.argument(0, "code")))
    for node in descendants(definition_of(function), "call") if function is not None else ():
        call = reader.code.call_at(node)
        name = last_part(call.name)
        if name == "alter_db_table" and len(call.arguments) == 3:
            old, new = reader.code.string(call.arguments[1]), reader.code.string(call.arguments[2])
            if old and new:
                reader.operations.append(Rename(Name(old), Name(new), source=lines_of(node)))


def _separate(step: Step, reader: Reader) -> None:
    """Read what is done to the database; of what is done to the state only, which model a table belongs to."""
    reader.depth += 1
    _read_all(step.call.argument(0, "database_operations"), reader)
    reader.depth -= 1
    for item in reader.code.items(step.call.argument(1, "state_operations")) or []:
        call = reader.code.call(item)
        if call is None or last_part(call.name) != "CreateModel":
            continue
        inner = Step(call, step.code)
        model, options = reader.model(inner.text(0, "name")), options_of(inner)
        table = named_table(options, inner) or table_name(model)
        if model and not step.code.truth(options.get("proxy")):
            reader.tables[model.lower()] = table
            reader.operations.append(Describe(Table(Name(table), alias=model, sources=(inner.source,))))


OPERATIONS: dict[str, Callable[[Step, Reader], None]] = {
    "AddConstraint": add_constraint,
    "AddConstraintNotValid": add_constraint,
    "AddField": add_field,
    "AlterField": alter_field,
    "AlterModelTable": alter_table,
    "AlterModelTableComment": alter_table_comment,
    "AlterOrderWithRespectTo": alter_order,
    "AlterUniqueTogether": alter_unique,
    "CreateModel": create_model,
    "DeleteModel": delete_model,
    "RemoveConstraint": remove_constraint,
    "RemoveField": remove_field,
    "RenameField": rename_field,
    "RenameModel": rename_model,
    "RunPython": _run_python,
    "RunSQL": _run_sql,
    "SeparateDatabaseAndState": _separate,
}
