"""Models of Eloquent: those whose base is a model, without bases of others that have no table of their own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from coderag.sql.records import CreateTable, Describe, EloquentModel, Rename, SchemaFile

__all__ = ["with_models"]


def with_models(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files in which a class describes a table if it is a model, and no base of models that nothing creates."""
    models = [model for file in files for model in _models(file)]
    if not models:
        return list(files)
    known, created = _known(models), _created(files)
    bases = {_last(model.base) for model in models if model.name in known}
    return [_with_models(file, known, bases, created) if _models(file) else file for file in files]


def _models(file: SchemaFile) -> Sequence[EloquentModel]:
    return file.facts.shared.models if file.facts.shared is not None else ()


def _known(models: Sequence[EloquentModel]) -> set[str]:
    """Return the names of the classes that are models: by themselves, or since a class above them is one."""
    known = {model.name for model in models if model.sure}
    derived: dict[str, list[str]] = {}
    for model in models:
        derived.setdefault(model.base, []).append(model.name)
    waiting = list(known)
    while waiting:
        new = [name for name in derived.get(waiting.pop(), ()) if name not in known]
        known.update(new)
        waiting += new
    return known


def _created(files: Sequence[SchemaFile]) -> frozenset[str]:
    """Return the names of all tables that are created or renamed to, folded, without schema."""
    operations = (operation for file in files for operation in file.facts.operations)
    names = (
        operation.table.name.name if isinstance(operation, CreateTable) else operation.to.name
        for operation in operations
        if isinstance(operation, CreateTable | Rename)
    )
    return frozenset(name.casefold() for name in names)


def _with_models(file: SchemaFile, known: set[str], bases: set[str], created: frozenset[str]) -> SchemaFile:
    """Return a file without the tables of its classes that are no models, or are bases of others."""
    models = {_last(model.name) for model in _models(file) if model.name in known}
    operations = tuple(
        operation
        for operation in file.facts.operations
        if not isinstance(operation, Describe)
        or operation.table.alias in models - bases
        or (operation.table.alias in models and operation.table.name.name.casefold() in created)
    )
    if len(operations) == len(file.facts.operations):
        return file
    return replace(file, facts=replace(file.facts, operations=operations))


def _last(name: str) -> str:
    """Return the name of a class without its namespace."""
    return name.rpartition("\\")[2]
