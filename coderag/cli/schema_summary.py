"""What is known of schemas, and what is not, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from coderag.cli.summary import labelled
from coderag.cli.text import Screen, Style, counted, visible
from coderag.index.schema_status import SchemaStatus

__all__ = ["schema_lines"]

MAX_DATABASES = 8


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
    if (schema.lost or schema.misfits) and not verbose:
        lines.append(labelled("", '"coderag status --verbose" names them', shown))
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
