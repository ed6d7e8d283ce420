"""The context for a question as text: DDL with comments, or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coderag.search.context.bounded import fitted
from coderag.search.context.ddl import Comments, Spelling, column_note, place, table_ddl, table_label
from coderag.search.context.pack import ContextJoin, ContextTable
from coderag.search.context.records import Context
from coderag.sql.records import Definition, ExampleQuery, Name, Table

__all__ = ["as_ddl", "as_markdown", "ddl_text", "on_clause"]

MAX_QUERY_CHARS = 1200
OTHERS = "Other databases (--database NAME shows one)"


def on_clause(join: ContextJoin, spelling: Spelling) -> str:
    """Return a join as its ON clause: `orders.customer_id = customers.id`."""
    left, right = spelling.full_name(join.left), spelling.full_name(join.right)
    if left == right:
        right = f"{right} AS other"
    pairs = zip(join.left_columns, join.right_columns, strict=False)
    names = [(spelling.quoted(own), spelling.quoted(other)) for own, other in pairs]
    target = "other" if right.endswith(" AS other") else right
    return " AND ".join(f"{left}.{own} = {target}.{other}" for own, other in names)


def as_ddl(context: Context, *, explain: bool = False, values: bool = True) -> str:
    """Return a context as CREATE statements and comments, which language models read best, within its budget."""
    return fitted(context, lambda smaller: ddl_text(smaller, explain=explain, values=values))[1]


def ddl_text(context: Context, *, explain: bool = False, values: bool = True) -> str:
    """Return all of a context as CREATE statements and comments."""
    spelling = context.spelling
    parts = [f"-- {_title(context)}", *(f"-- - {pitfall}" for pitfall in context.pitfalls)]
    blocks = ["\n".join(parts)]
    several = len({table.table.name.database for table in context.tables}) > 1 or bool(context.others)
    database: str | None = None
    for table in context.tables:
        lines = []
        if several and table.table.name.database != database:
            database = table.table.name.database
            lines.append(f"-- database {_database_text(context, database)}")
        if explain and table.reasons:
            lines.append(f"-- why: {'; '.join(table.reasons)} (score {table.score:.3f})")
        lines.append(
            table_ddl(
                table.table,
                spelling,
                columns=table.columns,
                values=values,
                comments=context.comments,
                matching=table.matching,
            )
        )
        blocks.append("\n".join(lines))
    blocks += [
        _commented("Joins", _join_lines(context.joins, spelling)),
        _commented("Definitions", [_definition(definition) for definition in context.definitions]),
        "\n\n".join(_query_block(query) for query in context.queries),
        _commented(*_rest(context, spelling)),
        _commented(OTHERS, _other_lines(context)),
    ]
    if context.left_out and not context.others:
        blocks.append(f"-- and {context.left_out:,} more {'table' if context.left_out == 1 else 'tables'}")
    return "\n\n".join(block for block in blocks if block)


def _database_text(context: Context, database: str) -> str:
    shown = sum(table.table.name.database == database for table in context.tables)
    size = context.sizes.get(database, shown)
    return f"{database}, {shown:,} of {size:,} tables" if shown < size else f"{database}, whole"


def _title(context: Context) -> str:
    if not context.matched:
        return f"{context.sql_dialect.title}: no table holds a word of the question"
    return context.sql_dialect.title + (" (the whole schema)" if context.complete else "")


def _rest(context: Context, spelling: Spelling) -> tuple[str, list[str]]:
    """Return the title of the tables that are only named, and their lines."""
    title = "Other tables" if context.matched else "Tables"
    if context.matched and not context.brief:
        return title, [_named(table, spelling) for table in context.named]
    by_database: dict[str, list[str]] = {}
    for table in context.named:
        by_database.setdefault(table.name.database, []).append(spelling.full_name(table.name))
    return title, [f"{name}: {', '.join(tables)}" for name, tables in by_database.items()]


def _other_lines(context: Context) -> list[str]:
    lines = [
        f"{other.name} ({other.size:,} {'table' if other.size == 1 else 'tables'}): {', '.join(other.tables)}"
        + (", ..." if other.size > len(other.tables) else "")
        for other in context.others
    ]
    return [*lines, f"and {context.others_left_out:,} more"] if lines and context.others_left_out else lines


def _join_lines(joins: Sequence[ContextJoin], spelling: Spelling) -> list[str]:
    """Return joins as ON clauses; columns that refer to the same key share a line, with the key if it is shown."""
    sharing: dict[tuple[str, str], dict[str, None]] = {}
    for join in joins:
        if join.shared:
            sharing.setdefault((join.shared, join.evidence), {}).update(dict.fromkeys(_ends(join, spelling)))
    lines: list[str] = []
    parents: dict[tuple[str, str], str] = {}
    for join in joins:
        left, right = _ends(join, spelling)
        key = f"{join.right.name}.{', '.join(join.right_columns)}", join.evidence
        if join.shared:
            continue
        if left in sharing.get(key, ()) and not join.asked:
            parents[key] = right
        else:
            lines.append(f"{on_clause(join, spelling)}{_how(join)}")
    for key, children in sharing.items():
        (parent, evidence), ends = key, list(children)
        who = "both" if len(ends) == 2 else "all"
        if key in parents:
            lines.append(f"{parents[key]} = {' = '.join(ends)}  ({who} refer to the first, {evidence})")
        else:
            lines.append(f"{' = '.join(ends)}  ({who} refer to {parent}, {evidence})")
    return lines


def _ends(join: ContextJoin, spelling: Spelling) -> tuple[str, str]:
    return _end(join.left, join.left_columns, spelling), _end(join.right, join.right_columns, spelling)


def _end(table: Name, columns: Sequence[str], spelling: Spelling) -> str:
    name = spelling.full_name(table)
    written = [f"{name}.{spelling.quoted(column)}" for column in columns]
    return written[0] if len(written) == 1 else f"({', '.join(written)})"


def _commented(title: str, lines: list[str]) -> str:
    return "\n".join([f"-- {title}:", *(f"--   {line}" for line in lines)]) if lines else ""


def _how(join: ContextJoin) -> str:
    where = f", {join.where}" if join.where and join.asked else ""
    return f"  ({join.evidence}{where})"


def _definition(definition: Definition) -> str:
    formula = f" [{definition.expression}]" if definition.expression else ""
    return f"{definition.term}: {' '.join(definition.text.split())}{formula} ({place(definition.source)})"


def _query_block(query: ExampleQuery) -> str:
    about = " ".join(query.question.split()) or "example query"
    often = f", ran {query.calls:,} times" if query.calls else ""
    text = query.text.strip().rstrip(";")
    if len(text) > MAX_QUERY_CHARS:
        text = f"{text[:MAX_QUERY_CHARS].rstrip()} ..."
    return f"-- {about} ({place(query.source)}{often})\n{text};"


def _named(table: Table, spelling: Spelling) -> str:
    about = table_label(table)
    return f"{spelling.full_name(table.name)}{f': {about}' if about else ''}"


def as_markdown(context: Context, *, explain: bool = False, values: bool = True) -> str:
    """Return a context as Markdown for people, within its budget."""
    return fitted(context, lambda smaller: "\n".join(_markdown(smaller, explain=explain, values=values)).strip())[1]


def _markdown(context: Context, *, explain: bool, values: bool) -> Iterator[str]:
    dialect, spelling = context.sql_dialect, context.spelling
    yield f"## Schema ({dialect.title}{', whole' if context.complete else ''})"
    if not context.matched:
        yield "No table holds a word of the question."
    for pitfall in context.pitfalls:
        yield f"- {pitfall}"
    for table in context.tables:
        yield from _table_section(table, spelling, explain=explain, values=values, comments=context.comments)
    yield from _listed(
        "Joins", [f"`{clause}`{how}" for clause, how in map(_clause_and_how, _join_lines(context.joins, spelling))]
    )
    yield from _listed("Definitions", [_definition(definition) for definition in context.definitions])
    for query in context.queries:
        yield f"\n**{' '.join(query.question.split()) or 'Example query'}** `{place(query.source)}`"
        yield f"```sql\n{query.text.strip()}\n```"
    yield from _listed(*_rest(context, spelling))
    yield from _listed(OTHERS, _other_lines(context))


def _clause_and_how(line: str) -> tuple[str, str]:
    clause, separator, how = line.rpartition("  (")
    return clause, separator + how


def _table_section(
    context_table: ContextTable, spelling: Spelling, *, explain: bool, values: bool, comments: Comments
) -> Iterator[str]:
    table = context_table.table
    yield ""
    yield f"### {spelling.full_name(table.name)}"
    about = table_label(table, comment_chars=comments.matching)
    where = f"`{place(table.sources[0])}`" if table.sources else ""
    yield " ".join(part for part in (about, where) if part)
    if explain and context_table.reasons:
        yield f"*{'; '.join(context_table.reasons)}*"
    yield ""
    yield "| column | type | key | about |"
    yield "|---|---|---|---|"
    for column in context_table.columns:
        chars = comments.matching if column.name in context_table.matching else comments.other
        note = column_note(table, column, values=values, comment_chars=chars)
        cells = (column.name, column.type, _key_text(table, column.name, spelling), note)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    if not context_table.whole:
        kept = {column.name for column in context_table.columns}
        yield f"and {', '.join(column.name for column in table.columns if column.name not in kept)}"


def _key_text(table: Table, column: str, spelling: Spelling) -> str:
    keys = ["PK"] if column in table.primary_key else []
    keys += [f"→ {spelling.full_name(key.table)}" for key in table.foreign_keys if column in key.columns]
    return ", ".join(keys)


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"\n### {title}"
        yield from (f"- {line}" for line in lines)
