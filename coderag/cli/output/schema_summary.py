"""What is known of schemas, and what is not, as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from coderag.cli.output.summary import by_kind, labelled
from coderag.cli.output.text import Screen, Style, visible
from coderag.index.reader.schema_status import SchemaStatus
from coderag.text.counted import counted

__all__ = ["schema_lines"]

KEYWORDS = re.compile(
    r"[A-Za-z]+(?:\s+(?:TABLE|VIEW|INDEX|TYPE|FUNCTION|PROCEDURE|TRIGGER|SCHEMA|DATABASE)\b)?", re.IGNORECASE
)
CONFLICT_KINDS = tuple(  # the first whose words are in the text of a conflict
    (re.compile(words), kind)
    for words, kind in (
        ("foreign key|key of", "of keys"),
        ("made in code beside", "of tables made in code, left out"),
        ("the database", "between files and database"),
        ("migration|lacks|has not", "between models and migrations"),
        ("twice|already|counts", "defined twice"),
        ("never created|creates?|not known", "never created"),
    )
)
MAX_DATABASES = 8
MAX_TABLES = 5


def schema_lines(schema: SchemaStatus | None, shown: Screen, *, verbose: bool) -> list[str]:
    """Return lines about the schemas of a root; `verbose` lists every unparsed statement and every conflict."""
    if schema is None:
        return []
    counts = ((schema.tables, "table"), (schema.views, "view"), (schema.routines, "routine"))
    more = ((schema.queries, "example query"), (schema.definitions, "definition"))
    contents = ", ".join(counted(number, noun) for number, noun in (*counts, *more) if number)
    lines = [labelled("schema", contents or "nothing", shown)]
    databases = list(schema.databases) if verbose else list(schema.databases[:MAX_DATABASES])
    for database in databases:
        about = [database.dialect, database.environment, database.domain, counted(database.tables, "table")]
        about += [f"asked {database.asked}"] if database.asked else []
        lines.append(labelled("", f"{visible(database.name)}: {visible(', '.join(filter(None, about)))}", shown))
    if len(schema.databases) > len(databases):
        lines.append(labelled("", f"and {counted(len(schema.databases) - len(databases), 'more database')}", shown))
    lines += _dialect_lines(schema, shown, verbose=verbose)
    lines += _unparsed_lines(schema, shown, verbose=verbose)
    lines += _conflict_lines(schema, shown, verbose=verbose)
    lines += _gap_lines(schema, shown, verbose=verbose)
    if (schema.unparsed or schema.conflicts) and not verbose:
        lines.append(labelled("", '"coderag status --verbose" lists them', shown))
    return lines


def _unparsed_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    """Return how many statements of each kind could not be parsed, or each of them."""
    if not schema.unparsed:
        return []
    tables = sum(statement.table for statement in schema.unparsed)
    kinds = by_kind((_statement_kind(one.head), f"{one.path}:{one.line}") for one in schema.unparsed)
    text = f"{counted(len(schema.unparsed), 'statement')}, {tables:,} of them of tables or keys: {kinds}"
    lines = [labelled("unparsed", shown.paint(text, Style.BAD) if tables else text, shown)]
    if verbose:
        lines += _listed((one.path, one.line, f"{one.head}: {one.reason}") for one in schema.unparsed)
    return lines


def _statement_kind(head: str) -> str:
    """Return the words that a statement begins with: `CREATE TABLE`."""
    words = KEYWORDS.match(head)
    return words[0].upper() if words else "other"


def _conflict_lines(schema: SchemaStatus, shown: Screen, *, verbose: bool) -> list[str]:
    """Return how many conflicts of each kind there are with an example, or each of them."""
    if not schema.conflicts:
        return []
    text = counted(len(schema.conflicts), "schema conflict")
    if not verbose:
        examples = ((_conflict_kind(one.text), f"{one.path}:{one.line}: {one.text}") for one in schema.conflicts)
        text += f": {by_kind(examples)}"
    lines = [labelled("conflicts", text, shown)]
    if verbose:
        lines += _listed((conflict.path, conflict.line, conflict.text) for conflict in schema.conflicts)
    return lines


def _conflict_kind(text: str) -> str:
    """Return what kind of conflict a text is about."""
    return next((kind for words, kind in CONFLICT_KINDS if words.search(text)), "other")


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
            labelled("", advice, shown)
            for advice in dict.fromkeys(uncreated_table.advice for uncreated_table in schema.uncreated)
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
