"""The context for a question as text: DDL with comments, or Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from coderag.context.ddl import Spelling, column_note, place, table_ddl, table_label
from coderag.context.pack import ContextJoin
from coderag.context.schema_context import SchemaContext
from coderag.sql.model import Definition, ExampleQuery, Table

__all__ = ["as_ddl", "as_markdown", "on_clause"]

MAX_QUERY_CHARS = 1200


def on_clause(join: ContextJoin, spelling: Spelling) -> str:
    """Return a join as its ON clause: `orders.customer_id = customers.id`."""
    left, right = spelling.full_name(join.left), spelling.full_name(join.right)
    if left == right:
        right = f"{right} AS other"
    pairs = zip(join.left_columns, join.right_columns, strict=False)
    names = [(spelling.quoted(one), spelling.quoted(other)) for one, other in pairs]
    other = "other" if right.endswith(" AS other") else right
    return " AND ".join(f"{left}.{one} = {other}.{two}" for one, two in names)


def as_ddl(context: SchemaContext, *, explain: bool = False, values: bool = True) -> str:
    """Return a context as CREATE statements and comments, which language models read best."""
    dialect, spelling = context.sql_dialect, context.spelling
    parts = [f"-- {dialect.title}" + (" (the whole schema)" if context.complete else "")]
    parts += [f"-- - {pitfall}" for pitfall in context.pitfalls]
    blocks = ["\n".join(parts)]
    several = len({one.table.name.database for one in context.tables}) > 1
    for one in context.tables:
        lines = []
        if several:
            lines.append(f"-- database {one.table.name.database}")
        if explain and one.reasons:
            lines.append(f"-- why: {'; '.join(one.reasons)} (score {one.score:.3f})")
        lines.append(table_ddl(one.table, spelling, columns=one.columns, values=values))
        blocks.append("\n".join(lines))
    blocks += [
        _commented("Joins", [f"{on_clause(one, spelling)}{_how(one)}" for one in context.joins]),
        _commented("Definitions", [_definition(one) for one in context.definitions]),
        "\n\n".join(_query_block(one) for one in context.queries),
        _commented("Other tables", [_named(table, spelling) for table in context.named]),
    ]
    if context.left_out:
        blocks.append(f"-- and {context.left_out:,} more tables")
    return "\n\n".join(block for block in blocks if block)


def _commented(title: str, lines: list[str]) -> str:
    return "\n".join([f"-- {title}:", *(f"--   {line}" for line in lines)]) if lines else ""


def _how(join: ContextJoin) -> str:
    where = f", {join.where}" if join.where else ""
    return f"  ({join.evidence}{where})"


def _definition(one: Definition) -> str:
    formula = f" [{one.expression}]" if one.expression else ""
    return f"{one.term}: {' '.join(one.text.split())}{formula} ({place(one.source)})"


def _query_block(one: ExampleQuery) -> str:
    about = " ".join(one.question.split()) or "example query"
    often = f", ran {one.calls:,} times" if one.calls else ""
    text = one.text.strip().rstrip(";")
    if len(text) > MAX_QUERY_CHARS:
        text = f"{text[:MAX_QUERY_CHARS].rstrip()} ..."
    return f"-- {about} ({place(one.source)}{often})\n{text};"


def _named(table: Table, spelling: Spelling) -> str:
    about = table_label(table)
    return f"{spelling.full_name(table.name)}{f': {about}' if about else ''}"


def as_markdown(context: SchemaContext, *, explain: bool = False, values: bool = True) -> str:
    """Return a context as Markdown for people."""
    return "\n".join(_markdown(context, explain=explain, values=values)).strip()


def _markdown(context: SchemaContext, *, explain: bool, values: bool) -> Iterator[str]:
    dialect, spelling = context.sql_dialect, context.spelling
    yield f"## Schema ({dialect.title}{', whole' if context.complete else ''})"
    for pitfall in context.pitfalls:
        yield f"- {pitfall}"
    for one in context.tables:
        table = one.table
        yield ""
        yield f"### {spelling.full_name(table.name)}"
        about = table_label(table)
        where = f"`{place(table.sources[0])}`" if table.sources else ""
        yield " ".join(part for part in (about, where) if part)
        if explain and one.reasons:
            yield f"*{'; '.join(one.reasons)}*"
        yield ""
        yield "| column | type | key | about |"
        yield "|---|---|---|---|"
        for column in one.columns:
            note = column_note(table, column, values=values)
            cells = (column.name, column.type, _key_text(table, column.name, spelling), note)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        if not one.whole:
            kept = {column.name for column in one.columns}
            yield f"and {', '.join(column.name for column in table.columns if column.name not in kept)}"
    yield from _listed("Joins", [f"`{on_clause(one, spelling)}`{_how(one)}" for one in context.joins])
    yield from _listed("Definitions", [_definition(one) for one in context.definitions])
    for query in context.queries:
        yield f"\n**{' '.join(query.question.split()) or 'Example query'}** `{place(query.source)}`"
        yield f"```sql\n{query.text.strip()}\n```"
    yield from _listed("Other tables", [_named(table, spelling) for table in context.named])


def _key_text(table: Table, column: str, spelling: Spelling) -> str:
    keys = ["PK"] if column in table.primary_key else []
    keys += [f"→ {spelling.full_name(key.table)}" for key in table.foreign_keys if column in key.columns]
    return ", ".join(keys)


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"\n### {title}"
        yield from (f"- {line}" for line in lines)
