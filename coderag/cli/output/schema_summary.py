"""What is known of schemas, and what is not, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from coderag.cli.output.summary import labelled
from coderag.cli.output.text import Screen, Style, counted, visible
from coderag.index.reader.schema_status import SchemaStatus

__all__ = ["schema_lines"]

MAX_DATABASES = 8
MAX_TABLES = 5


def schema_lines(schema: SchemaStatus | None, shown: Screen, *, verbose: bool) -> list[str]:
    """Return lines about the schemas of a root; `verbose` names every statement lost and everything that misfits."""
    if schema is None:
        return []
    counts = ((schema.tables, "table"), (schema.views, "view"), (schema.routines, "routine"))
    more = ((schema.queries, "example query"), (schema.definitions, "definition"))
    held = ", ".join(counted(number, noun) for number, noun in (*counts, *more) if number)
    lines = [labelled("schema", held or "nothing", shown)]
    databases = list(schema.databases) if verbose else list(schema.databases[:MAX_DATABASES])
    for database in databases:
        about = [database.dialect, database.environment, database.domain, counted(database.tables, "table")]
        about += [f"asked {database.asked}"] if database.asked else []
        lines.append(labelled("", f"{visible(database.name)}: {visible(', '.join(filter(None, about)))}", shown))
    if len(schema.databases) > len(databases):
        lines.append(labelled("", f"and {counted(len(schema.databases) - len(databases), 'more database')}", shown))
    lines += _dialect_lines(schema, shown, verbose=verbose)
    if schema.lost:
        tables = sum(lost_statement.table for lost_statement in schema.lost)
        text = f"{counted(len(schema.lost), 'statement')} not read, {tables:,} of them of tables or keys"
        lines.append(labelled("lost", shown.paint(text, Style.BAD) if tables else text, shown))
        lines += (
            _listed(
                (lost_statement.path, lost_statement.line, f"{lost_statement.head}: {lost_statement.reason}")
                for lost_statement in schema.lost
            )
            if verbose
            else []
        )
    if schema.misfits:
        lines.append(labelled("misfits", f"{counted(len(schema.misfits), 'thing')} did not fit together", shown))
        lines += _listed((misfit.path, misfit.line, misfit.text) for misfit in schema.misfits) if verbose else []
    lines += _gap_lines(schema, shown, verbose=verbose)
    if (schema.lost or schema.misfits) and not verbose:
        lines.append(labelled("", '"coderag status --verbose" names them', shown))
    return lines


def _gap_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    """Return lines about tables that are missing because nothing here reads, or says, how they are created."""
    lines = []
    for unread_files in schema.unread:
        examples = ", ".join(map(visible, unread_files.paths)) + (
            ", ..." if unread_files.files > len(unread_files.paths) else ""
        )
        text = f"{visible(unread_files.framework)}, {counted(unread_files.files, 'file')} ({examples})"
        lines.append(labelled("not read", shown.paint(text, Style.BAD), shown))
    if schema.uncreated:
        names = [visible(uncreated_table.table) for uncreated_table in schema.uncreated]
        some = ", ".join(names[:MAX_TABLES]) + (", ..." if len(names) > MAX_TABLES else "")
        text = f"{counted(len(names), 'table')} changed and created by nothing ({some})"
        lines.append(labelled("missing", shown.paint(text, Style.BAD), shown))
        lines += [
            labelled("", fromkey, shown)
            for fromkey in dict.fromkeys(uncreated_table.advice for uncreated_table in schema.uncreated)
        ]
        if verbose:
            lines += [
                f"    {visible(uncreated_table.path)}:{uncreated_table.line}: {visible(uncreated_table.table)}"
                for uncreated_table in schema.uncreated
            ]
    return lines


def _dialect_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    counts = Counter(file.dialect for file in schema.files)
    text = ", ".join(f"{visible(dialect)} {number:,}" for dialect, number in counts.most_common())
    lines = [labelled("dialects", f"{text} ({counted(len(schema.files), 'file')})", shown)] if counts else []
    if verbose:
        lines += [f"    {visible(file.path)}: {visible(file.dialect)} ({visible(file.guess)})" for file in schema.files]
    return lines


def _listed(found: Iterable[tuple[str, int, str]]) -> list[str]:
    return [f"    {visible(path)}:{line}: {visible(text)}" for path, line, text in found]
