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
    """A table with its references, views, routines, queries and definitions."""

    table: Table
    references: tuple[Reference, ...] = ()
    views: tuple[Table, ...] = ()  # that read it
    routines: tuple[Routine, ...] = ()  # that touch it, triggers on it included
    queries: tuple[ExampleQuery, ...] = ()  # that use it, the most frequent first
    definitions: tuple[Definition, ...] = ()  # that are about it


def about_table(catalog: Catalog, number: int) -> TableFacts:
    """Return what is known of a table of a catalog."""
    table = catalog.tables[number]
    references: list[Reference] = []
    for relation in catalog.relations:
        if number == relation.left:
            other = catalog.tables[relation.right].name
            references.append(
                Reference(
                    relation.left_columns, other, relation.right_columns, Evidence(relation.evidence), outward=True
                )
            )
        elif number == relation.right:
            other = catalog.tables[relation.left].name
            references.append(
                Reference(
                    relation.right_columns, other, relation.left_columns, Evidence(relation.evidence), outward=False
                )
            )
    order = list(Evidence)
    queries = [
        query for at, query in enumerate(catalog.queries) if number in catalog.listed("query_table", at).tolist()
    ]
    return TableFacts(
        table=table,
        references=tuple(
            sorted(
                references,
                key=lambda reference: (not reference.outward, order.index(reference.evidence), reference.columns),
            )
        ),
        views=tuple(view for view in catalog.tables if view.query and _names(view.usage.reads, table.name)),
        routines=tuple(
            routine
            for routine in catalog.routines
            if _names(
                (*routine.usage.reads, *routine.usage.writes, *((routine.table,) if routine.table else ())), table.name
            )
        ),
        queries=tuple(sorted(queries, key=lambda example_query: -example_query.calls)),
        definitions=tuple(definition for definition in catalog.definitions if _names(definition.tables, table.name)),
    )


def _names(names: Sequence[Name], table: Name) -> bool:
    """Tell whether some names, written with or without schema and database, are of a table."""
    database, schema, plain = table.key
    return any(
        name.key[2] == plain and name.key[1] in ("", schema) and name.key[0] in ("", database, schema) for name in names
    )
