"""The conditions on tables to the tables that meet them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from coderag.errors import QueryError
from coderag.files.globs import path_test
from coderag.index.catalog.catalog import Catalog
from coderag.index.storage.arrays.arrays import Array
from coderag.types import TableFilter, TestPolicy

__all__ = ["allowed_tables"]

TABLE_KINDS = ("table", "view")


def allowed_tables(catalog: Catalog, conditions: TableFilter) -> Array | None:
    """Return which tables meet some conditions, bool[tables]; None when there is no condition.

    Raises QueryError for a database, schema, dialect, environment or domain that no table has, and for an unknown
    language or kind.
    """
    masks: list[Array] = []
    if conditions.databases:
        chosen = _chosen("database", catalog.groups, conditions.databases)
        masks.append(np.array([*chosen, False], dtype=bool)[catalog.group])
    for name, values in (
        ("schema", conditions.schemas),
        ("environment", conditions.environments),
        ("domain", conditions.domains),
        ("dialect", frozenset(map(_dialect_name, conditions.dialects))),
    ):
        if values:
            masks.append(catalog.having(name, _chosen(name, catalog.values(name), values)))
    if conditions.paths:
        allowed = path_test(conditions.paths)
        masks.append(catalog.having("path", [allowed(path) for path in catalog.values("path")]))
    if conditions.since:
        masks.append(catalog.having("modified", [value >= conditions.since for value in catalog.values("modified")]))
    if conditions.languages:
        in_language = _language_test(conditions.languages)
        masks.append(catalog.having("path", [in_language(path) for path in catalog.values("path")]))
    if conditions.kinds:
        masks.append(catalog.having("kind", _of_kinds(catalog.values("kind"), conditions.kinds)))
    if conditions.tests is TestPolicy.EXCLUDE:
        masks.append(~catalog.having("label", [label == "test" for label in catalog.values("label")]))
    return np.logical_and.reduce(masks) if masks else None


def _chosen(name: str, known: Sequence[str], values: Iterable[str]) -> list[bool]:
    folded = {value.casefold() for value in values}
    if unknown := sorted(folded - {value.casefold() for value in known}):
        there = ", ".join(sorted(filter(None, known))) or "none"
        raise QueryError(f"no table is of the {name} {unknown[0]!r}; known are {there}")
    return [value.casefold() in folded for value in known]


def _dialect_name(name: str) -> str:
    from coderag.sql.statements.dialect import find_dialect  # only for this filter are the dialects' files read

    return find_dialect(name).name


def _language_test(languages: Collection[str]) -> Callable[[str], bool]:
    """Return whether a file is of one of some languages; raises QueryError for an unknown one."""
    from coderag.syntax.language import detect
    from coderag.syntax.language import languages as all_languages

    if unknown := sorted(set(languages) - all_languages().keys()):
        from coderag.text.suggestion import suggestion  # for an error alone

        near = suggestion(unknown[0], all_languages())
        raise QueryError(f'unknown language {unknown[0]!r}{near}; run "coderag languages" for the list')

    def is_of_one(path: str) -> bool:
        language = detect(path)
        return language is not None and language.name in languages

    return is_of_one


def _of_kinds(known: Sequence[str], kinds: Collection[str]) -> list[bool]:
    """Return which kinds of objects are among those of the conditions: a materialized view is a view too."""
    wanted = {kind.casefold() for kind in kinds}
    if unknown := sorted(wanted - {*TABLE_KINDS, *known}):
        from coderag.text.suggestion import suggestion  # for an error alone

        near = suggestion(unknown[0], TABLE_KINDS)
        raise QueryError(f"no table is of the kind {unknown[0]!r}{near}; kinds are {', '.join(TABLE_KINDS)}")
    return [kind in wanted or kind.rpartition(" ")[2] in wanted for kind in known]
