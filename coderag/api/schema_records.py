"""Tables, queries, definitions and schema contexts to the records that JSON has of them."""

from __future__ import annotations

from typing import Any

from coderag.search.context.about import TableFacts
from coderag.search.context.ddl import place
from coderag.search.context.pack import ContextTable
from coderag.search.context.render import on_clause
from coderag.search.context.schema_context import SchemaContext
from coderag.sql.records import Definition, ExampleQuery, ForeignKey, Name, Source, Table

__all__ = [
    "context_record",
    "definition_record",
    "facts_record",
    "key_record",
    "name_record",
    "query_record",
    "source_record",
    "table_record",
]


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


def facts_record(facts: TableFacts) -> dict[str, Any]:
    """Return all that is known of a table."""
    return {
        **table_record(facts.table),
        "references": [
            {
                "columns": reference.columns,
                "table": str(reference.table),
                "other_columns": reference.other_columns,
                "evidence": reference.evidence,
                "outward": reference.outward,
            }
            for reference in facts.references
        ],
        "views": [{"name": str(view.name), **source_record(view.sources[0])} for view in facts.views if view.sources],
        "routines": [
            {"name": str(routine.name), "kind": routine.kind, **source_record(routine.source)}
            for routine in facts.routines
        ],
        "queries": [query_record(query) for query in facts.queries],
        "definitions": [definition_record(definition) for definition in facts.definitions],
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


def context_record(context: SchemaContext, *, samples: bool) -> dict[str, Any]:
    """Return a context as JSON has it."""
    spelling = context.spelling
    return {
        "question": context.question,
        "dialect": context.dialect,
        "pitfalls": context.pitfalls,
        "matched": context.matched,
        "leading": context.leading,
        "whole": context.whole,
        "complete": context.complete,
        "tables": [_context_table(context_table, samples=samples) for context_table in context.tables],
        "columns": [{"table": table.name.name, "column": column} for table, column in context.columns],
        "joins": [
            {
                "left": str(join.left),
                "right": str(join.right),
                "on": on_clause(join, spelling),
                "evidence": join.evidence,
                "source": join.where,
                "shared": join.shared,
            }
            for join in context.joins
        ],
        "queries": [query_record(query) for query in context.queries],
        "definitions": [definition_record(definition) for definition in context.definitions],
        "named": [table.name.name for table in context.named],
        "left_out": context.left_out,
        "other_databases": [
            {"database": other.name, "tables": other.size, "best": list(other.tables)} for other in context.others
        ],
        "other_databases_left_out": context.others_left_out,
    }


def _context_table(context: ContextTable, *, samples: bool) -> dict[str, Any]:
    record = table_record(context.table)
    shown = {column.name for column in context.columns}
    columns = [column for column in record["columns"] if column["name"] in shown]
    if not samples:
        columns = [{**column, "values": []} for column in columns]
    source = context.table.sources[0] if context.table.sources else None
    return {
        **record,
        "columns": columns,
        "whole": context.whole,
        "connecting": context.connecting,
        "score": round(context.score, 6),
        "parts": dict(context.parts),
        "reasons": context.reasons,
        "path": source.path if source else "",
        "line": source.start_line if source else 0,
    }
