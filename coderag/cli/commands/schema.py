"""`coderag schema`: a question, or a stream of them, to the tables, joins and examples that its SQL needs."""

from __future__ import annotations

import argparse
import sys

from coderag.api.index import Index
from coderag.api.records import json_line
from coderag.api.schema_records import context_record
from coderag.cli.commands.schema_batch import answer_questions
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.filters import table_conditions
from coderag.cli.opening import note, open_for_caller
from coderag.cli.output.prompt import prompt_record, prompt_text
from coderag.cli.output.text import visible
from coderag.errors import QueryError
from coderag.search.context.render import as_ddl, as_markdown
from coderag.search.context.schema_context import SchemaContext
from coderag.search.query.query import check_question
from coderag.text.budget import tokens_of
from coderag.text.counted import counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Print the context for a question; 1 when no table is known."""
    question = " ".join(options.question)
    if options.batch:
        if options.of_index:
            raise QueryError("--of-index answers one QUESTION; leave out --batch")
        if question:
            raise QueryError("--batch reads its questions from stdin; give no QUESTION")
        index = open_for_caller(options)
        answer_questions(
            index, conditions=table_conditions(options), k=options.k, other_databases=options.other_databases
        )
        return FOUND
    check_question(question, k=options.k, evidence=options.evidence)
    if options.of_index:
        return _print_context(_of_index(question, options), options)
    index = open_for_caller(options)
    context = index.schema_context(
        question,
        budget=options.budget,
        k=options.k,
        evidence=options.evidence,
        conditions=table_conditions(options),
        samples=not options.no_samples,
        other_databases=options.other_databases,
    )
    return _print_context(context, options, index)


def _of_index(question: str, options: argparse.Namespace) -> SchemaContext:
    """Return the context over the tables of the index itself, which are the same for every index."""
    from coderag.relational.context import index_context  # few questions are about the index

    return index_context(
        question, budget=options.budget, k=options.k, evidence=options.evidence, samples=not options.no_samples
    )


def _print_context(context: SchemaContext, options: argparse.Namespace, index: Index | None = None) -> int:
    has_tables = bool(context.tables or context.named)
    if options.json:
        samples = not options.no_samples
        record = context_record(context, samples=samples)
        print(json_line(prompt_record(context, options.evidence, values=samples) if options.prompt else record))
        return FOUND if has_tables else NOTHING
    if not has_tables:
        note(_nothing(index, context))
        return NOTHING
    if not context.matched:
        note("no table holds a word of the question; these are the tables that are known")
    text = _text(context, options)
    print("\n".join(visible(line) for line in text.split("\n")))
    if sys.stdout.isatty():
        note(_summary(context, text))
    return FOUND


def _text(context: SchemaContext, options: argparse.Namespace) -> str:
    values = not options.no_samples
    if options.prompt:
        return prompt_text(context, options.evidence, values=values)
    write = as_markdown if options.format == "markdown" else as_ddl
    return write(context, explain=options.explain, values=values)


def _nothing(index: Index | None, context: SchemaContext) -> str:
    if context.left_out:
        return f"a budget of {counted(context.budget, 'token')} has room for no table; {context.left_out:,} are known"
    if index is not None and not len(index.catalog):
        return "no table is known: index a folder with a schema, or a database; see coderag index --help"
    return "no table meets these conditions; try fewer"


def _summary(context: SchemaContext, text: str) -> str:
    what = "the whole schema" if context.complete else f"{counted(len(context.tables), 'table')} of the schema"
    return f"{what}, about {tokens_of(text):,} tokens"
