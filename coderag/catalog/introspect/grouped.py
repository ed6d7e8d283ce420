"""A database's answers by the object that they describe, to look them up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from coderag.catalog.introspect.ask import Answers
from coderag.catalog.introspect.rows import (
    CheckRow,
    ColumnRow,
    DefaultRow,
    ForeignKeyRow,
    KeyRow,
    ParameterRow,
    TypeCheckRow,
    TypeColumnRow,
)
from coderag.sql.records import Name
from coderag.sql.statements.dialect import Dialect, find_dialect

__all__ = ["Grouped", "grouped"]

Key = tuple[str, str]  # schema and name

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Grouped:
    """The answers; what is of a table is under its schema and name."""

    answers: Answers
    dialect: Dialect
    columns: Mapping[Key, list[ColumnRow]]
    defaults: Mapping[tuple[str, str, str], DefaultRow]
    keys: Mapping[Key, list[KeyRow]]
    foreign_keys: Mapping[Key, list[ForeignKeyRow]]
    checks: Mapping[Key, list[CheckRow]]
    texts: Mapping[Key, str]  # of views, or whole definitions
    row_counts: Mapping[Key, int]
    enums: Mapping[str, tuple[str, ...]]  # the values of each
    type_columns: Mapping[str, list[TypeColumnRow]]
    type_checks: Mapping[str, list[TypeCheckRow]]
    parameters: Mapping[str, list[ParameterRow]]

    def name(self, schema: str, name: str) -> Name:
        """Return a name, without its schema where that is the one which names without any mean."""
        return Name(name, "" if schema == self.answers.database.schema_name else schema)


def grouped(answers: Answers) -> Grouped:
    """Return the answers by the object that they describe."""
    texts = {(row.schema_name, row.name): row.text for row in answers.views}
    texts |= {(row.schema_name, row.name): row.text for row in answers.definitions if row.kind != "trigger"}
    values = _by(answers.type_values, lambda row: row.id)
    return Grouped(
        answers=answers,
        dialect=find_dialect(answers.dialect),
        columns=_by(answers.columns, lambda row: (row.schema_name, row.table_name)),
        defaults={(row.schema_name, row.table_name, row.name): row for row in answers.defaults},
        keys=_by(answers.keys, lambda row: (row.schema_name, row.table_name)),
        foreign_keys=_by(answers.foreign_keys, lambda row: (row.schema_name, row.table_name)),
        checks=_by(answers.checks, lambda row: (row.schema_name, row.table_name)),
        texts=texts,
        row_counts={(row.schema_name, row.name): row.row_count for row in answers.row_counts},
        enums={name: tuple(row.value for row in rows) for name, rows in values.items()},
        type_columns=_by(answers.type_columns, lambda row: row.id),
        type_checks=_by(answers.type_checks, lambda row: row.id),
        parameters=_by(answers.parameters, lambda row: row.id),
    )


def _by(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    found: dict[K, list[T]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found
