"""The conditions on tables to the tables that meet them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from coderag.errors import QueryError
from coderag.files.globs import path_test
from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.types import TableFilter, TestPolicy

__all__ = ["allowed_tables"]


def allowed_tables(catalog: Catalog, conditions: TableFilter) -> Array | None:
    """Return which tables meet some conditions, bool[tables]; None when there is no condition.

    Raises QueryError for a database, schema, dialect, environment or domain that no table has.
    """
    masks: list[Array] = []
    if conditions.databases:
        wanted = _chosen("database", catalog.groups, conditions.databases)
        masks.append(np.array([*wanted, False], dtype=bool)[catalog.group])
    for name, given in (
        ("schema", conditions.schemas),
        ("environment", conditions.environments),
        ("domain", conditions.domains),
        ("dialect", frozenset(map(_dialect_name, conditions.dialects))),
    ):
        if given:
            masks.append(catalog.having(name, _chosen(name, catalog.values(name), given)))
    if conditions.paths:
        allowed = path_test(conditions.paths)
        masks.append(catalog.having("path", [allowed(path) for path in catalog.values("path")]))
    if conditions.since:
        masks.append(catalog.having("modified", [value >= conditions.since for value in catalog.values("modified")]))
    if conditions.tests is TestPolicy.EXCLUDE:
        masks.append(~catalog.having("label", [label == "test" for label in catalog.values("label")]))
    return np.logical_and.reduce(masks) if masks else None


def _chosen(name: str, known: Sequence[str], given: Iterable[str]) -> list[bool]:
    wanted = {one.casefold() for one in given}
    if unknown := sorted(wanted - {one.casefold() for one in known}):
        there = ", ".join(sorted(filter(None, known))) or "none"
        raise QueryError(f"no table is of the {name} {unknown[0]!r}; known are {there}")
    return [one.casefold() in wanted for one in known]


def _dialect_name(name: str) -> str:
    from coderag.sql.statements.dialect import find_dialect  # only for this filter are the dialects' files read

    return find_dialect(name).name
