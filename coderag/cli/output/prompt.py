"""A schema context to a prompt that asks a language model for the SQL of a question."""

from __future__ import annotations

from coderag.search.context.render import as_ddl
from coderag.search.context.schema_context import SchemaContext

__all__ = ["prompt_record", "prompt_text"]

INSTRUCTIONS = """\
Write one {dialect} query that answers the question. Use only the tables and columns below, spelled as they are; join
them as stated under "Joins". If they cannot answer it, say which table or column is missing instead of inventing one.
Answer with the SQL alone, in a ```sql block."""


def prompt_record(context: SchemaContext, evidence: str, *, values: bool) -> dict[str, str]:
    """Return the parts of the prompt; `values` are known values of columns."""
    return {
        "instructions": INSTRUCTIONS.format(dialect=context.sql_dialect.title),
        "schema": as_ddl(context, values=values),
        "evidence": evidence,
        "question": context.question,
    }


def prompt_text(context: SchemaContext, evidence: str, *, values: bool) -> str:
    """Return the prompt, ready to be sent."""
    parts = prompt_record(context, evidence, values=values)
    known = f"\n\nKnown: {evidence}" if evidence else ""
    return f"{parts['instructions']}\n\n```sql\n{parts['schema']}\n```{known}\n\nQuestion: {parts['question']}"
