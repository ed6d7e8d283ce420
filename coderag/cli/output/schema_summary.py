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
    for one in databases:
        about = [one.dialect, one.environment, one.domain, counted(one.tables, "table")]
        about += [f"asked {one.asked}"] if one.asked else []
        lines.append(labelled("", f"{visible(one.name)}: {visible(', '.join(filter(None, about)))}", shown))
    if len(schema.databases) > len(databases):
        lines.append(labelled("", f"and {counted(len(schema.databases) - len(databases), 'more database')}", shown))
    lines += _dialect_lines(schema, shown, verbose=verbose)
    if schema.lost:
        tables = sum(one.table for one in schema.lost)
        text = f"{counted(len(schema.lost), 'statement')} not read, {tables:,} of them of tables or keys"
        lines.append(labelled("lost", shown.paint(text, Style.BAD) if tables else text, shown))
        lines += _listed((one.path, one.line, f"{one.head}: {one.reason}") for one in schema.lost) if verbose else []
    if schema.misfits:
        lines.append(labelled("misfits", f"{counted(len(schema.misfits), 'thing')} did not fit together", shown))
        lines += _listed((one.path, one.line, one.text) for one in schema.misfits) if verbose else []
    lines += _gap_lines(schema, shown, verbose=verbose)
    if (schema.lost or schema.misfits) and not verbose:
        lines.append(labelled("", '"coderag status --verbose" names them', shown))
    return lines


def _gap_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    """Return lines about tables that are missing because nothing here reads, or says, how they are created."""
    lines = []
    for one in schema.unread:
        examples = ", ".join(map(visible, one.paths)) + (", ..." if one.files > len(one.paths) else "")
        text = f"{visible(one.framework)}, {counted(one.files, 'file')} ({examples})"
        lines.append(labelled("not read", shown.paint(text, Style.BAD), shown))
    if schema.uncreated:
        names = [visible(one.table) for one in schema.uncreated]
        some = ", ".join(names[:MAX_TABLES]) + (", ..." if len(names) > MAX_TABLES else "")
        text = f"{counted(len(names), 'table')} changed and created by nothing ({some})"
        lines.append(labelled("missing", shown.paint(text, Style.BAD), shown))
        lines += [labelled("", one, shown) for one in dict.fromkeys(one.advice for one in schema.uncreated)]
        if verbose:
            lines += [f"    {visible(one.path)}:{one.line}: {visible(one.table)}" for one in schema.uncreated]
    return lines


def _dialect_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    counts = Counter(one.dialect for one in schema.files)
    text = ", ".join(f"{visible(dialect)} {number:,}" for dialect, number in counts.most_common())
    lines = [labelled("dialects", f"{text} ({counted(len(schema.files), 'file')})", shown)] if counts else []
    if verbose:
        lines += [f"    {visible(one.path)}: {visible(one.dialect)} ({visible(one.guess)})" for one in schema.files]
    return lines


def _listed(found: Iterable[tuple[str, int, str]]) -> list[str]:
    return [f"    {visible(path)}:{line}: {visible(text)}" for path, line, text in found]
