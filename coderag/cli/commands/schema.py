"""`coderag schema`: a question, or a stream of them, to the tables, joins and examples that its SQL needs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from coderag.api.index import Index
from coderag.cli.caller import open_for_caller
from coderag.cli.commands.schema_batch import answer_questions
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import note
from coderag.cli.output.records import json_line
from coderag.cli.output.text import counted, visible
from coderag.cli.schema_options import conditions_of, definition_record, query_record, table_record
from coderag.errors import QueryError
from coderag.search.context.pack import ContextTable
from coderag.search.context.render import as_ddl, as_markdown, on_clause
from coderag.search.context.schema_context import SchemaContext
from coderag.search.query.query import check_question
from coderag.text.budget import tokens_of

__all__ = ["context_record", "run"]


def run(options: argparse.Namespace) -> int:
    """Print the context for a question; 1 when no table is known."""
    question = " ".join(options.question)
    if options.batch:
        if question:
            raise QueryError("--batch reads its questions from stdin; give no QUESTION")
        index = open_for_caller(options)
        answer_questions(index, conditions=conditions_of(options), k=options.k, other_databases=options.other_databases)
        return FOUND
    check_question(question, k=options.k, evidence=options.evidence)
    index = open_for_caller(options)
    context = index.schema_context(
        question,
        budget=options.budget,
        k=options.k,
        evidence=options.evidence,
        conditions=conditions_of(options),
        samples=not options.no_samples,
        other_databases=options.other_databases,
    )
    found = bool(context.tables or context.named)
    if options.json:
        print(json_line(context_record(context, samples=not options.no_samples)))
        return FOUND if found else NOTHING
    if not found:
        note(_nothing(index, context))
        return NOTHING
    if not context.matched:
        note("no table holds a word of the question; these are the tables that are known")
    write = as_markdown if options.format == "markdown" else as_ddl
    text = write(context, explain=options.explain, values=not options.no_samples)
    print("\n".join(visible(line) for line in text.split("\n")))
    if sys.stdout.isatty():
        note(_summary(context, text))
    return FOUND


def _nothing(index: Index, context: SchemaContext) -> str:
    if context.left_out:
        return f"a budget of {counted(context.budget, 'token')} has room for no table; {context.left_out:,} are known"
    if not len(index.catalog):
        return "no table is known: index a folder with a schema, or a database; see coderag index --help"
    return "no table meets these conditions; try fewer"


def _summary(context: SchemaContext, text: str) -> str:
    what = "the whole schema" if context.complete else f"{counted(len(context.tables), 'table')} of the schema"
    return f"{what}, about {tokens_of(text):,} tokens"


def context_record(context: SchemaContext, *, samples: bool) -> dict[str, Any]:
    """Return a context as it is printed in JSON."""
    spelling = context.spelling
    return {
        "question": context.question,
        "dialect": context.dialect,
        "pitfalls": context.pitfalls,
        "matched": context.matched,
        "leading": context.leading,
        "whole": context.whole,
        "complete": context.complete,
        "tables": [_table(context_table, samples=samples) for context_table in context.tables],
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


def _table(one: ContextTable, *, samples: bool) -> dict[str, Any]:
    record = table_record(one.table)
    shown = {column.name for column in one.columns}
    columns = [column for column in record["columns"] if column["name"] in shown]
    if not samples:
        columns = [{**column, "values": []} for column in columns]
    source = one.table.sources[0] if one.table.sources else None
    return {
        **record,
        "columns": columns,
        "whole": one.whole,
        "connecting": one.connecting,
        "score": round(one.score, 6),
        "parts": dict(one.parts),
        "reasons": one.reasons,
        "path": source.path if source else "",
        "line": source.start_line if source else 0,
    }
