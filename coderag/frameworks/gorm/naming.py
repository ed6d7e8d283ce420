"""GORM's naming strategy: what a program says once about the names of all its tables.

https://gorm.io/docs/gorm_config.html#NamingStrategy
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from coderag.frameworks.common.go_names import go_snake
from coderag.sql.records import (
    CreateTable,
    Facts,
    ForeignKey,
    Name,
    Origin,
    SchemaFile,
    SchemaOperation,
    Shared,
    Table,
    TableNaming,
)
from coderag.text.inflection import plural

__all__ = ["read", "with_naming"]

STRATEGY = re.compile(rb"\bNamingStrategy\s*\{([^{}]{0,2000})\}")
PREFIX = re.compile(rb'\bTablePrefix:\s*"([^"\n]{0,100})"')
SINGULAR = re.compile(rb"\bSingularTable(?::\s*|\()true\b")  # the call is that of the first version
TESTS = "_test.go"
ENDING = ".go"


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001 - as every framework is asked
    """Return the naming strategy that a file sets, None where it sets none, or is a test."""
    naming = _stated(data) if not path.endswith(TESTS) else TableNaming()
    return Facts(shared=Shared(naming=naming)) if naming != TableNaming() else None


def _stated(data: bytes) -> TableNaming:
    """Return the naming strategy that a text sets.

    `schema.NamingStrategy{TablePrefix: "t_", SingularTable: true}` -> TableNaming("t_", singular=True)
    `db.SingularTable(true)`                                        -> TableNaming("", singular=True)
    """
    strategy = STRATEGY.search(data)
    text = strategy[1] if strategy is not None else data
    prefix = PREFIX.search(text) if strategy is not None else None
    return TableNaming(prefix[1].decode("utf-8", "replace") if prefix else "", singular=bool(SINGULAR.search(text)))


def with_naming(files: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files whose models have the names that the naming strategy nearest to them gives."""
    stated = [
        (file.path.split("/")[:-1], file.facts.shared.naming)
        for file in files
        if file.facts.shared is not None and file.facts.shared.naming is not None
    ]
    if not stated:
        return list(files)
    ruled = frozenset(
        name for file in files if file.facts.shared is not None for name in file.facts.shared.named_by_rule
    )
    return [_renamed(file, _nearest(file.path, stated), ruled) for file in files]


def _nearest(path: str, stated: Sequence[tuple[list[str], TableNaming]]) -> TableNaming | None:
    """Return what is said in the folder that has most in common with a path; None where several differ there."""
    folders = path.split("/")[:-1]
    shared = [(_common(folders, others), naming) for others, naming in stated]
    most = max(count for count, _ in shared)
    nearest = {naming for count, naming in shared if count == most}
    return nearest.pop() if len(nearest) == 1 else None


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    return next(
        (at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), min(len(left), len(right))
    )


def _renamed(file: SchemaFile, naming: TableNaming | None, ruled: frozenset[str]) -> SchemaFile:
    if naming is None or not file.path.endswith(ENDING):
        return file
    own = frozenset(file.facts.shared.named_by_rule) if file.facts.shared is not None else frozenset()
    operations = tuple(_operation(operation, naming, own, ruled) for operation in file.facts.operations)
    return replace(file, facts=replace(file.facts, operations=operations))


def _operation(
    operation: SchemaOperation, naming: TableNaming, own: frozenset[str], ruled: frozenset[str]
) -> SchemaOperation:
    if not isinstance(operation, CreateTable):
        return operation
    table = operation.table
    if not table.alias and own and Origin.ORM in table.origins:  # between two models
        return replace(operation, table=_between(table, naming, ruled))
    keys = tuple(_key(key, naming, ruled) for key in table.foreign_keys)
    name = _name(table.alias, naming) if table.alias in own else table.name
    return replace(operation, table=replace(table, name=name, foreign_keys=keys))


def _between(table: Table, naming: TableNaming, ruled: frozenset[str]) -> Table:
    keys = tuple(_key(key, naming, ruled) for key in table.foreign_keys)
    return replace(table, name=Name(naming.prefix + table.name.name), foreign_keys=keys)


def _key(key: ForeignKey, naming: TableNaming, ruled: frozenset[str]) -> ForeignKey:
    return replace(key, table=_name(key.model, naming)) if key.model in ruled else key


def _name(struct: str, naming: TableNaming) -> Name:
    word = go_snake(struct)
    return Name(naming.prefix + (word if naming.singular else plural(word)))
