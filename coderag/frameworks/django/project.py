"""The facts of a Django project's files, with the names in them settled by what all of the files say together.

A migration names models and fields. Which table a model has, whether a field is a relation, so that its column
ends in _id, or a many-to-many field, so that it is a table: that is told by the migration that made it. Which model
the users are is told by the settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from coderag.frameworks.common.shared import with_shared
from coderag.frameworks.django.dialects import in_dialect
from coderag.frameworks.django.fields import USER_MODEL
from coderag.frameworks.django.inheritance import with_parents
from coderag.frameworks.django.names import DEFAULT_USER, Names
from coderag.frameworks.django.settling import settle
from coderag.frameworks.django.tables import key_column, table_name
from coderag.sql.migration_order import Migration, ordered
from coderag.sql.records import (
    CreateTable,
    Describe,
    SchemaFile,
    SchemaOperation,
    Source,
)

__all__ = ["settled"]

TOOL = "django"
REPLACED = "replaced"  # the direction of a migration that a squashed one stands for: it is not applied


def settled(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which the operations of Django's migrations and models name tables and columns as they are.

    Their order stays; files of other tools stay as they are.
    """
    files = _without_replaced(with_shared(files))
    migrations = {file.path: file for file in files if file.facts.series is not None and file.facts.series.tool == TOOL}
    models = [file for file in files if file.facts.series is None and _has_models(file)]
    if not migrations and not models:
        return list(files)
    user = _user_model(files)
    project = Names(user)
    paths, _ = ordered([Migration(path, one.facts.series) for path, one in migrations.items() if one.facts.series])
    done = {path: settle(project, migrations[path]) for path in paths}
    described = Names(user, without=dict(project.without))
    models = [_with_keys(with_parent) for with_parent in with_parents(models)]
    for model in models:
        for operation in model.facts.operations:
            described.note(operation)
    for model in models:
        done[model.path] = settle(described, model)
    return [in_dialect(done[file.path]) if file.path in done else file for file in files]


def _has_models(file: SchemaFile) -> bool:
    """Tell whether a file has Django models, whose names have their app in front."""
    return any(
        isinstance(operation, CreateTable | Describe) and "." in operation.table.alias
        for operation in file.facts.operations
    )


def _with_keys(file: SchemaFile) -> SchemaFile:
    """Return models with the id that Django adds where no base of another file has brought a primary key."""
    unknown = [
        unparsed.reason.split()[3] for unparsed in file.facts.unparsed if unparsed.reason.startswith("the columns of ")
    ]
    if any(not name.endswith("Mixin") for name in unknown):
        return file  # a model that is unknown may have one, a mixin has none
    operations = tuple(map(_with_key, file.facts.operations))
    return msgspec.structs.replace(file, facts=msgspec.structs.replace(file.facts, operations=operations))


def _with_key(operation: SchemaOperation) -> SchemaOperation:
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
