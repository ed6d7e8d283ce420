"""A table to all that is known of it: what refers to it, reads it, explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coderag.index.catalog.catalog import Catalog
from coderag.sql.records import Definition, Evidence, ExampleQuery, Name, Routine, Table

__all__ = ["Reference", "TableFacts", "about_table"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A join between the table and another: from its columns to those of the other."""

    columns: tuple[str, ...]
    table: Name
    other_columns: tuple[str, ...]
    evidence: Evidence
    outward: bool  # the table refers to the other, not the other way round


@dataclass(frozen=True, slots=True)
class TableFacts:
    """All that is known of a table."""

    table: Table
    references: tuple[Reference, ...] = ()
    views: tuple[Table, ...] = ()  # that read it
    routines: tuple[Routine, ...] = ()  # that touch it, triggers on it included
    queries: tuple[ExampleQuery, ...] = ()  # that use it, the most frequent first
    definitions: tuple[Definition, ...] = ()  # that speak of it


def about_table(catalog: Catalog, number: int) -> TableFacts:
    """Return what is known of a table of a catalog."""
    table = catalog.tables[number]
    found: list[Reference] = []
    for one in catalog.relations:
        if number == one.left:
            other = catalog.tables[one.right].name
            found.append(Reference(one.left_columns, other, one.right_columns, Evidence(one.evidence), outward=True))
        elif number == one.right:
            other = catalog.tables[one.left].name
            found.append(Reference(one.right_columns, other, one.left_columns, Evidence(one.evidence), outward=False))
    order = list(Evidence)
    queries = [
        query for at, query in enumerate(catalog.queries) if number in catalog.listed("query_table", at).tolist()
    ]
    return TableFacts(
        table=table,
        references=tuple(sorted(found, key=lambda one: (not one.outward, order.index(one.evidence), one.columns))),
        views=tuple(one for one in catalog.tables if one.query and _names(one.usage.reads, table.name)),
        routines=tuple(
            one
            for one in catalog.routines
            if _names((*one.usage.reads, *one.usage.writes, *((one.table,) if one.table else ())), table.name)
        ),
        queries=tuple(sorted(queries, key=lambda one: -one.calls)),
        definitions=tuple(one for one in catalog.definitions if _names(one.tables, table.name)),
    )


def _names(names: Sequence[Name], table: Name) -> bool:
    """Tell whether some names, written with or without schema and database, are of a table."""
    database, schema, plain = table.key
    return any(
        name.key[2] == plain and name.key[1] in ("", schema) and name.key[0] in ("", database, schema) for name in names
    )
