"""The tests of dbt columns to what they say of a schema: keys, foreign keys, known values, nullability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coderag.frameworks.dbt.jinja import REFERENCE, SOURCE
from coderag.sql.records import Evidence, ForeignKey, Name, Source

__all__ = ["Tested", "named_relation"]


def named_relation(text: str) -> Name | None:
    """Return the table that `ref('x')` or `source('a', 'x')` names; of a plain name, that one."""
    if match := SOURCE.search(text):
        return Name(match["table"], match["source"])
    if match := REFERENCE.search(text):
        return Name(match["second"] or match["first"])
    plain = text.strip().strip("'\"")
    if not plain or any(sign in plain for sign in "({ "):
        return None
    schema, _, name = plain.rpartition(".")
    return Name(name, schema.rpartition(".")[2])


@dataclass(slots=True)
class Tested:
    """What the tests of one table say."""

    unique: dict[tuple[str, ...], None] = field(default_factory=dict)
    not_null: set[str] = field(default_factory=set)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()

    def add(self, name: str, arguments: Mapping[str, Any], column: str, *, source: Source) -> None:
        """Add a test by its name, such as `relationships`; one that says nothing of a schema is passed over."""
        match name.rpartition(".")[2]:
            case "unique" if column:
                self.unique[(column,)] = None
            case "not_null" if column:
                self.not_null.add(column)
            case "accepted_values" if column and isinstance(found := arguments.get("values"), list):
                self.values[column] = tuple(str(one) for one in found)
            case "relationships" | "relationships_where" if column:
                if (table := named_relation(str(arguments.get("to", "")))) is not None:
                    other = str(arguments.get("field", ""))
                    referenced = (other,) if other.isidentifier() else ()
                    self.foreign_keys.append(
                        ForeignKey((column,), table, referenced, evidence=Evidence.MODEL, source=source)
                    )
            case "unique_combination_of_columns":
                found = arguments.get("combination_of_columns")
                if isinstance(found, list):
                    self.unique[tuple(str(one) for one in found)] = None

    def add_constraint(self, constraint: Mapping[str, Any], columns: Sequence[str], *, source: Source) -> None:
        """Add a constraint of a model contract."""
        match constraint.get("type"):
            case "primary_key":
                self.primary_key = tuple(columns)
            case "unique":
                self.unique[tuple(columns)] = None
            case "not_null":
                self.not_null.update(columns)
            case "foreign_key":
                if (table := named_relation(str(constraint.get("to", "")))) is not None:
                    found = constraint.get("to_columns")
                    referenced = tuple(str(one) for one in found) if isinstance(found, list) else ()
                    self.foreign_keys.append(
                        ForeignKey(tuple(columns), table, referenced, evidence=Evidence.MODEL, source=source)
                    )

    def key(self) -> tuple[str, ...]:
        """Return the primary key: as declared, else the only column that is tested to be unique and never null."""
        if self.primary_key:
            return self.primary_key
        found = _only([names for names in self.unique if set(names) <= self.not_null])
        return found or _only([names for names in self.unique if len(names) == 1])


def _only(found: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    names = list(found)
    return names[0] if len(names) == 1 else ()
