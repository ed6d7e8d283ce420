"""The filters of the schema commands, and their records as JSON."""

from __future__ import annotations

import argparse
from typing import Any

from coderag.search.context.ddl import place
from coderag.sql.records import Definition, ExampleQuery, ForeignKey, Name, Source, Table
from coderag.types import TableFilter, TestPolicy

__all__ = [
    "conditions_of",
    "definition_record",
    "key_record",
    "name_record",
    "query_record",
    "source_record",
    "table_record",
]


def conditions_of(options: argparse.Namespace) -> TableFilter:
    """Return the conditions that the options of a command set."""
    return TableFilter(
        databases=frozenset(options.database),
        schemas=frozenset(options.schema),
        dialects=frozenset(options.dialect),
        environments=frozenset(options.environment),
        domains=frozenset(options.domain),
        paths=tuple(options.path),
        since=options.since or "",
        tests=TestPolicy(options.tests),
    )


def source_record(source: Source) -> dict[str, Any]:
    """Return where something is declared."""
    return {"path": source.path, "start_line": source.start_line, "end_line": source.end_line}


def name_record(name: Name) -> dict[str, str]:
    """Return a name with what it is in."""
    return {"name": name.name, "schema": name.schema, "database": name.database}


def key_record(key: ForeignKey) -> dict[str, Any]:
    """Return a foreign key."""
    return {
        "columns": key.columns,
        "table": str(key.table),
        "referenced": key.referenced,
        "evidence": key.evidence,
        "source": place(key.source) if key.source.path else "",
    }


def table_record(table: Table) -> dict[str, Any]:
    """Return a table with its columns and keys."""
    return {
        **name_record(table.name),
        "kind": table.kind,
        "comment": table.comment,
        "columns": [
            {
                "name": column.name,
                "type": column.type,
                "nullable": column.nullable,
                "default": column.default,
                "comment": column.comment,
                "values": column.values,
                "primary_key": column.name in table.primary_key,
            }
            for column in table.columns
        ],
        "primary_key": table.primary_key,
        "unique": table.unique,
        "foreign_keys": [key_record(key) for key in table.foreign_keys],
        "checks": table.checks,
        "query": table.query,
        "lineage": [
            {
                "column": lineage.column,
                "sources": [f"{use.tables[0]}.{use.column}" for use in lineage.sources if use.tables],
            }
            for lineage in table.lineage
        ],
        "model": table.alias,
        "row_count": table.row_count if table.row_count >= 0 else None,
        "updated": table.updated,
        "dialect": table.dialect,
        "environment": table.environment,
        "domain": table.domain,
        "labels": table.labels,
        "modified": table.modified,
        "family": table.family,
        "origins": table.origins,
        "sources": [source_record(source) for source in table.sources],
        "history": [
            {"text": change.text, "migration": change.migration, **source_record(change.source)}
            for change in table.history
        ],
    }


def query_record(query: ExampleQuery) -> dict[str, Any]:
    """Return an example query."""
    return {
        "question": query.question,
        "text": query.text,
        "calls": query.calls,
        "tables": [str(name) for name in (*query.usage.reads, *query.usage.writes)],
        **source_record(query.source),
    }


def definition_record(definition: Definition) -> dict[str, Any]:
    """Return a business definition."""
    return {
        "term": definition.term,
        "text": definition.text,
        "synonyms": definition.synonyms,
        "expression": definition.expression,
        "tables": [str(name) for name in definition.tables],
        **source_record(definition.source),
    }
